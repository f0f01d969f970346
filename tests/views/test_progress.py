"""Progress never runs backwards or beyond its end, and a pipe sees nothing of it."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from knee.launch.runner import Progress
from knee.views import progress

STATES = st.builds(
    Progress,
    launches=st.integers(0, 1000),
    expected=st.none() | st.integers(0, 1000),
    elapsed=st.floats(0, 1e6),
    budget=st.floats(0.001, 1e6),
    doing=st.just("2 threads"),
)


@given(STATES)
def test_shares_and_times_left_are_possible(state: Progress) -> None:
    assert 0 <= progress.share(state) <= 1
    seconds = progress.seconds_left(state)
    assert seconds is None or seconds >= 0
    assert progress.left(state)


def test_launches_tell_the_time_left_where_their_number_is_known() -> None:
    state = Progress(launches=4, expected=10, elapsed=20.0, budget=60.0, doing="2 threads")
    assert progress.seconds_left(state) == 30
    assert progress.share(state) == 0.4
    assert progress.describe(state) == "launch 5 of 10: 2 threads"
    assert progress.left(state) == "30 s left"


def test_the_budget_bounds_the_time_left_where_it_is_not() -> None:
    state = Progress(launches=1, expected=None, elapsed=20.0, budget=60.0, doing="2 threads")
    assert progress.seconds_left(state) == 40
    assert progress.left(Progress(0, None, 0.0, 60.0, "")) == "up to 1:00 min"


def test_a_terminal_sees_the_bar_and_is_left_clean() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    with progress.bar(console) as tell:
        tell(Progress(4, 10, 20.0, 60.0, "2 threads"))
    assert isinstance(console.file, io.StringIO)
    assert "launch 5 of 10: 2 threads" in console.file.getvalue()


def test_what_is_no_terminal_sees_nothing() -> None:
    console = Console(file=io.StringIO(), force_terminal=False)
    with progress.bar(console) as tell:
        tell(Progress(4, 10, 20.0, 60.0, "2 threads"))
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue() == ""
