"""A machine that drifts while arms are launched."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.stats.leveling import leveled

BASE_AT = np.arange(0, 40, 4)


def drifting(at: np.ndarray) -> np.ndarray:
    """Two workers on cores that come to lie further apart at launch 20: what they contend for costs more then."""
    return np.where(at < 20, 1.5, 2.5)


@given(st.integers(1, 38), st.floats(0.0, 1.0))
def test_what_an_arm_gives_back_does_not_depend_on_when_it_was_launched(place: int, share: float) -> None:
    """But for launches at the change itself, around which the program is both."""
    base = drifting(BASE_AT)
    now = float(drifting(np.array(place)))
    found = leveled([now - share * (now - 1.0)], [place], base, BASE_AT, 1.0)
    given_back = (base.mean() - found[0]) / (base.mean() - 1.0)
    if abs(place - 20) > 8:
        assert given_back == pytest.approx(share)


def test_without_leveling_an_arm_that_does_nothing_seems_to_help() -> None:
    base = drifting(BASE_AT)
    early = drifting(np.array([1, 9]))
    assert (base.mean() - early.mean()) / (base.mean() - 1.0) > 0.4
    found = leveled(early, [1, 9], base, BASE_AT, 1.0)
    assert found == pytest.approx([base.mean()] * 2)


def test_an_arm_at_the_ceiling_stays_there() -> None:
    assert leveled([0.9, 1.0], [3, 30], drifting(BASE_AT), BASE_AT, 1.0) == pytest.approx([0.9, 1.0])


def test_where_nothing_was_lost_around_a_launch_it_stays_as_it_was() -> None:
    base = np.where(BASE_AT < 20, 1.02, 2.5)
    assert leveled([1.2], [6], base, BASE_AT, 1.0) == pytest.approx([1.2])
