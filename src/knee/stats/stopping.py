"""When to stop adding launches, with the error rate kept."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from knee.stats.interval import Interval, of_mean, quantile

Reason = Literal["", "precise", "decided", "budget"]

LOOKS = (5, 7, 10, 13, 17, 22, 29, 38, 50, 70, 100)
"""Launch counts at which a rule may look at the data: the more looks, the more each costs."""

FIRST_PRECISE = 10
"""The first look at which agreement may stop a ladder. Ten launches that agree leave a mode that three launches
in ten draw a chance of 3 % to be unseen; five would leave it 17 %, and a mode of one half 6 %."""

# Levels of the intervals at each look, for 0.95 over all of them: from tests/quality/test_stopping.py.
_LOOK_CONFIDENCE = 0.991
_PRECISE_CONFIDENCE = 0.96


def is_look(launches: int) -> bool:
    """Whether a sequential rule may look at the data after this many launches."""
    return launches in LOOKS


def look_confidence(confidence: float = 0.95) -> float:
    """The confidence of the interval at each look that keeps ``confidence`` over all looks (Pocock 1977)."""
    return 1 - (1 - confidence) * (1 - _LOOK_CONFIDENCE) / 0.05


@dataclass(frozen=True)
class Decision:
    """Whether to go on.

    Attributes:
        stop: no further launch is worth it, or allowed.
        reason: why; empty while going on.
        needed: launches still needed as predicted from the spread so far, 0 when done, None when it cannot be
            told.
        width: widest relative interval, infinite when unknown.
    """

    stop: bool
    reason: Reason
    needed: int | None
    width: float


@dataclass(frozen=True)
class Stopping:
    """Fixed-width rule: launches are added until every interval is narrower than ``precision``, or the budget
    ends.

    Chow and Robbins (On the asymptotic theory of fixed-width sequential confidence intervals for the mean,
    Annals of Mathematical Statistics 36, 1965). Their rule stops too early on few launches, when the spread
    happens to look small; so it looks at ``LOOKS`` only, from ``FIRST_PRECISE`` on, and its intervals have
    the level that brought coverage back to 95 % in simulation (docs/statistics.md).

    Attributes:
        precision: of the whole relative width of the interval of each speedup.
        minimum: launches to make even past the budget.
        confidence: of the interval at the end.
    """

    precision: float = 0.03
    minimum: int = 5
    confidence: float = 0.95

    @property
    def interval_confidence(self) -> float:
        """The nominal level that intervals must be computed with, so that they cover with ``confidence``."""
        return 1 - (1 - self.confidence) * (1 - _PRECISE_CONFIDENCE) / 0.05

    def interval(self, logs: ArrayLike) -> Interval | None:
        """The interval of a ratio from its logs, one per launch, at the level that this rule needs."""
        inner = of_mean(logs, self.interval_confidence)
        return None if inner is None else inner.exp()

    def decide(self, logs: ArrayLike, *, affordable: bool = True) -> Decision:
        """Decide after a launch.

        Args:
            logs: shape (launches, quantities): the log of each speedup that must be precise; NaN where
                missing.
            affordable: whether the budget has room for one more launch.
        """
        data = np.asarray(logs, dtype=np.float64)
        data = data.reshape(len(data), -1)
        launches = len(data)
        intervals = [self.interval(data[:, j]) for j in range(data.shape[1])]
        width = max((math.inf if i is None else i.width_relative for i in intervals), default=0.0)
        needed = self.needed(data)
        if width <= self.precision and launches >= max(self.minimum, FIRST_PRECISE) and is_look(launches):
            return Decision(True, "precise", 0, width)
        if not affordable and launches >= self.minimum:
            return Decision(True, "budget", needed, width)
        return Decision(False, "", needed, width)

    def needed(self, logs: ArrayLike) -> int | None:
        """Launches still needed for the precision, from the spread so far; None with under two launches."""
        data = np.asarray(logs, dtype=np.float64)
        data = data.reshape(len(data), -1)
        launches = len(data)
        floor = max(self.minimum, FIRST_PRECISE)
        if data.shape[1] == 0:
            return max(0, floor - launches)
        if (np.isfinite(data).sum(axis=0) < 2).any():
            return None
        spread = float(np.nanstd(data, axis=0, ddof=1).max())
        total = launches_for(spread, self.precision / 2, self.interval_confidence)
        if total is None:
            return None
        total = max(floor, total)
        return max(0, next((look for look in LOOKS if look >= max(total, launches)), total) - launches)


def launches_for(spread: float, half: float, confidence: float, most: int = 100_000) -> int | None:
    """The smallest number of launches whose t interval has at most the half width ``half``.

    Args:
        spread: standard deviation between launches, of logs.

    Returns:
        None where more than ``most`` would be needed.
    """
    if half <= 0:
        return None

    def wide(launches: int) -> bool:
        return quantile(launches, confidence) * spread / math.sqrt(launches) > half

    low, high = 2, 2
    while wide(high):
        if high == most:
            return None
        low, high = high, min(2 * high, most)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if wide(middle) else (low, middle)
    return high
