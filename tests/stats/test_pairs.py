"""Pairs and midmeans."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from knee.stats.machines import reps_of
from knee.stats.pairs import by_launch, midmeans, pairs, rank


def test_the_ith_rep_meets_the_ith_of_its_pool() -> None:
    order = np.array([0, 1, 1, 0])[None, None, None]
    reps = reps_of(np.log([[[[1.0, 3.0, 4.0, 2.0]]]]), order, (1,))
    found = pairs(reps, 1, 0)
    assert np.exp(found.log_ratio).tolist() == pytest.approx([3, 2])
    assert found.rival_second.tolist() == [True, False]
    turned = pairs(reps, 0, 1)
    assert np.allclose(turned.log_ratio, -found.log_ratio)
    assert turned.rival_second.tolist() == [False, True]


def test_a_rep_without_a_partner_is_left_out() -> None:
    order = np.array([0, 1, 1])[None, None, None]
    assert pairs(reps_of(np.zeros((1, 1, 1, 3)), order, (1,)), 1, 0).launch.size == 1
    assert pairs(reps_of(np.zeros((1, 1, 1, 3)), order * 0, (1,)), 1, 0).launch.size == 0


def test_by_launch_has_an_entry_for_each_count_and_every_launch() -> None:
    order = np.broadcast_to([0, 1, 1, 0], (3, 1, 2, 4))
    reps = reps_of(np.zeros((3, 1, 2, 4)), order, (1, 4))
    found = by_launch(pairs(reps.where((reps.launch != 1) | (reps.workers == 1)), 1, 0))
    assert list(found) == [1, 4]
    assert np.isfinite(found[1].value).tolist() == [True, True, True]
    assert np.isfinite(found[4].value).tolist() == [True, False, True]


@given(st.lists(st.floats(-9, 9), min_size=2, max_size=20))
def test_variances_are_those_of_yuen(values: list[float]) -> None:
    order = np.tile([0, 1], len(values))[None, None, None]
    log = np.zeros((1, 1, 1, 2 * len(values)))
    log[..., 1::2] = values
    found = by_launch(pairs(reps_of(log, order, (1,)), 1, 0))[1]
    cut = len(values) // 4
    bent = np.asarray(stats.mstats.winsorize(np.array(values), (0.25, 0.25)))
    kept = len(values) - 2 * cut
    assert found.degrees[0] == kept - 1
    if kept > 1:
        expected = np.sum((bent - bent.mean()) ** 2) / (kept * (kept - 1))
        assert found.variance[0] == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-9, 9)), max_size=60))
def test_midmeans_are_quarter_trimmed_means(entries: list[tuple[int, float]]) -> None:
    group, values = np.array([g for g, _ in entries], int), np.array([v for _, v in entries], float)
    found = midmeans(group, values, 4)
    for g in range(4):
        own = values[group == g]
        assert found[g] == pytest.approx(stats.trim_mean(own, 0.25) if own.size else np.nan, nan_ok=True)


def test_rank_counts_inside_runs() -> None:
    assert rank(np.array([[1, 1], [1, 1], [1, 2], [2, 2], [2, 2]])).tolist() == [0, 1, 0, 0, 1]
    assert rank(np.empty((0, 2), int)).size == 0
