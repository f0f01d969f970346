"""Reduction to launches: blocks first, missing cells stay missing."""

from __future__ import annotations

import numpy as np
import pytest

from knee.stats.launches import curve, over_blocks
from knee.stats.machines import reps_of
from knee.stats.reps import Reps


def made(log_times: np.ndarray, counts: tuple[int, ...] = (1, 2)) -> Reps:
    return reps_of(log_times, np.zeros(log_times.shape, np.int64), counts)


def test_speedup_is_taken_inside_the_block() -> None:
    """A block that ran twice as slow as a whole changes times and no speedup."""
    log = np.log(np.array([[[[1.0], [1.25]], [[2.0], [2.5]]]]))
    found = curve(made(log))
    assert np.exp(found.log_speedup[0]) == pytest.approx([1, 2 / 1.25])
    assert np.exp(found.log_time[0]) == pytest.approx([2**0.5, 1.25 * 2**0.5])


def test_efficiency_is_speedup_over_the_ideal() -> None:
    found = curve(made(np.zeros((3, 1, 2, 2))))
    assert found.efficiency_at(2) == pytest.approx([0, 0, 0])


def test_a_block_without_the_base_tells_no_speedup() -> None:
    reps = made(np.zeros((2, 1, 2, 1)))
    found = curve(reps.where(~((reps.launch == 1) & (reps.workers == 1))))
    assert np.isfinite(found.log_speedup[:, 1]).tolist() == [True, False]
    assert np.isfinite(found.log_time[:, 1]).all()


def test_throughput_counts_the_calls_of_all_workers() -> None:
    found = curve(made(np.zeros((1, 1, 2, 1))))
    assert np.exp(found.log_throughput[0]) == pytest.approx([100, 200])


def test_over_blocks_ignores_what_is_missing() -> None:
    launch, mean = over_blocks(np.array([3, 3, 5]), np.array([[1.0, np.nan], [3.0, np.nan], [5.0, 1.0]]))
    assert launch.tolist() == [3, 5]
    assert np.array_equal(mean, [[2, np.nan], [5, 1]], equal_nan=True)
