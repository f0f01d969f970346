"""The report of a comparison."""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from knee.analysis import fingerprint
from knee.analysis.fingerprint import Difference
from knee.analysis.hazards import gather
from knee.analysis.report import Hazard, loss_to_json
from knee.analysis.run import interpreter_report
from knee.launch.sample import Loss
from knee.plan import design
from knee.plan.cell import Law, counted
from knee.plan.design import Blocking
from knee.plan.experiment import Experiment, treatment_from_json
from knee.stats.comparison import Comparison, compare
from knee.stats.curves import CurveChange, change
from knee.stats.phases import WHOLE, PhaseRow
from knee.stats.phases import compare as compare_phases
from knee.store.database import Store
from knee.store.record import LaunchRecord, Status

SCHEMA = 1
"""Version of the ``compare`` JSON; fields are only ever added."""

BLOCKINGS: Mapping[Blocking, str] = {
    "pool": "All treatments ran in the same pools, rep by rep: whatever a pool drew cancels in the ratio.",
    "pinned": "Each treatment had processes of its own, adjacent in time, order drawn, worker i pinned to CPU i of the "
    "same list: placement was blocked by pinning; what each process draws (address layout, hash seeds) was not, and "
    "is in the spread between launches.",
    "time": "Each treatment had processes of its own, adjacent in time, order drawn: placement and what else each "
    "process draws are in the spread between launches.",
}
"""What was held equal, and what that leaves open, in one sentence."""


@dataclass(frozen=True)
class KindComparison:
    """One kind of worker: the verdicts, where the difference lands, and what that means."""

    comparison: Comparison
    phases: tuple[PhaseRow, ...]
    curves: tuple[CurveChange, ...]
    explanations: tuple[str, ...]


@dataclass(frozen=True)
class CompareReport:
    """A comparison.

    Attributes:
        labels: of the treatments; the first is what the others are compared with.
        treatments: as they were stored, each with its interpreter.
        blocking: what was held equal between them.
        differences: for each treatment but the first, in what it differs from the first and was not meant to.
        seconds_per_launch: how long a launch took, median; what a further one will cost. None without any.
    """

    run: int
    status: Status
    created: float
    law: Law
    seed: int
    labels: tuple[str, ...]
    treatments: tuple[Mapping[str, Any], ...]
    blocking: Blocking
    differences: tuple[tuple[Difference, ...], ...]
    seconds_per_launch: float | None
    kinds: tuple[KindComparison, ...]
    launches: int
    hazards: tuple[Hazard, ...]
    losses: tuple[Loss, ...]
    store: str

    @property
    def verdicts(self) -> tuple[str, ...]:
        """All verdicts, in the order of the rows."""
        return tuple(row.verdict for kind in self.kinds for row in kind.comparison.rows)

    def to_json(self) -> dict[str, Any]:
        """The whole report as the ``compare`` schema describes it."""
        first = self.kinds[0].comparison if self.kinds else None
        return {
            "schema": SCHEMA,
            "run": self.run,
            "status": self.status,
            "created": self.created,
            "law": self.law,
            "seed": self.seed,
            "treatments": [dict(t) for t in self.treatments],
            "blocking": self.blocking,
            "blocking_text": BLOCKINGS[self.blocking],
            "differences": [[found.text for found in each] for each in self.differences],
            "launches": self.launches,
            "seconds_per_launch": self.seconds_per_launch,
            "margin": None if first is None else first.margin,
            "confidence": None if first is None else first.confidence,
            "rows": [
                {"kind": k.comparison.kind, **row.to_json()} for k in self.kinds for row in k.comparison.rows
            ],
            "control": None if first is None else first.control.to_json(),
            "controls": {k.comparison.kind: k.comparison.control.to_json() for k in self.kinds},
            "position": {k.comparison.kind: k.comparison.position.to_json() for k in self.kinds},
            "waiting": {k.comparison.kind: k.comparison.waiting.to_json() for k in self.kinds},
            "phases": [{"kind": k.comparison.kind, **row.to_json()} for k in self.kinds for row in k.phases],
            "explanations": [text for k in self.kinds for text in k.explanations],
            "hazards": [hazard.to_json() for hazard in self.hazards],
            "losses": [loss_to_json(loss) for loss in self.losses],
            "store": self.store,
        }


def analyse(store: Store, run: int) -> CompareReport:
    """Analyse a stored comparison, finished or not.

    Raises:
        KneeError: there is no such run.
    """
    stored = store.run(run)
    record = stored.record
    launches = store.launches(run)
    labels = tuple(str(treatment["label"]) for treatment in record.treatments)
    experiment = Experiment.from_json(record.plan, tuple(map(treatment_from_json, record.treatments)))
    return CompareReport(
        run=run,
        status=stored.status,
        created=record.created,
        law=record.law,
        seed=record.seed,
        labels=labels,
        treatments=record.treatments,
        blocking=design.blocking(experiment),
        differences=unmeant(record.fingerprint, experiment.varies),
        seconds_per_launch=seconds_per_launch(launches),
        kinds=kinds(store, run, experiment),
        launches=stored.launches,
        hazards=gather(store, run, interpreter_report(stored, launches), launches),
        losses=tuple(store.losses(run)),
        store=str(store.path),
    )


def unmeant(taken: Mapping[str, Any], varies: str) -> tuple[tuple[Difference, ...], ...]:
    """In what each treatment's fingerprint differs from the first one's, but for what varies.

    A package that varies may bring others along; those are told, for the effect may be theirs.
    """
    parts = list(taken.get("treatments", ()))
    option, _, name = varies.partition(" ")
    meant = {
        "targets": ["label", "workload"],
        "--python": ["label", "interpreter"],
        "--env": ["label", f"environment {name}"],
    }.get(option, ["label"])
    found = []
    for part in parts[1:]:
        mine, theirs = ({**p, "packages": _packages(p, option, name)} for p in (parts[0], part))
        found.append(fingerprint.differences(mine, theirs, meant))
    return tuple(found)


def _packages(part: Mapping[str, Any], option: str, name: str) -> dict[str, str]:
    """Installed packages by name, without the one that varies; a local one is the package under test of ``--git``."""
    pairs = (re.split(r"==| @ ", text, maxsplit=1) for text in part.get("packages", ()))
    found = {words[0].lower().replace("_", "-"): words[-1] for words in pairs}
    return {
        package: version
        for package, version in found.items()
        if package != name and not (option == "--git" and "(sha256:" in version)
    }


def seconds_per_launch(launches: Sequence[LaunchRecord]) -> float | None:
    """Median seconds of a launch with all its groups."""
    spans: dict[int, float] = {}
    for launch in launches:
        if launch.ended is not None and launch.status == "ended":
            spans[launch.launch] = spans.get(launch.launch, 0.0) + launch.ended - launch.started
    return statistics.median(spans.values()) if spans else None


def kinds(store: Store, run: int, experiment: Experiment) -> tuple[KindComparison, ...]:
    """Compare each kind of worker that was measured."""
    reps = store.reps(run)
    phases = store.phases(run)
    labels = [treatment.label for treatment in experiment.treatments]
    twin = len(labels) if experiment.again else None
    found = []
    for kind in reps.kinds:
        comparison = compare(reps, kind, twin=twin, margin=experiment.margin)
        rivals = range(1, len(labels))
        rows = (
            tuple(row for rival in rivals for row in compare_phases(phases, kind, rival, 0))
            if phases.names
            else ()
        )
        curves = tuple(moved for rival in rivals if (moved := change(reps, kind, rival, 0)) is not None)
        explanations = (*explain_curves(curves, labels), *explain_phases(comparison, rows, labels))
        found.append(KindComparison(comparison, rows, curves, explanations))
    return tuple(found)


def explain_curves(curves: Sequence[CurveChange], labels: Sequence[str]) -> list[str]:
    """One sentence for each curve that moved against its time."""
    sentences = []
    for curve in curves:
        name, other, time = labels[curve.treatment], labels[0], f"{curve.time.estimate:.2f}"
        speedups = f"{curve.speedup.estimate:.2f} against {curve.speedup_against.estimate:.2f}"
        speedups += f" at {counted(curve.workers, 'workers')}"
        if curve.story == "unmasked":
            sentences.append(
                f"{name} has the lower speedup ({speedups}) and is still the faster, with {time} of the time of "
                f"{other}: as when work that ran well in parallel is removed, which had flattered the curve."
            )
        else:
            sentences.append(
                f"{name} has the higher speedup ({speedups}) and is still the slower, with {time} times the time "
                f"of {other}: as when work that runs well in parallel is added, which flatters the curve."
            )
    return sentences


def explain_phases(comparison: Comparison, phases: Sequence[PhaseRow], labels: Sequence[str]) -> list[str]:
    """One sentence for each phase that got faster while the whole did not."""
    verdicts = {(row.treatment, row.workers): row for row in comparison.rows}
    sentences = []
    for phase in phases:
        row = verdicts.get((phase.treatment, phase.workers))
        whole = row.time_against if row is not None else None
        if row is None or whole is None or phase.name == WHOLE or row.verdict == "faster":
            continue
        if (
            phase.difference.high < 0
            and phase.difference.estimate < -comparison.margin * phase.time_against.estimate
        ):
            verb = {"slower": "got slower", "same": "stayed the same"}.get(row.verdict, "shows no verdict")
            share = f"{phase.time.estimate / phase.time_against.estimate:.2f}"
            sentences.append(
                f"In {labels[phase.treatment]} the phase '{phase.name}' got faster ({share} of its time at "
                f"{counted(phase.workers, 'workers')}) while the whole {verb}: what it saved was not on the path that "
                "decides the time, or other phases took it back."
            )
    return sentences
