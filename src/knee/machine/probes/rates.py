"""A kernel's rate at rising numbers of workers: shared by the ceiling and the bandwidth probe."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from knee.machine.probes.median import Median, median
from knee.machine.probes.rounds import Progress, measure

MOST_COUNTS = 9


@dataclass(frozen=True)
class Rates:
    """Total rate by number of workers, per second of ``unit``; ``gains`` are over one worker, round by round.

    Attributes:
        missing: workers -> why there is no rate.
    """

    unit: str
    totals: Mapping[int, Median]
    gains: Mapping[int, Median]
    missing: Mapping[int, str]

    def to_json(self) -> dict[str, Any]:
        """A ladder of ``probes``."""
        return {
            "unit": self.unit,
            "rows": [
                {"workers": workers, "rate": total.to_json(), "speedup": self.gains[workers].to_json()}
                for workers, total in self.totals.items()
            ],
            "missing": [{"workers": workers, "why": why} for workers, why in self.missing.items()],
        }


def counts(most: int) -> list[int]:
    """Worker counts from 1 to ``most``: all, or powers of two with 1.5 times them in between."""
    if most <= MOST_COUNTS:
        return list(range(1, most + 1))
    found = {1, most}
    power = 2
    while power < most:
        found |= {power, power * 3 // 2}
        power *= 2
    return sorted(count for count in found if count <= most)


def ladder(
    kernel: Callable[[int], Sequence[float]],
    unit: str,
    workers: Sequence[int],
    *,
    rounds: int,
    seconds: float,
    draw: random.Random | None = None,
    progress: Progress = lambda _: None,
    clock: Callable[[], float] = time.perf_counter,
) -> Rates:
    """Measure the rates of all workers, at each count of them, in rounds."""
    found = measure(
        workers,
        lambda count: sum(kernel(count)),
        rounds=rounds,
        seconds=seconds,
        draw=draw or random.Random(),
        clock=clock,
        progress=progress,
    )
    totals = {count: median(values) for count, values in found.values.items() if values}
    ones = found.values.get(1, [])
    # The k-th value of each count is of the k-th round, so that a slow moment falls on both.
    gains = {
        count: median(
            [total / one for total, one in zip(found.values[count], ones, strict=False) if one > 0] or [0.0]
        )
        for count in totals
    }
    missing = {count: found.reasons.get(count, "not measured") for count in workers if count not in totals}
    return Rates(unit, totals, gains, missing)
