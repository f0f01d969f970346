"""What a worker tells of an exception."""

from __future__ import annotations

import pytest

from knee.agent.worker import raised
from knee.agent.workload import WorkloadError


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
