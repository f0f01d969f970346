"""Launches of a machine that drifts, held against the launches around them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from knee.stats.reps import Floats

AROUND = 1
"""Launches of the program as it is, before and after, that tell what it was at a moment: chosen by simulation of a
step, after which two and three on each side give more false causes (docs/statistics.md)."""

_LEAST = 0.3
"""Where less of the usual loss than this is left at a moment, a share of it says nothing."""


def leveled(
    slowdown: ArrayLike, at: ArrayLike, base: ArrayLike, base_at: ArrayLike, ceiling: float
) -> Floats:
    """What launches of an arm would show, had the program as it is been at each moment what it is on average.

    What a launch gives back of the loss around it, (t_near - t) / (t_near - t_ceiling), it gives back of the average
    loss: an arm that changes nothing comes out as the program is on average, one that mends all as the ceiling,
    whenever each was launched. ``t_near`` is the mean of the ``AROUND`` launches before and as many after.

    Args:
        slowdown: shape (launches,), time of a unit of work beside the others over alone.
        at: shape (launches,), where each stands in the order of all launches.
        base, base_at: the same of the program as it is, in their order.
        ceiling: slowdown of code that shares nothing.

    Returns:
        shape (launches,); a launch at or below the ceiling, and one in whose surroundings little was lost, as it was.
    """
    values, places = np.asarray(slowdown, dtype=np.float64), np.asarray(at)
    usual, order = np.asarray(base, dtype=np.float64), np.asarray(base_at)
    whole = usual.mean() - ceiling
    result = values.copy()
    for index, (value, place) in enumerate(zip(values, places, strict=True)):
        near = np.concatenate([usual[order < place][-AROUND:], usual[order > place][:AROUND]])
        if near.size == 0 or value <= ceiling or near.mean() - ceiling < _LEAST * whole:
            continue
        share = (near.mean() - value) / (near.mean() - ceiling)
        result[index] = usual.mean() - share * whole
    return result
