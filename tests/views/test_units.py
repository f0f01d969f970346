"""Figures are short, and never claim more than is known."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.stats.interval import Interval
from knee.views import units


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (1.0, "1.00 s"),
        (123.4, "123 s"),
        (0.104, "104 ms"),
        (0.0123, "12.3 ms"),
        (4.2e-6, "4.20 µs"),
        (3e-9, "3.00 ns"),
        (1e-12, "0.00100 ns"),
        (0.0, "0 ns"),
    ],
)
def test_times_have_three_figures_and_a_unit(seconds: float, text: str) -> None:
    assert units.time(seconds) == text


@pytest.mark.parametrize(
    ("rate", "text"),
    [(9.62e3, "9.62 k/s"), (1.0, "1.00/s"), (0.05, "0.0500/s"), (2.5e9, "2.50 G/s"), (646, "646/s")],
)
def test_rates_have_three_figures_and_a_unit(rate: float, text: str) -> None:
    assert units.rate(rate) == text


@given(st.floats(1e-12, 1e12))
def test_three_figures_are_within_half_a_percent(value: float) -> None:
    assert float(units.figures(value)) == pytest.approx(value, rel=0.0051)
    assert "e" not in units.figures(value)


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (None, ""),
        (Interval.exactly(1.0), "1.00"),
        (Interval(1.89, 1.92, 1.95), "1.92 ± 0.03"),
        (Interval(0.97, 1.39, 1.98), "1.39 (0.97 to 1.98)"),
        (Interval(-math.inf, 1.39, math.inf), "1.39 ± ?"),
        (Interval(0.01, 1.24, 60.0), "1.24 ± ?"),
        (Interval(-0.14, -0.13, -0.12), "-0.13 ± 0.01"),
    ],
)
def test_ratios_show_their_interval(interval: Interval | None, text: str) -> None:
    assert units.ratio(interval) == text


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (None, ""),
        (Interval.exactly(1.0), "100%"),
        (Interval(0.94, 0.96, 0.98), "96% ± 2"),
        (Interval(-math.inf, 0.5, math.inf), "50% ± ?"),
    ],
)
def test_shares_show_their_interval(interval: Interval | None, text: str) -> None:
    assert units.percent(interval) == text


def test_the_spread_of_a_time_is_relative() -> None:
    assert units.spread(Interval(0.099, 0.1, 0.101)) == "± 1.0%"
    assert units.spread(Interval(-math.inf, 0.1, math.inf)) == "± ?"
    assert units.spread(Interval(0.01, 0.03, 0.09)) == "± ?"
    assert units.spread(Interval(0.0, 0.0, 0.0)) == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-1, "0 s"), (0.2, "1 s"), (59, "59 s"), (60, "1:00 min"), (90.5, "1:31 min"), (7500, "2:05 h")],
)
def test_spans_to_wait_are_rounded_up(seconds: float, text: str) -> None:
    assert units.span(seconds) == text
