"""A median with an interval that assumes no distribution."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Median:
    """A median and its confidence interval; infinite ends where too few values tell anything."""

    low: float
    estimate: float
    high: float

    def to_json(self) -> dict[str, float | None]:
        """An interval of all schemas."""
        known = math.isfinite(self.low) and math.isfinite(self.high)
        ends = (self.low, self.high) if known else (None, None)
        return {"low": ends[0], "estimate": self.estimate, "high": ends[1]}


def median(values: Sequence[float], confidence: float = 0.95) -> Median:
    """The median of ``values`` (at least one) with the interval between two order statistics.

    For independent values of any continuous distribution the k-th smallest and the k-th largest enclose the
    median with probability 1 - 2 P(B < k), B binomial with n trials of 1/2 (David and Nagaraja 2003, "Order
    Statistics", section 7.1). The largest k that keeps the confidence is taken.
    """
    ordered, count = sorted(values), len(values)
    tail, rank = 0.0, 0
    while rank < count // 2:
        tail += math.comb(count, rank) / 2**count
        if 1 - 2 * tail < confidence:
            break
        rank += 1
    estimate = statistics.median(ordered)
    if rank == 0:
        return Median(-math.inf, estimate, math.inf)
    return Median(ordered[rank - 1], estimate, ordered[-rank])
