"""What the store knows of a run besides its samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from knee.plan.cell import Law

Verb = Literal["run", "compare", "why"]
Status = Literal["running", "finished", "interrupted", "failed", "unfinished"]
Moment = Literal["before", "during", "after"]
Json = Mapping[str, Any]


@dataclass(frozen=True)
class RunRecord:
    """A run as it begins.

    Attributes:
        verb: the command that asked for it.
        created: seconds since the epoch.
        law: ``scaled``, every worker does the same work (Gustafson), or ``fixed``, they share it (Amdahl).
        seed: what every order of the run is drawn from; 0 to 2**63 - 1.
        workload: how lists name it.
        treatments: each treatment as JSON, with its interpreter.
        plan: the experiment as JSON; enough to go on with it.
        fingerprint: what the result depends on (``analysis.fingerprint``).
        machine: the machine as JSON; ``id`` in it tells machines apart.
        argv: the command line.
    """

    verb: Verb
    created: float
    law: Law
    seed: int
    workload: str
    treatments: tuple[Json, ...]
    plan: Json
    fingerprint: Json
    machine: Json
    argv: tuple[str, ...] = ()


@dataclass(frozen=True)
class StoredRun:
    """A run as it was found.

    Attributes:
        id: its number in the store.
        record: as it began.
        status: ``unfinished`` when the process that measured it died (killed, power).
        finished: seconds since the epoch; None while it is not.
        version: the version of Knee that made it.
        launches: how many launches ended well.
    """

    id: int
    record: RunRecord
    status: Status
    finished: float | None
    version: str
    launches: int

    @property
    def name(self) -> str:
        """What the user types to mean it."""
        return str(self.id)

    @property
    def resumable(self) -> bool:
        """Whether it can be gone on with: it did not finish, and is no search for causes, which starts anew."""
        return self.record.verb != "why" and self.status not in ("running", "finished")


@dataclass(frozen=True)
class LaunchRecord:
    """One launch of one group of treatments.

    Attributes:
        launch: its number in the run, from 0.
        group: the group of treatments that share its process, from 0.
        started: seconds since the epoch.
        ended: seconds since the epoch; None while it has not, or for a run that died.
        status: ``running``, ``ended``, or how it was lost.
        interpreter: what the agent says of the interpreter; None if it never spoke.
        facts: what else the agent reports at the end (calibration, GIL state, modules loaded...).
    """

    launch: int
    group: int
    started: float
    ended: float | None
    status: str
    interpreter: Json | None
    facts: Json | None
