"""Whether launches fall into modes, so that no single number describes them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from knee.stats.interval import Interval, of_mean
from knee.stats.reps import Bools, Ints

FEWEST = 5
"""Launches below which nothing is said about modes."""

MOST = 4
"""Modes that are looked for."""

# Critical values of ``separation``: the gap between neighbouring clusters in units of the spread inside them
# that under 2 % of single-mode samples exceed, by number of launches. Each is the largest over the
# single-mode families that ``tests/quality/test_modes.py`` draws (normal, uniform, exponential, log-normal,
# Student with 3 degrees of freedom, contaminated normal, drift, random walk; seed 20, 20,000 samples each),
# which prints this table and fails when it no longer holds.
_LAUNCHES = np.array([5, 6, 7, 8, 10, 12, 16, 20, 30, 50])
_CRITICAL = np.array([13.0, 10.5, 9.5, 8.0, 7.0, 6.5, 6.2, 6.0, 6.0, 6.0])


@dataclass(frozen=True)
class Mode:
    """One cluster of launches.

    Attributes:
        share: of the launches, 0 to 1.
        launches: how many.
        members: which of the given values, shape (values,).
        value: the mean of the given values (logs stay logs) with its t interval.
    """

    share: float
    launches: int
    members: Bools
    value: Interval

    def to_json(self) -> dict[str, Any]:
        """Share and speedup, for a mode of log speedups."""
        return {"share": self.share, "speedup": self.value.exp().to_json()}


def modes(logs: ArrayLike, *, apart: float = 1.03, confidence: float = 0.95) -> tuple[Mode, ...]:
    """Split launches into modes; empty when one mode explains them, or when there are too few to tell.

    Clusters are cut at the largest gaps; a cut needs at least two launches on each side, for one odd launch
    is an outlier and no mode. The split counts when the smallest gap between neighbouring clusters exceeds
    the critical value for the spread inside them, and the centres are at least a ratio of ``apart`` from each
    other.

    Args:
        logs: one log per launch; NaN entries belong to no mode.
    """
    data = np.asarray(logs, dtype=np.float64)
    known = np.isfinite(data)
    if int(known.sum()) < FEWEST:
        return ()
    critical = float(np.interp(known.sum(), _LAUNCHES, _CRITICAL))
    separation, edges = best_split(np.sort(data[known]), minimum_gap=math.log(apart))
    if separation < critical:
        return ()
    label = np.searchsorted(np.asarray(edges), data, side="right")
    found = []
    for index in range(len(edges) + 1):
        members = known & (label == index)
        value = of_mean(data[members], confidence)
        assert value is not None
        number = int(members.sum())
        found.append(Mode(number / int(known.sum()), number, members, value))
    return tuple(found)


def best_split(ordered: np.ndarray, minimum_gap: float = 0.0) -> tuple[float, list[float]]:
    """The division of sorted values into two to four clusters that are furthest apart for their spread.

    Returns:
        separation: the smallest gap between neighbouring clusters over the pooled standard deviation inside
            them.
        edges: midpoints of the gaps, ascending; empty when no division is possible.
    """
    gaps = np.diff(ordered)
    best: tuple[float, list[int]] = (0.0, [])
    cuts: list[int] = []
    for index in np.argsort(-gaps, kind="stable"):
        cut = int(index) + 1
        bounds = sorted([0, *cuts, cut, ordered.size])
        if gaps[index] <= minimum_gap or min(b - a for a, b in pairwise(bounds)) < 2:
            continue
        cuts.append(cut)
        spread = _spread(ordered, bounds)
        separation = float(gaps[index]) / spread if spread > 0 else math.inf
        if separation > best[0]:
            best = (separation, sorted(cuts))
        if len(cuts) == MOST - 1:
            break
    return best[0], [float(ordered[c - 1] + ordered[c]) / 2 for c in best[1]]


def _spread(ordered: np.ndarray, bounds: list[int]) -> float:
    """Pooled standard deviation inside the clusters that ``bounds`` mark."""
    squares = sum(
        float(np.sum((part - part.mean()) ** 2)) for part in (ordered[a:b] for a, b in pairwise(bounds))
    )
    return math.sqrt(squares / max(ordered.size - len(bounds) + 1, 1))


def labels(split: tuple[Mode, ...], size: int) -> Ints:
    """The mode of each launch, shape (size,); -1 for none."""
    label = np.full(size, -1)
    for index, mode in enumerate(split):
        label[mode.members] = index
    return label
