"""Intervals: their arithmetic, and what few values leave open."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from knee.stats.interval import Interval, of_difference, of_mean, of_ratio

VALUES = st.lists(st.floats(-5, 5), min_size=2, max_size=30)


@given(VALUES, st.floats(0.5, 0.999))
def test_of_mean_is_students_interval(values: list[float], confidence: float) -> None:
    found = of_mean(values, confidence)
    assert found is not None
    spread = stats.sem(values)
    half = 0.0 if spread == 0 else stats.t.interval(confidence, len(values) - 1, 0, spread)[1]
    assert found.high - found.estimate == pytest.approx(half, abs=1e-9)
    assert found.estimate - found.low == pytest.approx(half, abs=1e-9)


@given(VALUES)
def test_the_ends_enclose_the_estimate_through_exp_and_scaling(values: list[float]) -> None:
    ratio = of_ratio(values)
    assert ratio is not None
    for interval in (ratio, ratio.scaled(0.5), ratio.scaled(-2)):
        assert interval.low <= interval.estimate <= interval.high


def test_one_value_excludes_nothing_and_none_gives_none() -> None:
    one = of_mean([1.5, math.nan])
    assert one is not None
    assert one.estimate == 1.5
    assert not one.excludes(1e9)
    assert not one.bounded
    assert of_mean([math.nan]) is None


def test_json_never_holds_what_json_cannot_say() -> None:
    one = of_ratio([0.1])
    assert one is not None
    assert json.loads(json.dumps(one.to_json(), allow_nan=False)) == {
        "low": None,
        "estimate": pytest.approx(math.exp(0.1)),
        "high": None,
    }


@given(VALUES, VALUES)
def test_of_difference_is_welchs_interval(a: list[float], b: list[float]) -> None:
    if min(np.ptp(a), np.ptp(b)) < 1e-3:
        return
    expected = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    found = of_difference(a, b, 0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_a_number_is_known_and_a_single_launch_is_not() -> None:
    assert of_difference([1.0, 1.2, 1.1], 1.0).bounded
    assert not of_difference([1.0, 1.2, 1.1], [1.0]).bounded


def test_width_is_whole_and_relative() -> None:
    assert Interval(1.8, 2.0, 2.4).width_relative == pytest.approx(0.3)
