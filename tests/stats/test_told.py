"""The mean over launches that were not equally precise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.stats.interval import of_mean
from knee.stats.told import Told, average, between


def told(values: list[float], spread: list[float], degrees: float = 5.0) -> Told:
    return Told(np.array(values), np.array(spread) ** 2, np.full(len(values), degrees))


def test_a_disturbed_launch_counts_for_less() -> None:
    calm = told([0.05, 0.051, 0.049, 0.05, 0.05], [0.002] * 5).interval(0.95)
    upset = told([0.05, 0.051, 0.049, 0.05, 0.30], [0.002] * 4 + [0.2]).interval(0.95)
    plain = of_mean([0.05, 0.051, 0.049, 0.05, 0.30])
    assert calm is not None
    assert upset is not None
    assert plain is not None
    assert upset.estimate == pytest.approx(0.05, abs=0.005)
    assert upset.high - upset.low < (plain.high - plain.low) / 10


def test_where_launches_differ_by_themselves_it_is_students_interval() -> None:
    """Equal precision far better than the spread between launches: weights are equal."""
    values = [0.1, -0.1, 0.3, 0.0, 0.2]
    found, plain = told(values, [1e-4] * 5).interval(0.95), of_mean(values)
    assert found is not None
    assert plain is not None
    assert (found.low, found.estimate, found.high) == pytest.approx((plain.low, plain.estimate, plain.high))


def test_launches_that_agree_by_chance_are_not_believed_beyond_their_own_precision() -> None:
    found = told([0.05, 0.05, 0.05, 0.05], [0.02] * 4).interval(0.95)
    assert found is not None
    assert found.high - found.low > 2 * 2 * 0.02 / 2


@pytest.mark.parametrize(("spread", "degrees"), [([np.nan] * 4, 5.0), ([0.1] * 4, 1.0)])
def test_without_variances_worth_the_name_launches_count_alike(spread: list[float], degrees: float) -> None:
    values = [0.0, 0.1, 0.2, 0.4]
    assert told(values, spread, degrees).interval(0.9) == of_mean(values, 0.9)


def test_launches_that_told_nothing_do_not_count() -> None:
    with_, without = told([0.0, 0.1, np.nan], [0.1] * 3), told([0.0, 0.1], [0.1] * 2)
    assert with_.interval(0.95) == without.interval(0.95)
    assert told([np.nan], [1.0]).interval(0.95) is None


def test_between_is_zero_where_the_inside_explains_all_and_solves_its_equation_elsewhere() -> None:
    value = np.array([0.0, 0.4, -0.3, 0.1])
    assert between(value, np.full(4, 1.0)) == 0.0
    inside = np.array([0.01, 0.02, 0.01, 0.05])
    weight = 1 / (inside + between(value, inside))
    mean = np.sum(weight * value) / np.sum(weight)
    assert np.sum(weight * (value - mean) ** 2) == pytest.approx(3)


def test_the_average_needs_every_count() -> None:
    found = average([told([0.1, 0.2], [0.1, 0.1]), told([0.3, np.nan], [0.3, 0.1])])
    assert found.value[0] == pytest.approx(0.2)
    assert np.isnan(found.value[1])
    assert found.variance[0] == pytest.approx((0.01 + 0.09) / 4)


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 1)), min_size=2, max_size=12),
    st.floats(-1, 1),
    st.floats(0.1, 10),
)
def test_it_moves_and_stretches_with_the_data(
    launches: list[tuple[float, float]], shift: float, scale: float
) -> None:
    values, spread = [v for v, _ in launches], [s + 1e-3 for _, s in launches]
    a = told(values, spread).interval(0.95)
    b = told([shift + scale * v for v in values], [scale * s for s in spread]).interval(0.95)
    assert a is not None
    assert b is not None
    assert (b.low, b.high) == pytest.approx(
        (shift + scale * a.low, shift + scale * a.high), abs=1e-6, rel=1e-6
    )
