"""How much of the spread lies inside launches, and how much between them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from knee.stats.reps import Ints, Reps


@dataclass(frozen=True)
class Components:
    """Variance components of log times as standard deviations, so that 0.02 reads as 2 % of the time.

    Attributes:
        within: between the reps of one launch.
        between: between launches, beyond what ``within`` explains; 0 when launches do not differ.
        launches: launches that told.
        reps: reps that told.
    """

    within: float
    between: float
    launches: int
    reps: int

    @property
    def share_between(self) -> float:
        """The intraclass correlation: the share of the variance of one rep that its launch decided."""
        total = self.within**2 + self.between**2
        return self.between**2 / total if total else 0.0

    def to_json(self) -> dict[str, float]:
        """The two standard deviations."""
        return {"within": self.within, "between": self.between}


def components(reps: Reps) -> Components | None:
    """One-way random-effects components of log cost, pooled over cells; None with under two launches.

    Analysis-of-variance estimators for unequal group sizes, cut off at zero (Searle, Casella and McCulloch,
    Variance Components, 1992, section 3.6); each cell (treatment, kind, worker count) has its own mean, and
    sums of squares add over cells. With equal sizes they are the REML estimates.
    """
    log = reps.log_cost()
    cell = _codes(reps.treatment, np.unique(reps.kind, return_inverse=True)[1], reps.workers)
    group = _codes(cell, reps.launch)
    number = np.bincount(group)
    mean = np.bincount(group, weights=log) / number
    inside = float(np.sum((log - mean[group]) ** 2))
    cell_of = np.zeros(number.size, np.int64)
    cell_of[group] = cell
    groups = np.bincount(cell_of)
    size = np.bincount(cell_of, weights=number)
    grand = np.bincount(cell_of, weights=number * mean) / size
    outside = float(np.sum(number * (mean - grand[cell_of]) ** 2))
    degrees_inside = int(number.sum() - number.size)
    degrees_outside = int(np.sum(groups - 1))
    if degrees_inside < 1 or degrees_outside < 1:
        return None
    # Mean group size as it enters the expectation of the mean square between (their n0), cell by cell.
    effective = float(np.sum(size - np.bincount(cell_of, weights=number.astype(float) ** 2) / size))
    within = inside / degrees_inside
    between = max(0.0, (outside - degrees_outside * within) / effective)
    return Components(math.sqrt(within), math.sqrt(between), int(reps.launches.size), len(reps))


def _codes(*columns: Ints) -> Ints:
    """One small integer for each distinct tuple."""
    code = np.zeros(columns[0].size, np.int64)
    for column in columns:
        values, place = np.unique(column, return_inverse=True)
        code = code * values.size + place
    return np.asarray(np.unique(code, return_inverse=True)[1])
