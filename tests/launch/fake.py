"""A launch without a process: a fake clock, programmable speeds and accidents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from knee.launch.host import Lost
from knee.launch.runner import Runner
from knee.launch.sample import Loss, RepResult, WorkerSample
from knee.plan.cell import CONTROL, Kind
from knee.plan.experiment import Experiment, treatment_to_json
from knee.plan.treatment import Treatment
from knee.session import rule
from knee.store.database import Store
from knee.store.record import RunRecord


class Clock:
    """Seconds that pass only when something takes time."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class FakeHost:
    """Takes ``cost(treatment, kind, workers)`` seconds per call of each worker; ``trouble`` may raise ``Lost``."""

    def __init__(
        self,
        clock: Clock,
        log: list[tuple[Any, ...]],
        cost: Callable[[int, str, int], float],
        trouble: Callable[[tuple[Any, ...]], None],
        speed: float | None,
    ) -> None:
        self._clock, self._log, self._cost, self._trouble, self._speed = clock, log, cost, trouble, speed
        self._kind, self._workers = "threads", 1
        self.phases: Mapping[int, Mapping[str, float]] = {}

    def _did(self, *what: Any) -> None:
        self._log.append(what)
        self._trouble(what)

    def start(self) -> Mapping[str, Any]:
        self._did("start")
        return {"version": "3.13.5", "speed": self._speed}

    def open(self, kind: Kind, workers: int, wanted: Sequence[int]) -> None:
        self._kind, self._workers = kind, workers
        self._did("open", kind, workers, tuple(wanted))

    def rep(
        self,
        treatment: int,
        calls: int,
        *,
        probe: bool,
        shares: Sequence[int] | None = None,
        alone: int | None = None,
    ) -> tuple[tuple[WorkerSample, ...], int]:
        beside = self._workers if alone is None else 1
        self._did("rep", self._kind, beside, treatment, calls, None if shares is None else tuple(shares))
        start = round(self._clock.now * 1e9)
        cost = 1e-9 if treatment == CONTROL else self._cost(treatment, self._kind, beside)
        samples = []
        for worker in range(self._workers) if alone is None else (alone,):
            mine = calls if shares is None else shares[worker]
            took = max(1, round(mine * cost * 1e9))
            parts = {} if treatment == CONTROL else self.phases.get(treatment, {})
            phases = {name: (mine, round(took * share)) for name, share in parts.items()}
            samples.append(WorkerSample(worker, start, start + took, mine, phases=phases))
        self._clock.now += max(s.end - s.start for s in samples) / 1e9
        return tuple(samples), 0

    def outputs(self, wanted: Sequence[int]) -> Mapping[str, Any]:
        self._did("outputs", tuple(wanted))
        digest = {"digest": "d", "how": "pickle", "repr": "1"}
        return {"digests": [digest for _ in wanted], "same": [True for _ in wanted]}

    def close(self) -> Mapping[str, Any]:
        self._did("close")
        return {"gil": [False] * self._workers}

    def stop(self) -> None:
        self._log.append(("stop",))


class FakeSink:
    """A store that only remembers."""

    def __init__(self) -> None:
        self.blocks: list[tuple[int, int, int, list[RepResult]]] = []
        self.losses: list[Loss] = []
        self.events: list[tuple[str, Any]] = []
        self.launches: list[tuple[Any, ...]] = []

    def launch_started(self, run: int, launch: int, group: int) -> None:
        self.launches.append(("started", launch, group))

    def launch_ended(
        self,
        run: int,
        launch: int,
        group: int,
        status: str,
        interpreter: Mapping[str, Any] | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        self.launches.append(("ended", launch, group, status, interpreter, facts))

    def append_block(self, run: int, launch: int, group: int, block: int, reps: Sequence[RepResult]) -> None:
        self.blocks.append((launch, group, block, list(reps)))

    def loss(self, run: int, loss: Loss) -> None:
        self.losses.append(loss)

    def event(self, run: int, kind: str, data: Mapping[str, Any] | None = None) -> None:
        self.events.append((kind, data))


def raising(
    kind: Any, on: Callable[[tuple[Any, ...]], bool], **where: Any
) -> Callable[[tuple[Any, ...]], None]:
    """Trouble of one kind whenever ``on`` holds for what is being done."""

    def trouble(what: tuple[Any, ...]) -> None:
        if on(what):
            raise Lost(kind, "as told", **where)

    return trouble


def measure(
    store: Store,
    experiment: Experiment,
    cost: Callable[[int, str, int], float],
    phases: Mapping[int, Mapping[str, float]] | None = None,
) -> int:
    """Carry an experiment out on fake launches into a real store; returns the run's number."""
    run = store.begin(
        RunRecord(
            verb=experiment.verb,
            created=1.0,
            law=experiment.law,
            seed=experiment.seed,
            workload=experiment.treatments[0].label,
            treatments=tuple(treatment_to_json(t) for t in experiment.treatments),
            plan=experiment.to_json(),
            fingerprint={},
            machine={},
        )
    )
    clock = Clock()

    def start(_: Experiment, __: Sequence[Treatment]) -> FakeHost:
        host = FakeHost(clock, [], cost, lambda _: None, 1e9)
        host.phases = phases or {}
        return host

    decide = rule(experiment, lambda: store.reps(run))
    outcome = Runner(experiment, store, run, start=start, decide=decide, clock=clock).measure()
    store.finish(run, outcome.status)
    return run
