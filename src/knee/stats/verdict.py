"""From an interval to a verdict: by margin, in either direction, or that it cannot be told."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from knee.stats.interval import Interval, quantile
from knee.stats.stopping import launches_for
from knee.stats.told import Told

Verdict = Literal["faster", "slower", "same", "cannot-tell", "suspect"]


def judge(told: Told, margin: float, level: float) -> tuple[Interval, Verdict, int, int | None] | None:
    """Ratio, verdict, launches and launches still needed from one log ratio per launch; None when there are none.

    ``faster`` and ``slower`` need the interval at ``level`` beyond the margin; ``same`` needs two one-sided tests at
    the same error rate (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987), which is the
    interval at 1 - 2 (1 - level) inside the margin.
    """
    one_sided = 1 - 2 * (1 - level)
    inner, equal = told.interval(level), told.interval(one_sided)
    if inner is None or equal is None:
        return None
    edge = math.log1p(margin)
    launches = int(np.isfinite(told.value).sum())
    if inner.low > edge:
        return inner.exp(), "slower", launches, 0
    if inner.high < -edge:
        return inner.exp(), "faster", launches, 0
    if equal.inside(-edge, edge):
        return inner.exp(), "same", launches, 0
    if not inner.bounded:
        return inner.exp(), "cannot-tell", launches, None
    # What one launch adds, as a standard deviation, follows from the width that so many launches left.
    spread = (inner.high - inner.estimate) * math.sqrt(launches) / quantile(launches, level)
    inside = abs(inner.estimate) < edge
    total = launches_for(spread, abs(abs(inner.estimate) - edge), one_sided if inside else level, most=10_000)
    return inner.exp(), "cannot-tell", launches, None if total is None else max(1, total - launches)
