"""What people type becomes a value or one clear line, never anything else."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.cli import parameter

PARSERS = (parameter.duration, parameter.share, parameter.workers, parameter.kinds, parameter.variable)


@pytest.mark.parametrize("parse", PARSERS)
@given(text=st.text())
def test_any_text_gives_a_value_or_a_value_error(parse: Callable[[str], Any], text: str) -> None:
    with contextlib.suppress(ValueError):
        parse(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90),
        ("90s", 90),
        ("1.5m", 90),
        ("2 min", 120),
        ("1h30m", 5400),
        ("100ms", 0.1),
        ("50us", 5e-5),
        ("50µs", 5e-5),
        (" .5 s ", 0.5),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert parameter.duration(text) == pytest.approx(seconds)


@given(st.integers(1, 10**6), st.sampled_from([("us", 1e-6), ("ms", 1e-3), ("s", 1), ("m", 60), ("h", 3600)]))
def test_every_unit_of_duration_is_read(number: int, unit: tuple[str, float]) -> None:
    assert parameter.duration(f"{number}{unit[0]}") == pytest.approx(number * unit[1])


@pytest.mark.parametrize(
    "text", ["", " ", "s", "0", "0s", "-1s", "1 2", "5 30s", "1s5", "1d", "nan", "inf", "1e3s", "9" * 400]
)
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"duration|number"):
        parameter.duration(text)


@given(st.floats(0.001, 99.9))
def test_shares_are_read_with_and_without_a_percent_sign(value: float) -> None:
    assert parameter.share(f"{value}%") == pytest.approx(value / 100)
    assert parameter.share(repr(value / 100)) == pytest.approx(value / 100)


def test_a_share_above_one_asks_whether_percent_was_meant() -> None:
    with pytest.raises(ValueError, match="did you mean 3%"):
        parameter.share("3")


@pytest.mark.parametrize("text", ["0", "0%", "100%", "-3%", "x", "%", "", "nan", "3 percent", "inf%"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="share"):
        parameter.share(text)


@given(st.lists(st.integers(1, parameter.MOST_WORKERS), min_size=1, max_size=20))
def test_worker_counts_come_out_ascending_and_once(counts: list[int]) -> None:
    assert parameter.workers(",".join(map(str, counts))) == tuple(sorted(set(counts)))


@given(st.integers(1, 100), st.integers(0, 50), st.sampled_from(["-", "..", " - "]))
def test_worker_counts_can_be_a_range(low: int, more: int, dash: str) -> None:
    assert parameter.workers(f"{low}{dash}{low + more}") == tuple(range(low, low + more + 1))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0", "0 is not a worker count"),
        ("1,0", "0 is not a worker count"),
        ("0-4", "0 is not a worker count"),
        ("-1", "is not a worker count"),
        ("1.5", "is not a worker count"),
        ("", "is not a worker count"),
        ("1,,2", "is not a worker count"),
        ("two", "is not a worker count"),
        ("4096", "more than Knee starts"),
        ("1-1000000", "more than Knee starts"),
        ("8-2", "write it 2-8"),
        ("9" * 100, "is not a worker count"),
    ],
)
def test_impossible_worker_counts_are_refused_in_their_words(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parameter.workers(text)


def test_kinds_keep_their_order_come_once_and_may_be_cut_short() -> None:
    assert parameter.kinds("processes, threads,processes") == ("processes", "threads")
    assert parameter.kinds("sub,T") == ("subinterpreters", "threads")


@pytest.mark.parametrize("text", ["", "thread,", "greenlets", "command", ","])
def test_unknown_kinds_are_refused_with_those_there_are(text: str) -> None:
    with pytest.raises(ValueError, match="there are threads, processes, subinterpreters"):
        parameter.kinds(text)


@given(
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_]*", fullmatch=True), st.text().filter(lambda text: "\0" not in text)
)
def test_variables_are_split_at_the_first_equals_sign(name: str, value: str) -> None:
    assert parameter.variable(f"{name}={value}") == (name, value)


@pytest.mark.parametrize("text", ["NAME", "=x", "", "1A=x", "A B=x", "A=\0"])
def test_what_sets_no_variable_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"variable|NUL"):
        parameter.variable(text)


def test_as_a_click_type_an_error_names_the_option() -> None:
    @click.command
    @click.option("--budget", type=parameter.DURATION, default="60s")
    def command(budget: float) -> float:
        return budget

    assert command.main([], standalone_mode=False) == 60
    with pytest.raises(click.BadParameter, match="is not a duration") as caught:
        command.main(["--budget", "soon"], standalone_mode=False)
    assert "--budget" in caught.value.format_message()


def test_no_duration_is_infinite() -> None:
    with pytest.raises(ValueError, match="duration"):
        parameter.duration("1" + "0" * 308 + "h")
    assert math.isfinite(parameter.duration("100000h"))
