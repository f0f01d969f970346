"""Verdicts from launches."""

from __future__ import annotations

import math

import numpy as np
import pytest

from knee.stats.told import Told
from knee.stats.verdict import judge


def told(*values: float) -> Told:
    return Told(np.array(values), np.full(len(values), np.nan), np.zeros(len(values)))


def test_the_two_sides_mirror_each_other() -> None:
    logs = (0.1, 0.11, 0.09, 0.1, 0.105)
    up, down = judge(told(*logs), 0.02, 0.95), judge(told(*(-v for v in logs)), 0.02, 0.95)
    assert up is not None
    assert down is not None
    assert (up[1], down[1]) == ("slower", "faster")
    assert up[0].estimate * down[0].estimate == pytest.approx(1)


def test_a_difference_inside_the_margin_is_the_same_though_told_from_nothing() -> None:
    found = judge(told(0.005, 0.0051, 0.0049, 0.005), 0.02, 0.95)
    assert found is not None
    assert found[0].excludes(1.0)
    assert found[1] == "same"


def test_the_needed_launches_give_a_verdict_when_the_spread_stays() -> None:
    """With as many launches as predicted, of the same mean and spread, there is a verdict."""
    values = 0.05 + 0.04 * np.array([-1.2, -0.7, 0.1, 0.6, 1.2])
    found = judge(told(*values), 0.02, 0.95)
    assert found is not None
    assert found[1] == "cannot-tell"
    assert found[3] is not None
    again = judge(told(*np.resize(values, 5 + found[3] + 4)), 0.02, 0.95)
    assert again is not None
    assert again[1] == "slower"


def test_nothing_told_is_none_and_one_launch_cannot_tell() -> None:
    assert judge(told(math.nan), 0.02, 0.95) is None
    one = judge(told(0.5), 0.02, 0.95)
    assert one is not None
    assert one[1:] == ("cannot-tell", 1, None)
