"""Whether launches resemble those before and after them, so that they tell less than as many independent
ones."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special  # not scipy.stats, which takes a second to import

FEWEST = 10
"""Launches below which nothing is said."""


def dependent(values: ArrayLike, *, level: float = 0.01, fewest: int = FEWEST) -> bool:
    """Whether values in the order of their launches are positively correlated from one to the next.

    The rank version of von Neumann's ratio (Bartels, Journal of the American Statistical Association 77,
    1982) with its normal approximation; heavy tails and modes do not disturb ranks.

    Args:
        values: one per launch, in the order in which they ran; NaN entries are left out.
        level: share of independent series that are called dependent.
        fewest: values below which nothing is said.
    """
    data = np.asarray(values, dtype=np.float64)
    data = data[np.isfinite(data)]
    n = data.size
    if n < fewest or np.ptp(data) == 0:
        return False
    _, place, ties = np.unique(data, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[place]  # tied values share their mean rank
    ratio = float(np.sum(np.diff(ranks) ** 2) / np.sum((ranks - ranks.mean()) ** 2))
    variance = 4 * (n - 2) * (5 * n * n - 2 * n - 9) / (5 * n * (n + 1) * (n - 1) ** 2)
    return (ratio - 2) / math.sqrt(variance) < float(special.ndtri(level))
