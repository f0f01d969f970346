"""Modes: found where they are, never made of one odd launch or of trifles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.stats.modes import labels, modes

FAST = [0.0, 0.01, -0.01, 0.02, 0.005, -0.015]
SLOW = [value + math.log(1.5) for value in FAST]


def test_two_clusters_come_out_with_their_shares_and_centres() -> None:
    found = modes([*FAST, *SLOW[:3]])
    assert [m.launches for m in found] == [6, 3]
    assert found[1].share == pytest.approx(1 / 3)
    assert found[1].value.estimate == pytest.approx(np.mean(SLOW[:3]))
    assert labels(found, 9).tolist() == [0] * 6 + [1] * 3


def test_three_clusters_are_three_modes() -> None:
    assert len(modes([*FAST, *SLOW, *(v + math.log(3) for v in FAST)])) == 3


def test_one_odd_launch_is_no_mode() -> None:
    assert modes([*FAST, 1.0]) == ()


def test_four_launches_are_too_few() -> None:
    assert modes([0, 0.001, 1, 1.001]) == ()


def test_clusters_closer_than_the_ratio_that_matters_are_one() -> None:
    tight = [0.0, 0.0001, 0.0002, 0.0001, 0.0, 0.02, 0.0201, 0.0202, 0.02]
    assert modes(tight) == ()
    assert len(modes(tight, apart=1.01)) == 2


def test_launches_without_a_value_belong_to_no_mode() -> None:
    found = modes([*FAST, math.nan, *SLOW])
    assert labels(found, 13)[6] == -1
    assert sum(m.share for m in found) == pytest.approx(1)


@given(st.permutations([*FAST, *SLOW]))
def test_the_order_of_launches_does_not_matter(values: list[float]) -> None:
    assert [m.launches for m in modes(values)] == [6, 6]


@given(st.lists(st.floats(-1, 1), max_size=12))
def test_modes_part_the_launches(values: list[float]) -> None:
    """Whatever is given, modes are ordered, disjoint, of two launches or more, and cover all."""
    found = modes(values)
    if found:
        assert np.sum([m.members for m in found], axis=0).tolist() == [1] * len(values)
        assert min(m.launches for m in found) >= 2
        assert [m.value.estimate for m in found] == sorted(m.value.estimate for m in found)
