"""Where the workers' time went, without any counter of the hardware."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from knee.stats.placement import Placement, placement
from knee.store.effort import Effort, Floats


@dataclass(frozen=True)
class Split:
    """Shares of the workers' time at one worker count, 0 to 1; None where the system does not tell.

    A jump of ``kernel`` with the workers is the mark of short locks, of ``blocked`` that of locks held for long, of
    ``waiting`` that of too few CPUs; neither is the mark of shared memory, where waiting looks like work.

    Attributes:
        workers: the count.
        user: running in user mode.
        kernel: running in the kernel.
        waiting: ready to run, without a CPU.
        blocked: all else: asleep until somebody else has done something.
    """

    workers: int
    user: float | None
    kernel: float | None
    waiting: float | None
    blocked: float | None

    def to_json(self) -> dict[str, Any]:
        """The entry of ``split``."""
        return dict(vars(self))


def splits(effort: Effort, kind: str) -> tuple[Split, ...]:
    """The split of each worker count, ascending."""
    if kind not in effort.kinds:
        return ()
    mine = effort.kind == effort.kinds.index(kind)
    return tuple(
        _split(effort, int(n), mine & (effort.workers == n)) for n in np.unique(effort.workers[mine])
    )


def placements(effort: Effort, kind: str) -> tuple[Placement, ...]:
    """What the probes say of the cores, at each worker count."""
    if kind not in effort.kinds:
        return ()
    mine = effort.kind == effort.kinds.index(kind)
    columns = (effort.workers, effort.seconds, effort.speed, effort.wait)
    return placement(effort.rep[mine], *(column[mine] for column in columns))


def _split(effort: Effort, workers: int, among: np.ndarray[Any, np.dtype[np.bool_]]) -> Split:
    whole = float(effort.seconds[among].sum())
    user, kernel, cpu, waiting = (
        _sum(column[among]) for column in (effort.user, effort.system, effort.cpu, effort.wait)
    )
    if whole <= 0:
        return Split(workers, None, None, None, None)
    if cpu is None and user is not None and kernel is not None:
        cpu = user + kernel
    if cpu is not None and user is not None and kernel is not None and user + kernel > 0:
        # User and kernel time tick; their proportion is applied to the finer whole.
        user, kernel = (cpu * part / (user + kernel) for part in (user, kernel))
    blocked = None if cpu is None or waiting is None else max(0.0, whole - cpu - waiting)
    # The system's counters are read just outside the timed part and may exceed it a little.
    parts = (None if part is None else min(1.0, part / whole) for part in (user, kernel, waiting, blocked))
    return Split(workers, *parts)


def _sum(column: Floats) -> float | None:
    """The sum of a column that is known throughout."""
    return float(column.sum()) if column.size and np.isfinite(column).all() else None
