"""The report of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from knee.analysis import fingerprint, phases
from knee.analysis.effort import placements, splits
from knee.analysis.hazards import gather
from knee.analysis.modes import split
from knee.analysis.report import InterpreterReport, KindReport, RunReport
from knee.launch.sample import Loss
from knee.stats.components import components
from knee.stats.ladder import ladder
from knee.stats.reps import Reps
from knee.store.database import Store
from knee.store.record import LaunchRecord, StoredRun


def analyse(store: Store, run: int) -> RunReport:
    """Analyse a stored run, finished or not.

    Raises:
        KneeError: there is no such run.
    """
    stored = store.run(run)
    record = stored.record
    reps = store.reps(run)
    launches = store.launches(run)
    losses = store.losses(run)
    mine = reps.select(treatment=0)
    effort, phased = store.effort(run), store.phases(run)
    interpreter = interpreter_report(stored, launches)
    return RunReport(
        run=run,
        status=stored.status,
        created=record.created,
        workload=record.workload,
        law=record.law,
        seed=record.seed,
        argv=record.argv,
        interpreter=interpreter,
        machine=record.machine,
        fingerprint=fingerprint.complete(record.fingerprint, launches),
        launches=stored.launches,
        kinds=tuple(
            replace(
                kind_report(reps, kind, losses),
                splits=splits(effort, kind),
                placements=placements(effort, kind),
                phases=phases.reports(phased, kind),
            )
            for kind in _kinds(record.plan, reps, losses)
        ),
        variance=components(mine) if len(mine) else None,
        hazards=gather(store, run, interpreter, launches),
        losses=tuple(losses),
        fast_cores=fast_cores(record.machine),
        store=str(store.path),
    )


def kind_report(reps: Reps, kind: str, losses: Sequence[Loss], treatment: int = 0) -> KindReport:
    """One kind of worker, or the reason why there is nothing to say of it."""
    refusal = next((loss for loss in losses if loss.kind == "unavailable" and loss.worker_kind == kind), None)
    mine = reps.select(kind=kind, treatment=treatment)
    if len(mine):
        found = ladder(reps, kind, treatment=treatment)
        return KindReport(kind, True, "", found, split(mine, found))
    if refusal is not None:
        return KindReport(kind, False, refusal.text, None)
    return KindReport(kind, True, "nothing of it was measured", None)


def interpreter_report(stored: StoredRun, launches: Sequence[LaunchRecord]) -> InterpreterReport | None:
    """What the launches said of their interpreter: the first that spoke, and the GIL in any of them."""
    spoken = [launch for launch in launches if "version" in (launch.interpreter or {})]
    if not spoken:
        return None
    facts = spoken[0].interpreter or {}
    states = [
        state for launch in launches for state in (launch.facts or {}).get("gil", ()) if state is not None
    ]
    culprits = {name for launch in launches for name in (launch.facts or {}).get("modules", ())}
    version = facts.get("version", "?")
    free_threaded = bool(facts.get("free_threaded"))
    treatment: Mapping[str, Any] = stored.record.treatments[0] if stored.record.treatments else {}
    return InterpreterReport(
        label=f"{version}{'t' if free_threaded else ''}",
        executable=facts.get("executable", treatment.get("python", "")),
        free_threaded=free_threaded,
        gil=any(states) if states else None if free_threaded else True,
        culprits=tuple(sorted(culprits)),
        loader=treatment.get("loader") if treatment.get("workload", {}).get("form") == "callable" else None,
        facts=facts,
    )


def fast_cores(machine: Mapping[str, Any]) -> int | None:
    """The machine's useful workers, as it was when measured."""
    count = (machine.get("useful_workers") or {}).get("count")
    return count if isinstance(count, int) else None


def _kinds(plan: Mapping[str, Any], reps: Reps, losses: Sequence[Loss]) -> tuple[str, ...]:
    """The kinds that were asked for, in that order, and any others that were measured or refused."""
    refused = [loss.worker_kind for loss in losses if loss.kind == "unavailable" and loss.worker_kind]
    return tuple(dict.fromkeys((*plan.get("kinds", ()), *reps.kinds, *refused)))
