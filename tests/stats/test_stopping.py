"""The stopping rule: what it looks at, when it stops, and what it predicts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.stats.interval import quantile
from knee.stats.stopping import FIRST_PRECISE, LOOKS, Stopping, is_look, launches_for, look_confidence

QUIET = 0.001 * np.random.default_rng(0).normal(size=(100, 2))
NOISY = 100 * QUIET


def test_a_quiet_ladder_stops_at_the_first_look_that_may() -> None:
    rule = Stopping(0.03)
    stops = [n for n in range(1, 30) if rule.decide(QUIET[:n]).stop]
    assert stops[0] == FIRST_PRECISE
    assert set(stops) == {n for n in LOOKS if FIRST_PRECISE <= n < 30}


def test_a_noisy_ladder_goes_on_until_the_budget_ends_and_never_below_the_minimum() -> None:
    rule = Stopping(0.03, minimum=5)
    assert not rule.decide(NOISY[:20]).stop
    assert rule.decide(NOISY[:20], affordable=False).reason == "budget"
    assert not rule.decide(NOISY[:4], affordable=False).stop


def test_every_count_must_be_precise() -> None:
    mixed = np.column_stack([QUIET[:13, 0], NOISY[:13, 0]])
    assert Stopping(0.03).decide(QUIET[:13]).stop
    assert not Stopping(0.03).decide(mixed).stop


def test_the_prediction_is_what_it_takes() -> None:
    """From the spread so far, the predicted number of launches is a look, and gives the precision."""
    rule = Stopping(0.03)
    needed = rule.needed(0.05 * np.random.default_rng(1).normal(size=10))
    assert needed is not None
    assert is_look(10 + needed)
    assert needed > 0
    assert Stopping(0.5).needed(QUIET[:10]) == 0


def test_nothing_is_predicted_from_one_launch() -> None:
    assert Stopping(0.03).decide(QUIET[:1]).needed is None
    assert Stopping(0.03).decide(QUIET[:1]).width == math.inf


def test_a_ladder_of_one_row_needs_its_launches_only() -> None:
    assert Stopping(0.03).decide(np.empty((10, 0))).stop


@given(st.floats(0.001, 1), st.floats(0.01, 0.5), st.sampled_from([0.9, 0.95, 0.99]))
def test_launches_for_is_the_smallest_number_that_does(spread: float, half: float, confidence: float) -> None:
    found = launches_for(spread, half, confidence)
    assert found is not None

    def reaches(n: int) -> bool:
        return quantile(n, confidence) * spread / math.sqrt(n) <= half

    assert reaches(found)
    assert found == 2 or not reaches(found - 1)


def test_no_number_of_launches_gives_no_width_at_all() -> None:
    assert launches_for(0.1, 0.0, 0.95) is None
    assert launches_for(1.0, 1e-6, 0.95) is None


def test_looks_cost_confidence() -> None:
    assert 0.95 < look_confidence(0.95) < 1
    assert Stopping().interval_confidence == pytest.approx(0.96)
