"""One call of a measuring verb, put together: plan, launches, store, stopping rule and hazards.

This is the only place that knows all of them; each of them knows only its own.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import knee.native
from knee.analysis import fingerprint
from knee.errors import KneeError
from knee.launch.command import CommandHost
from knee.launch.host import AgentHost, Host
from knee.launch.interpreter import ask
from knee.launch.interrupt import held
from knee.launch.runner import Decision, Outcome, Progress, Runner
from knee.machine import describe, hazards
from knee.plan.experiment import Experiment, treatment_from_json, treatment_to_json
from knee.plan.treatment import Treatment
from knee.stats.comparison import compare
from knee.stats.launches import curve
from knee.stats.reps import Reps
from knee.stats.stopping import Stopping
from knee.store.database import Store
from knee.store.record import RunRecord
from knee.store.samples import Samples

Tell = Callable[[Progress], None]


@dataclass(frozen=True)
class Measured:
    """A run that has ended: its number in the store, and how it ended."""

    run: int
    outcome: Outcome


def run(experiment: Experiment, store: Store, tell: Tell, argv: Sequence[str] | None = None) -> Measured:
    """Measure an experiment from its first launch on.

    Args:
        experiment: what to measure.
        store: where every block goes as it ends.
        tell: told of progress.
        argv: the command line, for the record; ``sys.argv`` if None.

    Raises:
        KneeError: an interpreter does not answer, or the store cannot be written.
    """
    interpreters = _interpreters(experiment.treatments)
    machine = describe().to_json()
    given = [None if not t.python else interpreters[t.python] for t in experiment.treatments]
    number = store.begin(
        RunRecord(
            verb=experiment.verb,
            created=time.time(),
            law=experiment.law,
            seed=experiment.seed,
            workload=" against ".join(t.label for t in reversed(experiment.treatments)),
            treatments=tuple(
                {**treatment_to_json(t), "interpreter": found}
                for t, found in zip(experiment.treatments, given, strict=True)
            ),
            plan=experiment.to_json(),
            fingerprint=fingerprint.take(
                experiment.treatments,
                given,
                [t.packages for t in experiment.treatments],
                machine,
            ),
            machine=machine,
            argv=tuple(sys.argv if argv is None else argv),
        )
    )
    return _measure(experiment, store, number, tell, first=0)


def resume(store: Store, number: int, tell: Tell) -> Measured:
    """Go on with a run that did not finish, from the launch after the last one that it stored.

    Raises:
        KneeError: it is finished, or being measured; or it is a search for causes, which does not go on.
    """
    if store.run(number).record.verb == "why":
        raise KneeError(f"run {number} was made by knee why, and a search starts anew", "ask again: knee why")
    record = store.reopen(number).record
    experiment = Experiment.from_json(record.plan, tuple(treatment_from_json(t) for t in record.treatments))
    calibrated = [data for _, kind, data in store.events(number) if kind == "calibrated"]
    if calibrated:
        experiment = experiment.calibrated(calibrated[-1]["calls"], calibrated[-1].get("reps"))
    stored = [launch for launch, _, _ in store.blocks(number)]
    return _measure(experiment, store, number, tell, first=max(stored, default=-1) + 1)


def start(experiment: Experiment, treatments: Sequence[Treatment]) -> Host:
    """Start the target for treatments that share a process: an agent, or nothing but the commands themselves."""
    cpus = sorted(hazards.place().cpus) if experiment.pin else []
    if treatments[0].workload.form == "command":
        return CommandHost(treatments, timeout=experiment.timeout, cpus=cpus)
    native = knee.native.library_path() if experiment.native else None
    return AgentHost(treatments, native=native, timeout=experiment.timeout, cpus=cpus)


def rule(experiment: Experiment, reps: Callable[[], Reps]) -> Callable[[int, float], Decision]:
    """Return the stopping rule of the experiment's verb; ``reps`` reads what is stored so far."""

    def precise(launches: int, _elapsed: float) -> Decision:
        found = Stopping(experiment.precision, experiment.minimum).decide(log_speedups(reps()))
        return Decision(found.stop, None if found.needed is None else launches + found.needed)

    def settled(launches: int, _elapsed: float) -> Decision:
        stored = reps()
        twin = len(experiment.treatments) if experiment.again else None
        found = [
            compare(stored, kind, twin=twin, margin=experiment.margin).decide(
                launches, minimum=experiment.minimum
            )
            for kind in stored.kinds
        ]
        needed = [launches if d.stop else None if d.needed is None else launches + d.needed for d in found]
        expected = None if None in needed else max((n for n in needed if n is not None), default=None)
        return Decision(bool(found) and all(d.stop for d in found), expected)

    return settled if experiment.verb == "compare" else precise


def log_speedups(reps: Reps) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Log speedup of every kind and worker count but the first, shape (launches, quantities); NaN where missing."""
    launches = reps.launches
    columns = [np.empty((launches.size, 0))]
    for kind in reps.kinds:
        found = curve(reps.select(kind=kind, treatment=0))
        rows = np.full((launches.size, found.counts.size - 1), np.nan)
        rows[np.searchsorted(launches, found.launch)] = found.log_speedup[:, 1:]
        columns.append(rows)
    return np.hstack(columns)


def _measure(experiment: Experiment, store: Store, number: int, tell: Tell, *, first: int) -> Measured:
    earlier = [1 / speed for speed in store.core_speeds(_machine_id(store, number), number) if speed > 0]
    where = hazards.place(workers=max(experiment.workers), earlier=earlier)
    snapshot = hazards.snapshot(where)
    store.hazards(number, "before", [hazard.to_json() for hazard in hazards.before(snapshot, where)])
    runner = Runner(
        experiment,
        store,
        number,
        start=start,
        decide=rule(experiment, lambda: store.reps(number)),
        progress=tell,
        first=first,
    )
    outcome = runner.measure()
    with held():  # whoever presses Ctrl-C twice has an interrupted run all the same, not an unfinished one
        samples = store.samples(number)
        speeds = [float(1 / speed) for speed in samples.speed_before if speed > 0]
        facts = {**_facts(store, number), "cpus": _cpus(samples)}
        told = hazards.place(workers=max(experiment.workers), facts=facts, speeds=speeds, earlier=earlier)
        store.hazards(number, "after", [hazard.to_json() for hazard in hazards.after(snapshot, told)])
        store.finish(number, outcome.status)
    return Measured(number, outcome)


def _interpreters(treatments: Sequence[Treatment]) -> dict[str, Mapping[str, Any]]:
    return {python: ask(python).to_json() for python in {t.python for t in treatments if t.python}}


def _machine_id(store: Store, number: int) -> str:
    return str(store.run(number).record.machine.get("id", ""))


def _cpus(samples: Samples) -> list[list[int]]:
    """The CPU that each worker of a rep ended on, rep by rep; of reps in which it is known of all."""
    found: dict[int, list[float]] = {}
    for rep, cpu in zip(samples.rep.tolist(), samples.cpu_end.tolist(), strict=True):
        found.setdefault(rep, []).append(cpu)
    return [[int(cpu) for cpu in cpus] for cpus in found.values() if all(cpu >= 0 for cpu in cpus)]


def _facts(store: Store, number: int) -> dict[str, Any]:
    """What the launches told of their interpreter, under the names that the hazards look for."""
    facts: dict[str, Any] = {"printed": store.printed(number)[0]}
    for launch in store.launches(number):
        interpreter, told = launch.interpreter or {}, launch.facts or {}
        if "version" not in interpreter:
            continue
        facts["debug"] = bool(interpreter.get("debug"))
        facts["free_threaded"] = bool(interpreter.get("free_threaded"))
        states = [state for state in told.get("gil", ()) if state is not None]
        if states:
            facts["gil_enabled"] = facts.get("gil_enabled", False) or any(states)
            facts["gil_cause"] = facts.get("gil_cause") or (", ".join(told.get("modules", ())) or None)
        context = told.get("context")
        if context is not None:
            facts["pools"] = context["pools"]
            facts["tracing"] = [
                *(name for name in ("trace", "profile", "coverage", "debugger") if context[name]),
                *context["monitoring"],
            ]
    return facts
