"""What one launch of a trial showed: its scaling, and where the workers' time went."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from knee.causes.trial import Trial
from knee.launch.sample import RepResult, WorkerSample
from knee.plan.cell import CONTROL, Law

PARTS = ("user", "system", "wait", "blocked")
"""Where a worker's time goes: running in user mode, in the kernel, waiting for a CPU, blocked."""

DISTURBED = 0.04
"""A rep in which a worker waited for a CPU for a greater share of the time, than in the calmest, was disturbed."""

ALIKE = 1.1
"""Reps of one worker alone whose times differ by no more are alike."""


@dataclass(frozen=True)
class Split:
    """Seconds per call of one worker, by where they were spent; ``faults`` and ``switches`` are counts per call."""

    time: float
    user: float
    system: float
    wait: float
    blocked: float
    faults: float
    switches: float

    def part(self, name: str) -> float:
        """The seconds of one part."""
        return float(getattr(self, name))


@dataclass(frozen=True)
class Seen:
    """One launch of a trial, reduced.

    Attributes:
        trial: what was launched.
        launch: its number in the run.
        efficiency: log of n T1 / Tn (scaled law) or T1 / (n Tn) ... of what one worker would make of it; 0 is ideal.
        one, many: the split with one worker, and with all.
        ceiling: the same log efficiency of the native kernel that shares nothing; NaN where it did not run.
        calm: whether there was a rep in which no worker had to wait long for a CPU.
        facts: what the agent told at the end of the pools, and the interpreter's facts at its start.
    """

    trial: Trial
    launch: int
    efficiency: float
    one: Split
    many: Split
    ceiling: float = math.nan
    calm: bool = True
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def slowdown(self) -> float:
        """Time of a worker's unit of work beside the others, over its time alone: 1 is ideal."""
        return math.exp(-self.efficiency)

    @property
    def check(self) -> Mapping[str, Any]:
        """What the arm said of itself."""
        found: Mapping[str, Any] = self.facts.get("arm") or {}
        return found


def reduce(
    trial: Trial, launch: int, reps: Sequence[RepResult], workers: int, law: Law, facts: Mapping[str, Any]
) -> Seen | None:
    """Reduce the reps of a launch; None if there are none of all workers, or none of a worker alone.

    The pool's time with all workers is held against that of its slowest worker alone: without any sharing they would
    be the same, however unlike the workers are by what each has drawn.
    """
    mine = [rep for rep in reps if not rep.warmup and rep.treatment != CONTROL]
    alone: dict[int, list[RepResult]] = {}
    for rep in mine:
        if rep.workers == 1:
            alone.setdefault(rep.samples[0].worker, []).append(rep)
    calmest = {worker: _calm(own) for worker, own in alone.items()}
    one = [rep for own in calmest.values() for rep in own]
    many = _calm([rep for rep in mine if rep.workers == workers])
    if not one or not many:
        return None
    single, several = max(map(_typical, calmest.values())), _typical(many)
    commands = one[0].kind == "command"
    if law == "fixed" and commands:
        efficiency = math.log(single / (several * workers))
    elif commands:
        efficiency = math.log(single / several)
    else:
        # Time of one call by one worker; under either law a worker's own calls are counted.
        efficiency = math.log(single / several)
    controls = [rep for rep in reps if rep.treatment == CONTROL and not rep.warmup]
    kernel = [_unit(rep) for rep in controls if rep.workers == 1]
    beside = [_unit(rep) for rep in controls if rep.workers == workers]
    ceiling = math.log(fmean(kernel) / fmean(beside)) if kernel and beside else math.nan
    calm = min(map(waiting, many)) <= 2 * DISTURBED
    return Seen(trial, launch, efficiency, _split(one), _split(many), ceiling, calm, facts)


def _unit(rep: RepResult) -> float:
    """Seconds per call, from the first worker's start to the last one's end."""
    return rep.time / max(1, *(sample.calls for sample in rep.samples))


def _typical(reps: Sequence[RepResult]) -> float:
    """Mean of the faster half: what disturbs a rep from outside only ever makes it longer."""
    times = sorted(map(_unit, reps))
    return fmean(times[: max(1, len(times) // 2)])


def agree(reps: Sequence[RepResult]) -> bool:
    """Whether the two fastest of a worker's reps alone are alike.

    What another guest does on a core's other hyperthread halves its speed for a tenth of a second or for minutes, and
    shows in no counter: two alike are taken for its full speed.
    """
    times = sorted(map(_unit, reps))
    return len(times) > 1 and times[1] <= ALIKE * times[0]


def waiting(rep: RepResult) -> float:
    """The greatest share of its time that a worker could run and had no CPU."""
    return max(_without(sample) / max(1, sample.end - sample.start) for sample in rep.samples)


def _without(sample: WorkerSample) -> int:
    """Nanoseconds without a CPU that the worker did not choose.

    The run queue's delay; and, for a worker that never gave its CPU away, all the time that it did not run: a
    hypervisor took it, or the scheduler's limit on real-time tasks.
    """
    wait = sample.wait or 0
    if sample.voluntary == 0 and sample.cpu is not None:
        return max(wait, sample.end - sample.start - sample.cpu)
    return wait


def _calm(reps: Sequence[RepResult]) -> list[RepResult]:
    """Leave out reps in which others had the CPUs, told by the calmest; a wait in all of them is the workload's own."""
    shares = [waiting(rep) for rep in reps]
    return [rep for rep, share in zip(reps, shares, strict=True) if share <= min(shares) + DISTURBED]


def _split(reps: Sequence[RepResult]) -> Split:
    """Average over workers and reps, per call.

    User and system time follow the kernel's split (by ticks on many kernels) scaled to the exact CPU time.
    """
    # A command's one sample holds the CPU time of all its threads.
    samples = [
        (sample, rep.workers if rep.kind == "command" else 1) for rep in reps for sample in rep.samples
    ]
    calls = sum(max(1, sample.calls) for sample, _ in samples)
    time = sum(rep.time * len(rep.samples) for rep in reps)
    user = sum(_ns(sample.user) / threads for sample, threads in samples)
    system = sum(_ns(sample.system) / threads for sample, threads in samples)
    cpu = sum(_cpu(sample) / threads for sample, threads in samples)
    wait = sum(_ns(_without(sample)) / threads for sample, threads in samples)
    if user + system > 0:
        user, system = cpu * user / (user + system), cpu * system / (user + system)
    else:
        user = cpu
    blocked = max(0.0, time - user - system - wait)
    faults = sum((sample.minor_faults or 0) + (sample.major_faults or 0) for sample, _ in samples)
    switches = sum(sample.voluntary or 0 for sample, _ in samples)
    return Split(*(value / calls for value in (time, user, system, wait, blocked, faults, switches)))


def _ns(value: int | None) -> float:
    return (value or 0) / 1e9


def _cpu(sample: WorkerSample) -> float:
    return _ns(sample.cpu) if sample.cpu is not None else _ns(sample.user) + _ns(sample.system)


@dataclass(frozen=True)
class Lost:
    """Where the time went that workers lose beside each other: seconds per call, many against one.

    Attributes:
        time: in all.
        parts: by part; they sum to ``time`` but for noise.
    """

    time: float
    parts: Mapping[str, float]

    def share(self, *names: str) -> float:
        """The share of the lost time that lies in these parts, 0 to 1."""
        gained = {name: max(0.0, value) for name, value in self.parts.items()}
        whole = sum(gained.values())
        return sum(gained.get(name, 0.0) for name in names) / whole if whole > 0 else 0.0


def lost(seen: Sequence[Seen]) -> Lost:
    """Compare the splits of launches."""
    time = fmean(s.many.time - s.one.time for s in seen)
    return Lost(time, {name: fmean(s.many.part(name) - s.one.part(name) for s in seen) for name in PARTS})
