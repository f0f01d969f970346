"""The median and its interval."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.machine.probes.median import median


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_the_interval_holds_the_estimate(values: list[float], confidence: float) -> None:
    found = median(values, confidence)
    assert found.low <= found.estimate <= found.high


@pytest.mark.parametrize(("count", "ranks"), [(5, None), (6, (1, 6)), (9, (2, 8)), (20, (6, 15))])
def test_order_statistics_are_those_of_the_tables(count: int, ranks: tuple[int, int] | None) -> None:
    """At 95 %: none for 5 values, the ends for 6, the 6th and 15th of 20 (Conover 1999, table A3)."""
    found = median(list(range(1, count + 1)), 0.95)
    assert (found.low, found.high) == (ranks or (-math.inf, math.inf))


def test_coverage_is_at_least_what_is_claimed() -> None:
    draw = random.Random(7)
    held = 0
    for _ in range(2000):
        found = median([draw.expovariate(1) for _ in range(15)], 0.95)
        held += found.low <= math.log(2) <= found.high
    assert held / 2000 > 0.94


def test_an_open_interval_is_null_in_json() -> None:
    assert median([1.0]).to_json() == {"low": None, "estimate": 1.0, "high": None}
