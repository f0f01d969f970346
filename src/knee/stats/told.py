"""What each launch told, and how precisely: a launch that was disturbed counts for less."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from knee.stats.interval import Interval, of_mean, quantile
from knee.stats.reps import Floats

FEWEST_DEGREES = 3
"""Degrees of freedom inside launches below which their variances are too uncertain to be weights."""

_PRIOR = 4.0
_HALVINGS = 60


@dataclass(frozen=True)
class Told:
    """One number per launch; NaN where a launch told nothing.

    Attributes:
        value: shape (L,).
        variance: of each value, from the spread inside its launch, shape (L,); NaN where a launch cannot tell it.
        degrees: degrees of freedom of each variance, shape (L,).
    """

    value: Floats
    variance: Floats
    degrees: Floats

    def interval(self, confidence: float) -> Interval | None:
        """The mean over launches with its interval; None when no launch told anything.

        The random-effects mean: launches differ by a variance of their own, found by Paule and Mandel's equation
        (Journal of Research of the NBS 87, 1982), to which each adds its variance inside; weights are the
        inverse. The interval is Hartung and Knapp's (Statistics in Medicine 20, 2001), Student's t with the spread
        of the weighted values, never narrower than the variances alone say (Röver, Knapp and Friede, BMC Medical
        Research Methodology 15, 2015). Where the variances inside are not known it is Student's t interval.
        """
        known = np.isfinite(self.value)
        value = self.value[known]
        variance, degrees = self.variance[known], self.degrees[known]
        if value.size < 2 or not np.isfinite(variance).all() or np.median(degrees) < FEWEST_DEGREES:
            return of_mean(value, confidence)
        inside = _shrunk(variance, degrees)
        weight = 1 / (inside + between(value, inside))
        mean = float(np.sum(weight * value) / np.sum(weight))
        spread = float(np.sum(weight * (value - mean) ** 2)) / (value.size - 1)
        half = quantile(value.size, confidence) * math.sqrt(max(spread, 1.0) / float(np.sum(weight)))
        return Interval(mean - half, mean, mean + half)


def average(columns: list[Told]) -> Told:
    """The mean of several numbers per launch, for launches that have them all."""
    number = len(columns)
    return Told(
        np.sum([column.value for column in columns], axis=0) / number,
        np.sum([column.variance for column in columns], axis=0) / number**2,
        np.sum([column.degrees for column in columns], axis=0),
    )


def between(value: Floats, inside: Floats) -> float:
    """Variance between launches that makes the weighted sum of squares what chance expects, L - 1; at least 0."""

    def excess(variance: float) -> float:
        weight = 1 / (inside + variance)
        mean = np.sum(weight * value) / np.sum(weight)
        return float(np.sum(weight * (value - mean) ** 2)) - (value.size - 1)

    low, high = 0.0, float(np.sum((value - value.mean()) ** 2))
    if excess(low) <= 0:
        return 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return high


def _shrunk(variance: Floats, degrees: Floats) -> Floats:
    """Variances drawn towards their geometric mean, as if it had been seen with ``_PRIOR`` degrees of freedom.

    A variance from few reps is uncertain, and weights that follow it make intervals too narrow (Smyth, Statistical
    Applications in Genetics and Molecular Biology 3, 2004, for the shrinkage; its strength from simulation).
    """
    floored = np.maximum(variance, 1e-14)
    centre = np.exp(np.mean(np.log(floored)))
    return np.asarray((_PRIOR * centre + degrees * floored) / (_PRIOR + degrees))
