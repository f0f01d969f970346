"""Reps of two treatments paired inside their pools: where whatever the pool drew cancels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knee.stats.reps import Bools, Floats, Ints, Reps
from knee.stats.told import Told

_TRIM = 0.25


@dataclass(frozen=True)
class Pairs:
    """One entry per pair: the i-th rep of the rival in a pool with the i-th rep of the reference there.

    Attributes:
        launch: of the pair.
        workers: of its pool.
        log_ratio: log of the rival's cost over the reference's.
        rival_second: whether the rival's rep came after the reference's.
    """

    launch: Ints
    workers: Ints
    log_ratio: Floats
    rival_second: Bools


def pairs(reps: Reps, rival: int, against: int) -> Pairs:
    """Pair the reps of two treatments, in the order in which they ran; reps without a partner are left out."""
    both = reps.select(treatment=[rival, against])
    both = both.where(np.lexsort((both.position, both.treatment, both.workers, both.block, both.launch)))
    pool = np.stack([both.launch, both.block, both.workers], axis=1)
    # Inside a pool, each treatment's reps are numbered; sorted by that number, partners become neighbours.
    number = rank(np.column_stack([pool, both.treatment]))
    order = np.lexsort((both.treatment, number, both.workers, both.block, both.launch))
    both, key = both.where(order), np.column_stack([pool, number])[order]
    first = np.flatnonzero((key[1:] == key[:-1]).all(axis=1))
    low, high = both.where(first), both.where(first + 1)
    new, old = (low, high) if rival < against else (high, low)
    return Pairs(new.launch, new.workers, new.log_cost() - old.log_cost(), new.position > old.position)


def by_launch(of: Pairs) -> dict[int, Told]:
    """Reduce pairs to one log ratio per launch and worker count: the midmean, with its variance.

    The quarter of the pairs at either end is left out, so that a neighbour who comes or goes between the two reps of
    a pair does not decide the launch (trimmed mean; Tukey, A survey of sampling from contaminated distributions,
    1960). With under four pairs it is the mean. Chosen by simulation, docs/statistics.md.

    Returns:
        for each worker count, the launches in ascending order (all that have any count).
    """
    launches, row = np.unique(of.launch, return_inverse=True)
    found = {}
    for workers in np.unique(of.workers):
        here = of.workers == workers
        group, values = row[here], of.log_ratio[here]
        value = midmeans(group, values, launches.size)
        variance, degrees = _variances(group, values, launches.size)
        found[int(workers)] = Told(value, variance, degrees)
    return found


def _variances(group: Ints, values: Floats, size: int) -> tuple[Floats, Floats]:
    """Variance of each midmean and its degrees of freedom, from winsorised squares (Yuen, Biometrika 61, 1974)."""
    order = np.lexsort((values, group))
    group, values = group[order], values[order]
    number = np.bincount(group, minlength=size)
    start = np.cumsum(number) - number
    cut = np.floor(_TRIM * number).astype(np.int64)
    lowest, highest = (start + cut)[group], (start + number - cut - 1)[group]
    bent = np.clip(values, values[lowest], values[highest])
    filled = np.maximum(number, 1)
    mean = np.bincount(group, weights=bent, minlength=size) / filled
    squares = np.bincount(group, weights=(bent - mean[group]) ** 2, minlength=size)
    degrees = number - 2 * cut - 1
    variance = np.full(size, np.nan)
    np.divide(squares, (degrees + 1) * degrees, out=variance, where=degrees > 0)
    return variance, np.maximum(degrees, 0).astype(np.float64)


def midmeans(group: Ints, values: Floats, size: int) -> Floats:
    """Mean of the middle half of the values of each group (numbered 0 to ``size`` - 1), NaN for an empty one."""
    order = np.lexsort((values, group))
    group, values = group[order], values[order]
    number = np.bincount(group, minlength=size)
    cut = np.floor(_TRIM * number).astype(np.int64)
    place = rank(group[:, None])
    kept = (place >= cut[group]) & (place < (number - cut)[group])
    total = np.bincount(group[kept], weights=values[kept], minlength=size)
    mean = np.full(size, np.nan)
    np.divide(total, number - 2 * cut, out=mean, where=number > 0)
    return mean


def rank(rows: Ints) -> Ints:
    """Number the rows of each run of equal rows from 0; shape (n, k) to (n,)."""
    if len(rows) == 0:
        return np.empty(0, np.int64)
    starts = np.flatnonzero(np.r_[True, (rows[1:] != rows[:-1]).any(axis=1)])
    return np.asarray(np.arange(len(rows)) - np.repeat(starts, np.diff(np.r_[starts, len(rows)])))
