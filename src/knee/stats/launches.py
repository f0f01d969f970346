"""Reps reduced to one row per launch: the values over which everything is inferred."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knee.stats.reps import Bools, Floats, Ints, Reps


@dataclass(frozen=True)
class Grid:
    """Where each rep stands among blocks and worker counts.

    Attributes:
        launch: shape (B,), the launch of each block.
        counts: shape (W,), ascending worker counts.
        cell: shape (reps,), row-major index into (B, W).
    """

    launch: Ints
    counts: Ints
    cell: Ints

    @classmethod
    def of(cls, reps: Reps) -> Grid:
        """The grid of the blocks and counts that occur in ``reps``."""
        counts, column = np.unique(reps.workers, return_inverse=True)
        # Blocks by one number each: unique rows of a matrix would be many times slower.
        number = reps.launch * (1 + reps.block.max(initial=0)) + reps.block
        _, first, row = np.unique(number, return_index=True, return_inverse=True)
        return cls(reps.launch[first], counts, row * counts.size + column)

    def mean(self, values: Floats, among: Bools | None = None) -> Floats:
        """Mean of ``values`` (one per rep, only where ``among`` holds), shape (B, W), NaN in empty cells."""
        cell = self.cell if among is None else self.cell[among]
        size = self.launch.size * self.counts.size
        number = np.bincount(cell, minlength=size)
        total = np.bincount(cell, weights=values if among is None else values[among], minlength=size)
        mean = np.full(size, np.nan)
        np.divide(total, number, out=mean, where=number > 0)
        return mean.reshape(self.launch.size, self.counts.size)


def over_blocks(launch: Ints, values: Floats) -> tuple[Ints, Floats]:
    """Average rows (one per block) inside each launch, ignoring NaN.

    Returns:
        the launch numbers, shape (L,), and the means, shape (L, ...), NaN where a launch has no value.
    """
    numbers, row = np.unique(launch, return_inverse=True)
    known = np.isfinite(values)
    total = np.zeros((numbers.size, *values.shape[1:]))
    number = np.zeros_like(total)
    np.add.at(total, row, np.where(known, values, 0.0))
    np.add.at(number, row, known)
    mean = np.full_like(total, np.nan)
    np.divide(total, number, out=mean, where=number > 0)
    return numbers, mean


@dataclass(frozen=True)
class Curve:
    """One ladder per launch.

    Attributes:
        launch: shape (L,).
        counts: shape (W,), ascending; the first is the base of every speedup.
        log_time: shape (L, W), mean log seconds per rep.
        log_throughput: shape (L, W), mean log calls per second.
        log_speedup: shape (L, W), over the base in the same block, averaged over blocks; NaN where it is
            missing.
    """

    launch: Ints
    counts: Ints
    log_time: Floats
    log_throughput: Floats
    log_speedup: Floats

    @property
    def log_efficiency(self) -> Floats:
        """Log of speedup over the ideal one, shape (L, W)."""
        return np.asarray(self.log_speedup - np.log(self.counts / self.counts[0]))

    def efficiency_at(self, workers: int) -> Floats:
        """Log efficiency at one worker count, one number per launch that measured it: what ``attribute``
        takes."""
        column = self.log_efficiency[:, self.counts == workers].reshape(-1)
        return column[np.isfinite(column)]


def curve(reps: Reps) -> Curve:
    """The ladder of each launch from the reps of one treatment and kind (select them first)."""
    grid = Grid.of(reps)
    speed = grid.mean(reps.log_speed())
    launch, log_speedup = over_blocks(grid.launch, speed - speed[:, :1])
    _, log_time = over_blocks(grid.launch, grid.mean(np.log(reps.time)))
    _, log_throughput = over_blocks(grid.launch, grid.mean(np.log(np.maximum(reps.calls, 1) / reps.time)))
    return Curve(launch, grid.counts, log_time, log_throughput, log_speedup)


def columns(of: Curve, counts: Ints) -> Floats:
    """``of.log_speedup`` for the given worker counts, shape (L, len(counts)); NaN for counts it lacks."""
    out = np.full((of.launch.size, counts.size), np.nan)
    for j, n in enumerate(counts):
        hit = np.flatnonzero(of.counts == n)
        if hit.size:
            out[:, j] = of.log_speedup[:, hit[0]]
    return out
