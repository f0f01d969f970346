"""Ctrl-C waits for what must not be left half done."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from knee.launch.interrupt import held, termination


def test_an_interrupt_comes_after_the_block_and_once() -> None:
    done = []

    def press_twice() -> None:
        with held():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            done.append(1)

    with pytest.raises(KeyboardInterrupt):
        press_twice()
    assert done == [1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_without_an_interrupt_nothing_happens_and_errors_pass() -> None:
    with held():
        pass
    with pytest.raises(ValueError, match="mine"), held():
        raise ValueError("mine")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(("number", "block"), [(signal.SIGINT, held), (signal.SIGTERM, termination)])
def test_another_programs_handler_is_left_alone(number: signal.Signals, block: Any) -> None:
    got: list[int] = []
    before = signal.signal(number, lambda number, _: got.append(number))
    try:
        with block():
            signal.raise_signal(number)
            assert got == [number]
    finally:
        signal.signal(number, before)


def test_a_request_to_end_is_taken_for_ctrl_c_and_held_back_like_it() -> None:
    done = []

    def asked() -> None:
        with termination():
            with held():
                signal.raise_signal(signal.SIGTERM)
                done.append("whole")
            done.append("never")

    with pytest.raises(KeyboardInterrupt):
        asked()
    assert done == ["whole"]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
