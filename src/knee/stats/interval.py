"""An estimate with the range that launches leave open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import special  # scipy.stats takes a second to import, and stdtrit is what its t.ppf calls


@dataclass(frozen=True)
class Interval:
    """A confidence interval with its point estimate; infinite ends where too few launches tell anything."""

    low: float
    estimate: float
    high: float

    @classmethod
    def exactly(cls, value: float) -> Interval:
        """A number known by definition, such as the speedup of the first row."""
        return cls(value, value, value)

    def excludes(self, value: float) -> bool:
        """Whether ``value`` lies outside."""
        return value < self.low or value > self.high

    def inside(self, low: float, high: float) -> bool:
        """Whether the whole interval lies strictly between two values."""
        return low < self.low and self.high < high

    def overlaps(self, other: Interval) -> bool:
        """Whether the two have a value in common."""
        return self.low <= other.high and other.low <= self.high

    @property
    def bounded(self) -> bool:
        """Whether both ends are known."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def width_relative(self) -> float:
        """The whole width over the estimate; infinite where it is not known."""
        return (self.high - self.low) / abs(self.estimate) if self.bounded and self.estimate else math.inf

    def exp(self) -> Interval:
        """From logs to ratios: the estimate becomes a geometric mean."""
        return Interval(_exp(self.low), _exp(self.estimate), _exp(self.high))

    def scaled(self, factor: float) -> Interval:
        """Every number times a factor (a negative one swaps the ends)."""
        ends = sorted((self.low * factor, self.high * factor))
        return Interval(ends[0], self.estimate * factor, ends[1])

    def to_json(self) -> dict[str, float | None]:
        """``low``, ``estimate`` and ``high``; None for what is not known."""
        ends = (self.low, self.high) if self.bounded else (None, None)
        return {
            "low": ends[0],
            "estimate": self.estimate if math.isfinite(self.estimate) else None,
            "high": ends[1],
        }


def of_mean(values: ArrayLike, confidence: float = 0.95) -> Interval | None:
    """Student's t interval of the mean of independent values, one per launch; NaN entries do not count.

    One value gives an estimate with infinite ends, none gives None.
    """
    data = np.asarray(values, dtype=np.float64)
    data = data[np.isfinite(data)]
    if data.size == 0:
        return None
    mean = float(data.mean())
    if data.size == 1:
        return Interval(-math.inf, mean, math.inf)
    half = quantile(data.size, confidence) * float(data.std(ddof=1)) / math.sqrt(data.size)
    return Interval(mean - half, mean, mean + half)


def of_ratio(logs: ArrayLike, confidence: float = 0.95) -> Interval | None:
    """The t interval of a mean of logs, as a ratio (geometric mean over launches)."""
    interval = of_mean(logs, confidence)
    return None if interval is None else interval.exp()


def of_difference(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Interval:
    """Welch's interval of mean(a) - mean(b) for independent values (Biometrika 34, 1947).

    A number in place of an array is a value known without error. An array of under two values leaves the ends
    infinite, an empty one makes the estimate NaN.
    """
    sides = [(np.asarray(side, dtype=np.float64), np.ndim(side) == 0) for side in (a, b)]
    means, parts = [], []
    for values, known in sides:
        side = np.atleast_1d(values)
        side = side[np.isfinite(side)]
        means.append(float(side.mean()) if side.size else math.nan)
        if not known:
            parts.append(
                (float(side.var(ddof=1)) / side.size, side.size - 1) if side.size > 1 else (math.inf, 0)
            )
    estimate = means[0] - means[1]
    variance = sum(part for part, _ in parts)
    if math.isinf(variance) or math.isnan(estimate):
        return Interval(-math.inf, estimate, math.inf)
    if variance == 0:
        return Interval.exactly(estimate)
    half = satterthwaite(parts, confidence) * math.sqrt(variance)
    return Interval(estimate - half, estimate, estimate + half)


def satterthwaite(parts: Sequence[tuple[float, int]], confidence: float) -> float:
    """The two-sided t quantile for a sum of independent variances, each with its degrees of freedom.

    Satterthwaite, Biometrics Bulletin 2, 1946.
    """
    degrees = sum(part for part, _ in parts) ** 2 / sum(part**2 / df for part, df in parts)
    return float(special.stdtrit(degrees, 0.5 + confidence / 2))


@cache
def quantile(launches: int, confidence: float = 0.95) -> float:
    """The two-sided t quantile for a mean of ``launches`` values."""
    return float(special.stdtrit(launches - 1, 0.5 + confidence / 2))


def _exp(value: float) -> float:
    return math.exp(value) if value < 700 else math.inf
