"""What is to be said of a run: data that every view renders and no view adds to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from knee.analysis.effort import Split
from knee.analysis.modes import ModeReport
from knee.analysis.phases import PhaseReport
from knee.launch.sample import Loss
from knee.plan.cell import Law
from knee.stats.components import Components
from knee.stats.ladder import Ladder, Row
from knee.stats.placement import Placement
from knee.store.record import Moment, Status

SCHEMA = 1
"""Version of the ``run`` JSON; fields are only ever added."""

LAWS: Mapping[Law, str] = {
    "scaled": "every worker does the same work (Gustafson): ideally the time stays and the throughput grows",
    "fixed": "a fixed amount of work is divided among the workers (Amdahl): ideally the time shrinks",
}
"""Which law a run follows, in one sentence. The two are never mixed in one report."""


@dataclass(frozen=True)
class Hazard:
    """A fact about the machine, or about how Knee was started on it, that spoils a number.

    Attributes:
        id: what tells its kind, for filters.
        text: what was seen and what it can do to a number.
        advice: what to do about it.
        seen: how it was seen; empty if that was not recorded.
        moments: when it was seen: before, during, after.
    """

    id: str
    text: str
    advice: str
    seen: str = ""
    moments: tuple[Moment, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The hazard of all schemas."""
        return {
            "id": self.id,
            "text": self.text,
            "advice": self.advice,
            "seen": self.seen,
            "moments": list(self.moments),
        }


@dataclass(frozen=True)
class KindReport:
    """One kind of worker.

    Attributes:
        kind: its name.
        available: whether it could run this workload.
        reason: why not, or why nothing was measured; empty when there are rows.
        ladder: the analysis; None when nothing was measured.
        clusters: the modes of each worker count that has any.
        splits: where the workers' time went, by worker count.
        placements: how evenly the cores served the workers, by worker count; empty without speed probes.
        phases: those that the workload declares; empty without any.
    """

    kind: str
    available: bool
    reason: str
    ladder: Ladder | None
    clusters: Mapping[int, tuple[ModeReport, ...]] = field(default_factory=dict)
    splits: tuple[Split, ...] = ()
    placements: tuple[Placement, ...] = ()
    phases: tuple[PhaseReport, ...] = ()

    def modes(self, workers: int) -> tuple[ModeReport, ...]:
        """The modes of a worker count; empty where launches agree."""
        return self.clusters.get(workers, ())

    def to_json(self) -> dict[str, Any]:
        """The entry of ``kinds``."""
        ladder = self.ladder
        return {
            "kind": self.kind,
            "available": self.available,
            "reason": self.reason or None,
            "base": None if ladder is None else ladder.base,
            "rows": [] if ladder is None else [self._row(row) for row in ladder.rows],
            "knee": None if ladder is None or ladder.knee is None else ladder.knee.to_json(),
            "variance": None if ladder is None or ladder.variance is None else ladder.variance.to_json(),
            "split": [split.to_json() for split in self.splits],
            "placement": [placement.to_json() for placement in self.placements],
            "phases": [phase.to_json() for phase in self.phases],
        }

    def _row(self, row: Row) -> dict[str, Any]:
        return {**row.to_json(), "modes": [mode.to_json() for mode in self.modes(row.workers)]}


@dataclass(frozen=True)
class InterpreterReport:
    """What ran the workload.

    Attributes:
        label: the short name, ``3.13.5t``.
        gil: whether the GIL was on after the workload ran; None if it never told.
        culprits: what may have switched it on, in a free-threaded interpreter.
        loader: how the workload's file was loaded; None for a statement.
        facts: all that the agent said.
    """

    label: str
    executable: str
    free_threaded: bool
    gil: bool | None
    culprits: tuple[str, ...]
    loader: str | None
    facts: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """The ``interpreter`` of all schemas."""
        return {
            "label": self.label,
            "executable": self.executable,
            "free_threaded": self.free_threaded,
            "gil": self.gil,
            "culprits": list(self.culprits),
            "loader": self.loader,
            "facts": dict(self.facts),
        }


@dataclass(frozen=True)
class RunReport:
    """A run.

    Attributes:
        run: its number in the store.
        created: seconds since the epoch.
        workload: how it is named.
        law: of all its ladders.
        interpreter: None for a command, or when no launch came so far.
        launches: how many ended well.
        variance: over all kinds and counts; None with under two launches.
        fast_cores: number of workers the machine can give a fast core each; None when unknown.
        store: path of the file.
    """

    run: int
    status: Status
    created: float
    workload: str
    law: Law
    seed: int
    argv: tuple[str, ...]
    interpreter: InterpreterReport | None
    machine: Mapping[str, Any]
    fingerprint: Mapping[str, Any]
    launches: int
    kinds: tuple[KindReport, ...]
    variance: Components | None
    hazards: tuple[Hazard, ...]
    losses: tuple[Loss, ...]
    fast_cores: int | None
    store: str

    def to_json(self) -> dict[str, Any]:
        """The whole report as the ``run`` schema describes it."""
        return {
            "schema": SCHEMA,
            "run": self.run,
            "status": self.status,
            "created": self.created,
            "workload": self.workload,
            "law": self.law,
            "law_text": LAWS[self.law],
            "seed": self.seed,
            "argv": list(self.argv),
            "interpreter": None if self.interpreter is None else self.interpreter.to_json(),
            "machine": dict(self.machine),
            "fingerprint": dict(self.fingerprint),
            "launches": self.launches,
            "kinds": [kind.to_json() for kind in self.kinds],
            "variance": None if self.variance is None else self.variance.to_json(),
            "hazards": [hazard.to_json() for hazard in self.hazards],
            "losses": [loss_to_json(loss) for loss in self.losses],
            "fast_cores": self.fast_cores,
            "store": self.store,
        }


def loss_to_json(loss: Loss) -> dict[str, Any]:
    """The entry of ``losses`` in all schemas."""
    return {
        "kind": loss.kind,
        "text": loss.text,
        "traceback": loss.traceback,
        "launch": loss.launch,
        "group": loss.group,
        "block": loss.block,
        "treatment": loss.treatment,
        "worker_kind": loss.worker_kind,
        "workers": loss.workers,
        "worker": loss.worker,
        "rep": loss.rep,
    }
