"""Memory bandwidth by STREAM's triad at each worker count: where memory, not sharing, is the limit."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from knee.machine.probes.rates import Rates, counts, ladder
from knee.machine.probes.rounds import Progress
from knee.machine.topology import Topology

ROUNDS = 6
DURATION = 0.05
MOST_BYTES = 1 << 30
"""Of all workers together."""

Kernel = Callable[[int, int, float], Sequence[float]]
"""(workers, bytes of each, duration) -> bytes per second of each."""


def bytes_each(topology: Topology, workers: int) -> int:
    """Twice the largest cache for each worker, as STREAM asks for well above it, within a total."""
    largest = max((cache.size or 0 for cache in topology.caches), default=0)
    return min(max(2 * largest, 32 << 20), MOST_BYTES // workers)


def probe(
    kernel: Kernel,
    topology: Topology,
    most: int,
    *,
    seconds: float = 3.0,
    draw: random.Random | None = None,
    progress: Progress = lambda _: None,
) -> Rates:
    """The ladder from 1 to ``most`` workers."""
    return ladder(
        lambda count: kernel(count, bytes_each(topology, count), DURATION),
        "bytes",
        counts(most),
        rounds=ROUNDS,
        seconds=seconds,
        draw=draw,
        progress=progress,
    )
