"""Launching trials one by one: each in a fresh process, every block kept in the store.

The workers of one pool run alone, one after the other, and all together, in turn. The same thread with the same state
is so measured without the others and beside them, and what it drew for itself cancels: where a thread's stack and the
interpreter's code lie decides by itself how fast it is (the same loop was seen at 13 and at 22 ms in threads of one
process), and a pool of one would have drawn anew.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from knee.causes.seen import DISTURBED, Seen, agree, reduce, waiting
from knee.causes.trial import Trial
from knee.launch.host import Host, Lost
from knee.launch.sample import Loss, RepResult
from knee.plan.cell import CONTROL, Law
from knee.plan.experiment import treatment_to_json
from knee.plan.treatment import Treatment

KERNEL_TIME = 0.012
"""Seconds of the native control kernel in a pool."""

_PATIENCE = 6
"""Further reps that a pool may take until enough of them were calm."""


_LONG = 4.0
"""Reps that last longer than so many ``min_time`` are shortened."""


_ENOUGH = 0.6
"""Seconds after which no further rep of the same kind begins in its turn."""

_GATE = 8
"""Tries of a launch to meet a moment in which the kernel that shares nothing scales."""

_TWO_CORES = 1.2
"""How much longer the kernel may take beside another for two CPUs to count as two cores."""

_FULL_SPEED = 1.2
"""How much longer the kernel may take alone than at its fastest in this run."""

_MOMENT = 0.03
"""Seconds between two such tries."""

_ROUNDS = 2
"""Rounds of a pool: in each, all workers together and each alone have their turn, in drawn order."""

_FURTHER = 2
"""Further rounds at most, while a worker's reps alone are not alike."""

_SOLOISTS = 8
"""Workers of a pool that also run alone, at most; more would take long and tell little."""


class Sink(Protocol):
    """The part of the store that a search writes to."""

    def treatment(self, run: int, treatment: int, data: Mapping[str, Any]) -> None:
        """A treatment that came up during the run."""

    def launch_started(self, run: int, launch: int, group: int) -> None:
        """A process is about to start."""

    def launch_ended(
        self,
        run: int,
        launch: int,
        group: int,
        status: str,
        interpreter: Mapping[str, Any] | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        """It has ended."""

    def append_block(self, run: int, launch: int, group: int, block: int, reps: Sequence[RepResult]) -> None:
        """All reps of a block, in one transaction."""

    def loss(self, run: int, loss: Loss) -> None:
        """Something was not measured."""

    def event(self, run: int, kind: str, data: Mapping[str, Any] | None = None) -> None:
        """Something else that a reader may want to know."""


@dataclass(frozen=True)
class Setting:
    """What stays the same in all launches of a search.

    Attributes:
        base: the program as it is.
        workers: the greater worker count.
        law: ``scaled`` or ``fixed``.
        seed: orders are drawn from it.
        min_time: seconds that a rep with one worker lasts at least.
        reps: timed reps of a pool.
        native: whether the native library may be used.
    """

    base: Treatment
    workers: int
    law: Law
    seed: int
    min_time: float = 0.02
    reps: int = 2
    native: bool = True


Start = Callable[[Treatment, Trial], Host]
"""Starts the target of a launch."""


class Bench:
    """Where trials are launched.

    Args:
        setting: what stays the same.
        store: where everything goes.
        run: the run's number there.
        start: starts a target.
        probe: log efficiency of the kernel in this process, for commands, into which it does not reach.
        clock: seconds, monotonic.

    Attributes:
        own: whether the workload has threads of its own, beside its workers; None before the first launch.
        speeds: seconds that an iteration of the control kernel alone took, for each launch in which it ran.
    """

    def __init__(
        self,
        setting: Setting,
        store: Sink,
        run: int,
        start: Start,
        probe: Callable[[], float] = lambda: math.nan,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.setting = setting
        self.clock = clock
        self.launches = 0
        self.losses: list[tuple[Trial, Lost]] = []
        self.spent = 0.0
        self._store = store
        self._run = run
        self._start = start
        self._probe = probe
        self._numbers: dict[str, int] = {}
        self._calls = 0
        self._kernel = 0
        self.speeds: list[float] = []
        self._tries = _GATE
        self.own: bool | None = None

    def launch(self, trial: Trial) -> Seen | None:
        """Launch a trial once; None when it was lost (``losses`` says how)."""
        began = self.clock()
        number, launch = self._number(trial), self.launches
        self.launches += 1
        treatment = trial.treatment(self.setting.base)
        draw = random.Random(f"{self.setting.seed}/{launch}")
        reps: list[RepResult] = []
        facts: dict[str, Any] = {}
        status = "ended"
        interpreter: Mapping[str, Any] | None = None
        self._store.launch_started(self._run, launch, number)
        host = self._start(treatment, trial)
        try:
            interpreter = host.start()
            self._calibrate(host, trial, interpreter)
            if trial.kind == "command":
                counts = [1, self.setting.workers]
                draw.shuffle(counts)
                for count in counts:
                    self._commands(host, trial, count, number, reps, facts)
            else:
                self._pool(host, trial, number, reps, facts, draw)
            self._store.append_block(self._run, launch, number, 0, reps)
        except Lost as lost:
            status = lost.kind
            self.losses.append((trial, lost))
            self._store.loss(self._run, _loss(lost, launch, number, trial))
            if reps:
                self._store.append_block(self._run, launch, number, 0, reps)
            return None
        except KeyboardInterrupt:
            status = "interrupted"
            raise
        finally:
            host.stop()
            self._store.launch_ended(self._run, launch, number, status, interpreter, facts)
            self.spent += self.clock() - began
        facts["interpreter"] = dict(interpreter)
        found = reduce(trial, launch, reps, self.setting.workers, self.setting.law, facts)
        return found if found is None or trial.kind != "command" else replace(found, ceiling=self._probe())

    def scout(
        self, trial: Trial, reps: int = 2, longer: int = 10
    ) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
        """Launch a trial whose arm looks at the workers while they run: nothing of it is timed.

        Args:
            trial: with the scout's arm.
            reps: watched reps with all workers; there is one with one worker.
            longer: how much longer than a timed rep each lasts, since looking is slow.

        Returns:
            what the arm said at the end of the greater pool; and what it saw in each watched rep, those with one
            worker first.

        Raises:
            Lost: it came to nothing.
        """
        number, launch = self._number(trial), self.launches
        self.launches += 1
        self._store.launch_started(self._run, launch, number)
        host = self._start(trial.treatment(self.setting.base), trial)
        watched: list[Mapping[str, Any]] = []
        told: Mapping[str, Any] = {}
        status = "ended"
        interpreter = None
        try:
            interpreter = host.start()
            # The greater pool first: what its workers write shows best where nobody wrote before.
            for count in (self.setting.workers, 1):
                host.open("threads", count, [0])
                for _ in range(reps if count > 1 else 1):
                    _, seen = host.watch(0, max(1, self._calls * longer))  # type: ignore[attr-defined]
                    watched.append(seen)
                told = host.close().get("arm") or {}
        except Lost as lost:
            status = lost.kind
            self._store.loss(self._run, _loss(lost, launch, number, trial))
            raise
        finally:
            host.stop()
            self._store.launch_ended(
                self._run, launch, number, status, interpreter, {"arm": told, "watched": watched}
            )
        return told, watched

    def _pool(
        self,
        host: Host,
        trial: Trial,
        number: int,
        reps: list[RepResult],
        facts: dict[str, Any],
        draw: random.Random,
    ) -> None:
        """All workers together and each alone, in turn, the kernel that shares nothing before and after."""
        workers = self.setting.workers
        host.open(trial.kind, workers, [0])
        alone = draw.sample(range(workers), min(workers, _SOLOISTS))
        if self._kernel:
            # Before the workload, whose own threads may outlast its calls.
            self._gate(host, trial, reps, alone[0])
        for turn in (None, *alone):
            self._reps(host, trial, number, reps, turn, wanted=1, most=1, warmup=True)
        if self.own is None:
            self.own = trial.kind == "threads" and (host.threads() or 0) > workers + 1  # type: ignore[attr-defined]
        if self.own and trial.kind == "threads":
            self._pools(host, trial, number, reps, facts)
            return
        first = len(reps)
        for turns in range(_ROUNDS + _FURTHER):
            if turns >= _ROUNDS and all(
                agree([rep for rep in reps[first:] if rep.workers == 1 and rep.samples[0].worker == worker])
                for worker in alone
            ):
                break
            for turn in draw.sample([None, *alone], len(alone) + 1):
                wanted = self.setting.reps // _ROUNDS
                self._reps(host, trial, number, reps, turn, wanted, most=wanted + _PATIENCE // _ROUNDS)
        if self._kernel:
            self._control(host, trial, reps, alone[-1])
        facts.update(host.close())

    def _pools(
        self, host: Host, trial: Trial, number: int, reps: list[RepResult], facts: dict[str, Any]
    ) -> None:
        """All workers of the pool together, then the one of a pool of its own.

        Where workers have threads of their own, as OpenMP's have, those of idle workers still count: how long they spin
        is decided by how many there are, and a worker beside idle ones is not what one worker is.
        """
        wanted, most = self.setting.reps, self.setting.reps + _PATIENCE
        self._reps(host, trial, number, reps, None, wanted, most)
        if self._kernel:
            self._control(host, trial, reps, 0)
        facts.update(host.close())
        host.open(trial.kind, 1, [0])
        self._reps(host, trial, number, reps, 0, wanted=1, most=1, warmup=True)
        self._reps(host, trial, number, reps, 0, wanted, most)
        host.close()

    def _commands(
        self, host: Host, trial: Trial, count: int, number: int, reps: list[RepResult], facts: dict[str, Any]
    ) -> None:
        """The command at one worker count; its workers are its own, and none can run alone beside the others."""
        host.open(trial.kind, count, [0])
        turn = None if count > 1 else 0
        self._reps(host, trial, number, reps, turn, wanted=1, most=1, warmup=True)
        wanted = self.setting.reps
        self._reps(host, trial, number, reps, turn, wanted, most=wanted + _PATIENCE)
        facts.update(host.close())

    def _gate(self, host: Host, trial: Trial, reps: list[RepResult], alone: int) -> None:
        """Let a moment pass in which the cores are not two, or slower than they were.

        Virtual CPUs may share one core for a second or so, with each other or with another machine's.

        Only the last try counts, the others are kept as warm-up; if it fails too, the launch shows it by its ceiling.
        """
        for tries in range(self._tries):
            first = len(reps)
            self._control(host, trial, reps, alone)
            beside, single = (
                min(r.time for r in reps[first:] if (r.workers > 1) == several) for several in (True, False)
            )
            each = single / self._kernel
            fastest = min(each, *self.speeds) if self.speeds else each
            last = tries == self._tries - 1
            if last or (beside <= _TWO_CORES * single and each <= _FULL_SPEED * fastest):
                # Where waiting is in vain, it is soon given up.
                self._tries = max(_GATE // 4, self._tries // 2) if last else _GATE
                self.speeds.append(each)
                return
            reps[first:] = [replace(rep, warmup=True) for rep in reps[first:]]
            time.sleep(_MOMENT)

    def _control(self, host: Host, trial: Trial, reps: list[RepResult], alone: int) -> None:
        for turn in (None, alone):
            self._reps(host, trial, CONTROL, reps, turn, wanted=1, most=_PATIENCE)

    def _reps(
        self,
        host: Host,
        trial: Trial,
        treatment: int,
        reps: list[RepResult],
        alone: int | None,
        wanted: int,
        most: int,
        warmup: bool = False,
    ) -> None:
        """Run reps until enough were calm: no worker had to wait for a CPU that something else had.

        Args:
            alone: the worker that runs while the others are idle; None for all of them.
        """
        control = treatment == CONTROL
        count = self.setting.workers if alone is None else 1
        calm, spent = 0, 0.0
        calls = self._kernel if control else self._calls
        before = [rep for rep in reps if rep.workers == count and rep.treatment != CONTROL]
        if not control and before:
            # Where workers hold each other up by much, a few calls tell as much in less time.
            one = before[-1].time / max(1, before[-1].samples[0].calls)
            calls = max(1, min(calls, math.ceil(_LONG * self.setting.min_time / one)))
        for _ in range(most):
            samples, printed = host.rep(CONTROL if control else 0, calls, probe=False, alone=alone)
            rep = RepResult(
                block=0,
                position=len(reps),
                treatment=treatment,
                kind=trial.kind,
                workers=count,
                warmup=warmup,
                samples=samples,
                printed=printed,
            )
            reps.append(rep)
            spent += rep.time
            calm += waiting(rep) <= DISTURBED
            if calm >= wanted or spent > _ENOUGH:
                break

    def _number(self, trial: Trial) -> int:
        """The trial's number among the run's treatments; a new one is stored."""
        if trial.label not in self._numbers:
            number = self._numbers[trial.label] = len(self._numbers)
            if number:
                data = treatment_to_json(trial.treatment(self.setting.base))
                self._store.treatment(self._run, number, {**data, "kind": trial.kind, "step": trial.step})
        return self._numbers[trial.label]

    def _calibrate(self, host: Host, trial: Trial, interpreter: Mapping[str, Any]) -> None:
        """Find the calls per rep once; the kernel's iterations follow the speed of each launch's core."""
        speed = interpreter.get("speed")
        self._kernel = math.ceil(speed * KERNEL_TIME) if speed and self.setting.native else 0
        if self._calls:
            return
        if trial.kind == "command":
            self._calls = 1
            return
        host.open(trial.kind, 1, [0])
        calls, took = 1, 0.0
        while True:
            samples, _ = host.rep(0, calls, probe=False)
            took = (samples[0].end - samples[0].start) / 1e9
            if took >= self.setting.min_time:
                break
            calls = min(calls * 10, math.ceil(calls * 1.2 * self.setting.min_time / max(took, 1e-9)))
        host.close()
        self._calls = calls
        self._store.event(self._run, "calibrated", {"calls": calls, "time": took})


def _loss(lost: Lost, launch: int, number: int, trial: Trial) -> Loss:
    return Loss(
        launch=launch,
        group=number,
        block=0,
        kind=lost.kind,
        text=f"{trial.label}: {lost.text}",
        traceback=lost.traceback,
        worker=lost.worker,
        treatment=number,
        worker_kind=trial.kind,
    )
