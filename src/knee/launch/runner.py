"""Carrying a plan out: launches one after the other, every block stored as it ends, until a rule says stop."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from knee.launch.host import Host, Lost
from knee.launch.interrupt import held
from knee.launch.sample import Loss, RepResult
from knee.plan import content, design
from knee.plan.cell import CONTROL, Block, Kind, Pool, Rep
from knee.plan.experiment import Experiment
from knee.plan.treatment import Treatment

LOADING = "load: "
"""How the text of a loss begins when the workload does not load."""
_LOST_IN_A_ROW = 3
_MOST_CALLS = 10**15
"""Calls that nothing makes in a rep: a workload that is asked for more does not do what it is asked for."""
_CONTROL_TIME = 0.02
"""Seconds of the native control in a pool: long against the start's spread, short against the reps."""


class Sink(Protocol):
    """The part of the store that a run in progress writes to."""

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
class Progress:
    """How far a run is.

    Attributes:
        launches: launches that ended.
        expected: launches that the stopping rule expects in all; None while it cannot tell.
        elapsed: seconds since the run began.
        budget: seconds that it may take.
        doing: what runs now, for people.
    """

    launches: int
    expected: int | None
    elapsed: float
    budget: float
    doing: str


@dataclass(frozen=True)
class Decision:
    """What the stopping rule says after a launch."""

    stop: bool
    expected: int | None = None


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Attributes:
        status: ``finished``; ``interrupted`` by the user; ``failed``: the workload raised or does not load, or launch
            after launch was lost.
        failure: what ended a failed run.
    """

    status: Literal["finished", "interrupted", "failed"]
    failure: Loss | None = None


Start = Callable[[Experiment, Sequence[Treatment]], Host]


class Failure(Exception):
    """The run cannot go on; carries the loss that says why."""

    def __init__(self, loss: Loss) -> None:
        super().__init__(loss.text)
        self.loss = loss


class Runner:
    """One run in progress.

    Args:
        experiment: what is measured.
        store: where it goes.
        run: the run's id in the store.
        start: starts the target of a launch for some of the treatments.
        decide: the stopping rule, asked after each launch that ended well, from the ``minimum`` on.
        progress: told before each pool.
        clock: seconds, monotonic.
        first: number of the first launch (a resumed run goes on where it stopped).
    """

    def __init__(
        self,
        experiment: Experiment,
        store: Sink,
        run: int,
        *,
        start: Start,
        decide: Callable[[int, float], Decision],
        progress: Callable[[Progress], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
        first: int = 0,
    ) -> None:
        self._experiment = experiment
        self._store = store
        self._run = run
        self._start = start
        self._decide = decide
        self._progress = progress
        self._clock = clock
        self._first = first
        self._began = clock()
        self._done = 0
        self._expected: int | None = experiment.launches
        self._kinds = list(experiment.kinds)
        self._control_calls = 0
        self._outputs: dict[int, Mapping[str, Any] | None] = {}

    def measure(self) -> Outcome:
        """Launch until the rule, the budget or a failure ends it. Ctrl-C ends it too, with all that was measured."""
        lost = 0
        loss: Loss | None = None
        try:
            for number in itertools.count(self._first):
                if self._enough(number):
                    nothing = loss is not None and self._done == 0 and self._first == 0
                    return Outcome("failed", loss) if nothing else Outcome("finished")
                loss = self._launch(number)
                if loss is None:
                    lost = 0
                    self._done += 1
                    continue
                lost += 1
                if loss.kind == "raised" or loss.text.startswith(LOADING) or lost == _LOST_IN_A_ROW:
                    return Outcome("failed", loss)
        except KeyboardInterrupt:
            return Outcome("interrupted")
        except Failure as failure:
            return Outcome("failed", failure.loss)
        raise AssertionError("itertools.count ended")

    def _enough(self, number: int) -> bool:
        experiment = self._experiment
        if experiment.launches is not None:
            return number >= experiment.launches
        if number < experiment.minimum:
            return False
        elapsed = self._clock() - self._began
        # A launch that would end further past the budget than the budget is away is not begun.
        if elapsed + elapsed / max(1, self._done) / 2 >= experiment.budget:
            return True
        decision = self._decide(number, elapsed)
        self._expected = decision.expected
        return decision.stop

    def _launch(self, number: int) -> Loss | None:
        """Run one launch, all its groups; returns what ended it early, if anything did."""
        for group in design.launch(self._experiment, number, tuple(self._kinds)):
            loss = self._group(number, group)
            if loss is not None:
                return loss
        return None

    def _group(self, number: int, group: design.Group) -> Loss | None:
        experiment, store, run = self._experiment, self._store, self._run
        treatments = [
            experiment.treatments[t if t < len(experiment.treatments) else 0] for t in group.treatments
        ]
        host = self._start(experiment, treatments)
        store.launch_started(run, number, group.number)
        interpreter: Mapping[str, Any] | None = None
        facts: list[Mapping[str, Any]] = []
        status = "ended"
        done: list[RepResult] = []
        block: Block | None = None
        at: tuple[Pool, Rep] | None = None
        try:
            interpreter = host.start()
            self._calibrate(host, interpreter, len(treatments))
            for block in group.blocks:
                done = []
                for pool in block.pools:
                    if pool.kind not in self._kinds:
                        continue
                    at = (pool, pool.reps[0])
                    self._tell(pool)
                    reps: list[RepResult] = []
                    try:
                        host.open(
                            pool.kind, pool.workers, [group.treatments.index(t) for t in pool.treatments]
                        )
                        self._compare_outputs(host, group)
                        for rep in pool.reps:
                            if rep.treatment == CONTROL and not self._control_calls:
                                continue
                            at = (pool, rep)
                            reps.append(self._rep(host, group, block, pool, rep, len(done) + len(reps)))
                        facts.append(host.close())
                    except Lost as lost:
                        if lost.kind != "unavailable":
                            raise
                        self._drop(pool.kind, self._loss(lost, number, group, block, at))
                        continue
                    done += reps
                with held():  # an interrupt in between would store the block twice, or not at all
                    store.append_block(run, number, group.number, block.index, done)
                    done = []
        except Lost as lost:
            status = lost.kind
            loss = self._loss(lost, number, group, block, at)
            store.loss(run, loss)
            return loss
        except KeyboardInterrupt:
            status = "interrupted"
            raise
        finally:
            with held():
                if done and block is not None:
                    store.append_block(run, number, group.number, block.index, done)
                host.stop()
                store.launch_ended(run, number, group.number, status, interpreter, _merge(facts))
        return None

    def _rep(
        self, host: Host, group: design.Group, block: Block, pool: Pool, rep: Rep, position: int
    ) -> RepResult:
        control = rep.treatment == CONTROL
        calls = self._control_calls if control else self._experiment.calls or 1
        number = CONTROL if control else group.treatments.index(rep.treatment)
        shares = None
        if pool.kind == "command":
            # One process is one call; where each of the command's own workers does the same work, it is one for each.
            calls *= pool.workers if self._experiment.law == "scaled" else 1
        elif self._experiment.law == "fixed" and not control:
            shares = share_out(calls, pool.workers)
        samples, printed = host.rep(number, calls, probe=self._experiment.native, shares=shares)
        return RepResult(
            block=block.index,
            position=position,
            treatment=rep.treatment,
            kind=pool.kind,
            workers=pool.workers,
            warmup=rep.warmup,
            samples=samples,
            printed=printed,
        )

    def _compare_outputs(self, host: Host, group: design.Group) -> None:
        """Ask each treatment once what it returns; different results are no comparison of speed.

        In one process the agent compares with the first; across processes their digests are compared here.

        Raises:
            Lost: a treatment returns something else than the first.
        """
        if not self._experiment.outputs or group.treatments[0] in self._outputs:
            return
        answer = host.outputs(range(len(group.treatments)))
        together = not self._outputs
        for treatment, digest, same in zip(group.treatments, answer["digests"], answer["same"], strict=True):
            self._outputs[treatment] = digest
            number, first = next(iter(self._outputs.items()))
            if digest is None or first is None or (together and same):
                continue
            if digest["digest"] != first["digest"] or (together and same is False):
                name, other = self._experiment.label(treatment), self._experiment.label(number)
                text = f"{name} returned {digest['repr']} and {other} {first['repr']} (--outputs-differ allows it)"
                raise Lost("raised", text, where="outputs")
        self._store.event(
            self._run, "outputs", {str(number): found for number, found in self._outputs.items()}
        )

    def _calibrate(self, host: Host, interpreter: Mapping[str, Any], treatments: int) -> None:
        """Find the calls per rep, once per run; the control's iterations follow each launch's measured speed."""
        experiment = self._experiment
        speed = interpreter.get("speed")
        self._control_calls = math.ceil(speed * min(_CONTROL_TIME, experiment.min_time)) if speed else 0
        if experiment.calls is not None:
            return
        kind = self._kinds[0]
        if kind == "command":
            self._experiment = experiment.calibrated(1)
            return
        host.open(kind, 1, range(treatments))
        calls, tries = 1, []
        while True:
            shares = [calls] if experiment.law == "fixed" else None
            took = 0.0
            for treatment in range(treatments):
                samples, _ = host.rep(treatment, calls, probe=False, shares=shares)
                took = max(took, (samples[0].end - samples[0].start) / 1e9)
            tries.append((calls, took))
            if took >= experiment.min_time:
                break
            if calls >= _MOST_CALLS:
                text = f"{calls:.0e} calls took {took:.1g} s: operation(state, share) must work through its share"
                raise Lost("raised", text, where="calibration")
            # Aim a little beyond; never grow by more than 10 on the word of a rep that may have been cold.
            calls = min(calls * 10, math.ceil(calls * 1.2 * experiment.min_time / max(took, 1e-9)))
        host.close()
        if experiment.law == "fixed":
            calls = divisible(calls, experiment.workers)
        reps = experiment.reps_of(took)
        self._experiment = experiment.calibrated(calls, reps)
        self._store.event(self._run, "calibrated", {"calls": calls, "reps": reps, "tries": tries})

    def _drop(self, kind: Kind, loss: Loss) -> None:
        self._store.loss(self._run, loss)
        self._kinds.remove(kind)
        if not self._kinds:
            raise Failure(loss)

    def _loss(
        self, lost: Lost, number: int, group: design.Group, block: Block | None, at: tuple[Pool, Rep] | None
    ) -> Loss:
        pool, rep = at or (None, None)
        return Loss(
            launch=number,
            group=group.number,
            block=None if block is None else block.index,
            kind=lost.kind,
            text=f"{lost.where}: {lost.text}" if lost.where not in ("", "rep") else lost.text,
            traceback=lost.traceback,
            worker=lost.worker,
            treatment=None if rep is None or rep.treatment == CONTROL else rep.treatment,
            workers=None if pool is None else pool.workers,
            worker_kind=None if pool is None else pool.kind,
            rep=None if pool is None or rep is None else pool.reps.index(rep),
        )

    def _tell(self, pool: Pool) -> None:
        self._progress(
            Progress(
                launches=self._done,
                expected=self._expected,
                elapsed=self._clock() - self._began,
                budget=self._experiment.budget,
                doing=f"{pool.workers} {pool.kind}",
            )
        )


def share_out(total: int, workers: int) -> list[int]:
    """Divide ``total`` calls among ``workers`` as evenly as whole numbers allow."""
    base, extra = divmod(total, workers)
    return [base + (index < extra) for index in range(workers)]


def divisible(calls: int, workers: Sequence[int]) -> int:
    """Round ``calls`` up so that every worker count divides it, unless that would more than double the work."""
    step = math.lcm(*workers)
    rounded = -(-calls // step) * step
    return rounded if rounded <= 2 * calls else max(calls, *workers)


def _merge(facts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Join what the pools of a launch told at their end: the last word counts, GIL states and files are gathered."""
    merged: dict[str, Any] = {}
    states: list[Any] = []
    used: dict[str, str | None] = {}
    for fact in facts:
        merged.update(fact)
        states += fact.get("gil") or []
        used.update((path, content.digest(path)) for path in fact.get("used") or () if path not in used)
    if facts:
        merged["gil"] = states
        merged["used"] = used
    return merged
