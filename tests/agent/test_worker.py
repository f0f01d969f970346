"""What a worker tells of an exception, and of the results that it compares."""

from __future__ import annotations

import types
from typing import Any

import pytest

from knee.agent.worker import Seat, outputs, raised
from knee.agent.workload import Loaded, WorkloadError, _loop_nothing


def told(error: BaseException) -> str:
    with pytest.raises(type(error)) as caught:
        raise error
    text: str = raised(caught.value)["text"]
    return text


def test_an_exception_is_one_line_that_begins_with_its_type() -> None:
    assert told(ValueError("first\n  second\n")) == "ValueError: first second"
    assert told(KeyError("")) == "KeyError: ''"
    assert told(KeyboardInterrupt()) == "KeyboardInterrupt"


def test_what_knee_says_of_a_workload_needs_no_type() -> None:
    assert told(WorkloadError("setup must return a list")) == "setup must return a list"


def test_a_syntax_error_is_told_without_its_place() -> None:
    with pytest.raises(SyntaxError) as caught:
        compile("def f(:", "work.py", "exec")
    assert raised(caught.value)["text"] == "SyntaxError: invalid syntax"


def test_a_long_text_is_cut_and_the_traceback_is_whole() -> None:
    error = ValueError("x" * 5000)
    assert len(told(error)) == 300
    assert "x" * 5000 in raised(error)["traceback"]


class Opaque:
    """Has no ``__eq__`` of its own."""

    def __init__(self, value: int) -> None:
        self.value = value


class Stubborn:
    """Answers no question."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("eq")

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise RuntimeError("repr")


def compared(*results: Any, same: Any = None) -> list[Any]:
    holder = types.SimpleNamespace(same=same)
    seats = [
        Seat(Loaded(holder, lambda result=result: result, {}, _loop_nothing), None)  # type: ignore[misc]
        for result in results
    ]
    found: list[Any] = outputs(seats)["same"]
    return found


def test_results_are_alike_where_they_are_equal_or_their_contents_are() -> None:
    assert compared(1, 1.0, 2) == [True, True, False]
    assert compared(float("nan"), float("nan")) == [True, True]
    assert compared(Opaque(1), Opaque(1), Opaque(2)) == [True, True, False]


def test_a_result_that_answers_nothing_ends_nothing() -> None:
    assert compared(Stubborn(), 1) == [True, None]


def test_the_workloads_own_same_has_the_last_word() -> None:
    assert compared(1, 1, 2, same=lambda a, b: b == 2) == [False, False, True]
