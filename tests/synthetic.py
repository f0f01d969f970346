"""Stores that look as if something had been measured: launches of a made-up machine with a known curve."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from knee.launch.sample import RepResult, WorkerSample
from knee.plan.cell import CONTROL, Kind, Law
from knee.store.database import Store
from knee.store.record import RunRecord, Status

TREATMENT: Mapping[str, Any] = {
    "label": "bench.py:operation",
    "workload": {"form": "callable", "file": "bench.py", "name": "operation"},
    "python": "python3.13t",
    "env": {},
    "arm": None,
    "loader": "import",
}

MACHINE: Mapping[str, Any] = {
    "id": "made-up",
    "system": {"name": "linux", "architecture": "x86_64"},
    "useful_workers": {"count": 4, "why": "4 cores, all of one speed"},
}

INTERPRETER: Mapping[str, Any] = {
    "version": "3.13.5",
    "implementation": "CPython",
    "executable": "python3.13t",
    "free_threaded": True,
    "gil": False,
}


def amdahl(serial: float) -> Callable[[int], float]:
    """A curve with a serial share."""
    return lambda workers: 1 / (serial + (1 - serial) / workers)


def perfect(workers: int) -> float:
    """The ideal line."""
    return float(workers)


@dataclass
class Synthetic:
    """A made-up run.

    Attributes:
        curves: speedup by worker count, for each kind.
        lottery: speedup's factor by launch, above one worker (for modes).
        within: standard deviation of log time inside a launch.
        between: the same between launches, common to a launch's cells above one worker.
        second: seconds of a rep at one worker.
    """

    curves: Mapping[str, Callable[[int], float]] = field(default_factory=lambda: {"threads": amdahl(0.2)})
    workers: Sequence[int] = (1, 2, 4)
    launches: int = 8
    blocks: int = 1
    reps: int = 2
    law: Law = "scaled"
    calls: int = 1000
    second: float = 0.1
    within: float = 0.01
    between: float = 0.01
    lottery: Callable[[int], float] = lambda launch: 1.0
    control: bool = True
    printed: int = 0
    seed: int = 1
    status: Status | None = "finished"
    workload: str = "bench.py:operation"
    machine: Mapping[str, Any] = field(default_factory=lambda: MACHINE)
    fingerprint: Mapping[str, Any] = field(default_factory=dict)
    interpreter: Mapping[str, Any] | None = field(default_factory=lambda: INTERPRETER)
    facts: Mapping[str, Any] = field(
        default_factory=lambda: {"gil": [False, False], "modules": [], "used": []}
    )
    phases: Mapping[str, float] = field(default_factory=dict)

    def record(self) -> RunRecord:
        """The run as it begins."""
        return RunRecord(
            verb="run",
            created=1_700_000_000.0,
            law=self.law,
            seed=self.seed,
            workload=self.workload,
            treatments=(TREATMENT,),
            plan={
                "kinds": list(self.curves),
                "workers": list(self.workers),
                "precision": 0.03,
                "budget": 60.0,
            },
            fingerprint=self.fingerprint,
            machine=self.machine,
            argv=("knee", "run", self.workload),
        )

    def into(self, store: Store) -> int:
        """Add the run to a store and return its number."""
        run = store.begin(self.record())
        draw = random.Random(self.seed)
        for launch in range(self.launches):
            store.launch_started(run, launch, 0)
            luck = math.exp(draw.gauss(0, self.between))
            for block in range(self.blocks):
                store.append_block(run, launch, 0, block, self._block(draw, launch, block, luck))
            store.launch_ended(run, launch, 0, "ended", self.interpreter, self.facts)
        if self.status is not None:
            store.finish(run, self.status)
        return run

    def _block(self, draw: random.Random, launch: int, block: int, luck: float) -> list[RepResult]:
        found: list[RepResult] = []
        cells = [(kind, n) for kind in self.curves for n in self.workers]
        draw.shuffle(cells)
        clock = 1_000_000_000_000 * (launch + 1)
        for kind, workers in cells:
            treatments = [0] + [0] * self.reps + [CONTROL] * self.control
            for place, treatment in enumerate(treatments):
                speedup = float(workers) if treatment == CONTROL else self.curves[kind](workers)
                if workers > 1 and treatment != CONTROL:
                    speedup *= luck * self.lottery(launch)
                time = self.second / speedup * math.exp(draw.gauss(0, self.within))
                if self.law == "scaled" or treatment == CONTROL:
                    time *= workers
                rep = self._rep(draw, kind, workers, treatment, place == 0, block, len(found), clock, time)
                clock = max(sample.end for sample in rep.samples) + 1_000_000
                found.append(rep)
        return found

    def _rep(
        self,
        draw: random.Random,
        kind: str,
        workers: int,
        treatment: int,
        warmup: bool,
        block: int,
        position: int,
        clock: int,
        time: float,
    ) -> RepResult:
        nanoseconds = round(time * 1e9)
        share = self.calls // workers if self.law == "fixed" and treatment != CONTROL else self.calls
        samples = tuple(
            WorkerSample(
                worker=worker,
                start=clock + draw.randrange(100),
                end=clock + nanoseconds - (0 if worker == 0 else draw.randrange(1000)),
                calls=share,
                user=nanoseconds * 9 // 10,
                system=nanoseconds // 20,
                cpu=nanoseconds * 19 // 20,
                voluntary=draw.randrange(5),
                involuntary=draw.randrange(3),
                wait=nanoseconds // 100,
                cpu_start=worker,
                cpu_end=worker,
                speed_before=1e9 * draw.uniform(0.99, 1.01),
                speed_after=1e9,
                phases={name: (share, round(nanoseconds * part)) for name, part in self.phases.items()},
            )
            for worker in range(workers)
        )
        name: Kind = kind  # type: ignore[assignment]
        return RepResult(block, position, treatment, name, workers, warmup, samples, self.printed, clock)
