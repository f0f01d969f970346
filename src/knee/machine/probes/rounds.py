"""Measuring several cells in rounds, each round in an order drawn afresh, so that drift falls on all alike."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Cell = TypeVar("Cell", bound=Hashable)
Progress = Callable[[float], None]
"""Told the share that is done, 0 to 1."""


@dataclass
class Sampled(Generic[Cell]):
    """What rounds gave.

    Attributes:
        values: cell -> the values that were kept.
        rejected: cell -> how many were not.
        reasons: cell -> why its last measurement failed.
    """

    values: dict[Cell, list[float]] = field(default_factory=dict)
    rejected: dict[Cell, int] = field(default_factory=dict)
    reasons: dict[Cell, str] = field(default_factory=dict)


def measure(
    cells: Sequence[Cell],
    once: Callable[[Cell], float | None],
    *,
    rounds: int,
    seconds: float,
    draw: random.Random,
    clock: Callable[[], float] = time.monotonic,
    progress: Progress = lambda _: None,
    found: Sampled[Cell] | None = None,
) -> Sampled[Cell]:
    """Measure each cell until it has ``rounds`` values, for ``seconds`` at most, but each at least once.

    Args:
        found: an earlier result to add to.
        once: gives a value, or None for one that cannot be trusted; raises OSError when it cannot measure.
    """
    found = found or Sampled({cell: [] for cell in cells}, dict.fromkeys(cells, 0))
    start, first = clock(), True
    while True:
        # A round goes over cells that still want values, never over one twice.
        wanting = [cell for cell in cells if len(found.values[cell]) < rounds]
        draw.shuffle(wanting)
        for cell in wanting:
            if not first and clock() - start >= seconds:
                progress(1.0)
                return found
            _one(cell, once, found)
            done = sum(map(len, found.values.values())) / max(1, rounds * len(cells))
            progress(min(1.0, max(done, (clock() - start) / seconds if seconds > 0 else 1.0)))
        first = False
        if not wanting:
            progress(1.0)
            return found


def _one(cell: Cell, once: Callable[[Cell], float | None], found: Sampled[Cell]) -> None:
    try:
        value = once(cell)
    except OSError as error:
        found.rejected[cell] += 1
        found.reasons[cell] = error.strerror or str(error)
        return
    if value is None:
        found.rejected[cell] += 1
    else:
        found.values[cell].append(value)
