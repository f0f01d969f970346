"""Two runs made at different times: nothing but the machine blocks them, so nothing cancels."""

from __future__ import annotations

import numpy as np
from scipy import stats

from knee.stats.interval import Interval
from knee.stats.launches import Grid, over_blocks
from knee.stats.reps import Floats, Reps


def ratio(new: Reps, old: Reps, workers: int, confidence: float = 0.95) -> Interval | None:
    """Time of one run over that of another at a worker count, per unit of work.

    Welch's t on the launch means of the logs (Welch, The generalization of Student's problem when several different
    population variances are involved, Biometrika 34, 1947).

    Args:
        new: reps of one treatment and kind.
        old: the same of the other run.

    Returns:
        the ratio; None where one of the two has under two launches at this count.
    """
    means = [_launch_means(reps, workers) for reps in (new, old)]
    if min(values.size for values in means) < 2:
        return None
    found = stats.ttest_ind(means[0], means[1], equal_var=False).confidence_interval(confidence)
    return Interval(float(found.low), float(means[0].mean() - means[1].mean()), float(found.high)).exp()


def _launch_means(reps: Reps, workers: int) -> Floats:
    chosen = reps.select(workers=workers)
    if len(chosen) == 0:
        return np.empty(0)
    grid = Grid.of(chosen)
    means = over_blocks(grid.launch, grid.mean(chosen.log_cost()))[1][:, 0]
    return np.asarray(means[np.isfinite(means)])
