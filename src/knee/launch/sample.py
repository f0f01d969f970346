"""What a launch measures, as raw data: a worker's sample, a rep, and what was lost.

Times are integers in nanoseconds of the target's monotonic clock, which all processes of a launch share;
``None`` means that the platform did not give the figure, never zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from knee.plan.cell import Kind

LossKind = Literal["raised", "crashed", "exited", "timeout", "memory", "protocol", "unavailable"]


@dataclass(frozen=True, slots=True)
class WorkerSample:
    """What one worker did in one rep.

    Attributes:
        worker: its index in the pool, from 0.
        start: when its first call began, ns.
        end: when its last call returned, ns.
        calls: how often it called the workload.
        user: CPU time in user mode, ns.
        system: CPU time in the kernel, ns.
        cpu: CPU time of the worker altogether, ns; finer than user and system, which tick.
        voluntary: switches in which it gave the CPU away (it blocked).
        involuntary: switches in which the CPU was taken from it.
        wait: time it could run and had no CPU (run-queue delay), ns.
        minor_faults: page faults that needed no disk.
        major_faults: page faults that did.
        cpu_start: the CPU it ran on at its start.
        cpu_end: the CPU it ran on at its end.
        cycles: CPU cycles, where there is a counter.
        instructions: instructions retired, where there is a counter.
        speed_before: iterations/s of the core-speed probe before the rep.
        speed_after: the same after it.
        phases: for each ``knee.phase`` name, how often it was entered and how long it lasted in all (ns).
    """

    worker: int
    start: int
    end: int
    calls: int
    user: int | None = None
    system: int | None = None
    cpu: int | None = None
    voluntary: int | None = None
    involuntary: int | None = None
    wait: int | None = None
    minor_faults: int | None = None
    major_faults: int | None = None
    cpu_start: int | None = None
    cpu_end: int | None = None
    cycles: int | None = None
    instructions: int | None = None
    speed_before: float | None = None
    speed_after: float | None = None
    phases: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RepResult:
    """One timed run of a cell by all its workers, from a common start.

    Attributes:
        block: the block it belongs to, from 0 within its launch.
        position: its place in the block, from 0; the drawn order can be read from it.
        treatment: index into the run's treatments, or ``plan.cell.CONTROL``.
        kind: the kind of worker.
        workers: how many ran.
        warmup: kept and marked, never analysed.
        samples: one for each worker, by index.
        printed: bytes of output captured while the rep was timed.
        release: when the start barrier opened, ns; None where it cannot tell.
    """

    block: int
    position: int
    treatment: int
    kind: Kind
    workers: int
    warmup: bool
    samples: tuple[WorkerSample, ...]
    printed: int = 0
    release: int | None = None

    @property
    def time(self) -> float:
        """Seconds from the first worker's start to the last worker's end."""
        return (max(s.end for s in self.samples) - min(s.start for s in self.samples)) / 1e9


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that should have been measured and was not, with all that is known of why.

    Attributes:
        launch: the launch it happened in, from 0.
        group: the group of treatments that share the launch's process (``Treatment.process_key``), from 0.
        block: the block, or None when no block was under way.
        kind: how it was lost. ``unavailable``: this kind of worker cannot run this workload here, ``text``
            says why.
        text: one line.
        traceback: the target's traceback, the first if several workers raised.
        treatment: index into the run's treatments, or None if it concerns all.
        workers: the worker count of the pool.
        worker: the index of the worker that was first to fail.
        worker_kind: the kind of worker.
        rep: the position of the rep in its block.
    """

    launch: int
    group: int
    block: int | None
    kind: LossKind
    text: str
    traceback: str = ""
    worker: int | None = None
    treatment: int | None = None
    workers: int | None = None
    worker_kind: Kind | None = None
    rep: int | None = None
