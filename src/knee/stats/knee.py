"""The knee of a curve: the last worker count whose added workers still pay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from knee.stats.reps import Floats, Ints

_RESAMPLES = 2000


@dataclass(frozen=True)
class Knee:
    """The knee with the range that launches leave open.

    Attributes:
        workers: the knee.
        low: lower end of its interval.
        high: upper end of its interval.
        why: one sentence with the figures.
        reached: False when the curve does not bend before the largest count measured, so that the knee may
            lie beyond it.
    """

    workers: int
    low: int
    high: int
    why: str
    reached: bool

    def to_json(self) -> dict[str, Any]:
        """Count, reason, ends of the interval and whether the curve bends before its end."""
        return {
            "workers": self.workers,
            "why": self.why,
            "low": self.low,
            "high": self.high,
            "reached": self.reached,
        }


def power(speedup: Floats, counts: Ints) -> Floats:
    """Speedup times efficiency, S²/n: its maximum is the knee.

    Eager, Zahorjan and Lazowska (Speedup Versus Efficiency in Parallel Systems, IEEE Transactions on
    Computers 38(3), 1989, section IV) place the knee where efficiency over execution time is largest,
    Kleinrock's power. At the maximum the added worker is worth half of the mean worker before it: d log S / d
    log n = 1/2.
    """
    return np.asarray(speedup**2 / counts)


def knee(log_speedup: Floats, counts: Ints, *, confidence: float = 0.95, seed: int = 0) -> Knee | None:
    """Find the knee of the geometric-mean curve, and its interval by resampling launches.

    Args:
        log_speedup: shape (L, W), one ladder per launch, NaN where a launch lacks a count.
        counts: shape (W,), ascending.
        seed: of the resampling (percentile bootstrap over launches, whole ladders at a time).

    Returns:
        None with under two worker counts, or when no launch told anything about one of them.
    """
    known = np.isfinite(log_speedup)
    if counts.size < 2 or not known.any(axis=0).all():
        return None
    best = _argmax(np.nanmean(log_speedup, axis=0), counts)
    draws = np.random.default_rng(seed).integers(0, len(log_speedup), (_RESAMPLES, len(log_speedup)))
    number = np.stack([np.bincount(draw, minlength=len(log_speedup)) for draw in draws]).astype(np.float64)
    weight = number @ known
    total = number @ np.where(known, log_speedup, 0.0)
    whole = (weight > 0).all(axis=1)
    found = np.array([_argmax(row, counts) for row in total[whole] / weight[whole]])
    tail = (1 - confidence) / 2
    low, high = np.quantile(found, [tail, 1 - tail], method="inverted_cdf") if found.size else (best, best)
    speedup = np.exp(np.nanmean(log_speedup, axis=0))
    low, high = min(low, best), max(high, best)
    return Knee(
        int(counts[best]),
        int(counts[low]),
        int(counts[high]),
        _why(speedup, counts, best),
        best < counts.size - 1,
    )


def _argmax(log_speedup: Floats, counts: Ints) -> int:
    return int(np.argmax(2 * log_speedup - np.log(counts)))


def _why(speedup: Floats, counts: Ints, best: int) -> str:
    """Say what the workers up to the knee, and those after it, add."""
    here = int(counts[best])
    mean = speedup[best] / here * int(counts[0])
    if best == counts.size - 1:
        return (
            f"every worker up to {here}, the most measured, still pays: "
            f"each is worth {mean:.2f} of one worker on average"
        )
    following = int(counts[best + 1])
    gain = (speedup[best + 1] - speedup[best]) / (following - here)
    which = f"worker {following}" if following == here + 1 else f"each of workers {here + 1} to {following}"
    worth = (
        f"up to {here} each worker is worth {mean:.2f} of one worker on average"
        if best
        else "one worker is best"
    )
    return f"{worth}, {which} {'takes' if gain < 0 else 'adds only'} {abs(gain):.2f}"
