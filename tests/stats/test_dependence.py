"""Dependence between launches."""

from __future__ import annotations

import numpy as np

from knee.stats.dependence import FEWEST, dependent


def test_a_trend_and_a_slow_change_are_seen() -> None:
    assert dependent(np.arange(20.0))
    assert dependent(np.repeat([0.0, 1.0], 12))


def test_alternation_and_constancy_are_not_called_dependent() -> None:
    assert not dependent(np.tile([0.0, 1.0], 12))
    assert not dependent(np.ones(20))


def test_few_launches_say_nothing() -> None:
    assert not dependent(np.arange(FEWEST - 1.0))


def test_independent_launches_are_called_dependent_at_the_level() -> None:
    rng = np.random.default_rng(3)
    for values in (
        rng.normal(size=(2000, 20)),
        rng.standard_t(2, (2000, 20)),
        (rng.random((2000, 20)) < 0.5) * 1.0,
    ):
        assert np.mean([dependent(row) for row in values]) < 0.02
