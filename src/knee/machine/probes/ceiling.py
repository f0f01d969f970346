"""The ceiling: a kernel that shares nothing, at each worker count; no program scales better on this machine.

Workers are placed by the system, as a program's are: turbo, SMT, quota and slow cores all bend this ladder.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from knee.machine.probes.rates import Rates, counts, ladder
from knee.machine.probes.rounds import Progress

ROUNDS = 9
DURATION = 0.03

Kernel = Callable[[int, float], Sequence[float]]
"""(workers, duration) -> iterations per second of each."""


def probe(
    kernel: Kernel,
    most: int,
    *,
    seconds: float = 2.5,
    draw: random.Random | None = None,
    progress: Progress = lambda _: None,
) -> Rates:
    """The ladder from 1 to ``most`` workers."""
    return ladder(
        lambda count: kernel(count, DURATION),
        "iterations",
        counts(most),
        rounds=ROUNDS,
        seconds=seconds,
        draw=draw,
        progress=progress,
    )
