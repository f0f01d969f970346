"""Ctrl-C waits for what must not be left half done."""

from __future__ import annotations

import signal

import pytest

from knee.launch.interrupt import held


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


def test_another_programs_handler_is_left_alone() -> None:
    got: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: got.append(number))
    try:
        with held():
            signal.raise_signal(signal.SIGINT)
            assert got == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)
