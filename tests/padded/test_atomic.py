"""AtomicInt64 and AtomicFloat64: one word, no update lost."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knee.padded import AtomicFloat64, AtomicInt64

from .workers import run_together

int64 = st.integers(-(2**63), 2**63 - 1)


def test_every_ticket_is_drawn_once() -> None:
    word = AtomicInt64()

    def work(_: int) -> list[int]:
        mine = word.local()
        return [mine.add() if i % 2 else word.add(1) for i in range(2000)]

    drawn = [ticket for tickets in run_together(work, 4) for ticket in tickets]
    assert sorted(drawn) == list(range(8000))


def test_compare_exchange_loses_no_update() -> None:
    word = AtomicFloat64()

    def work(_: int) -> None:
        for _ in range(1000):
            while not word.compare_exchange(seen := word.load(), seen + 0.5):
                pass
            word.add(0.25)

    run_together(work, 3)
    assert word.load() == 3 * 1000 * 0.75


@settings(deadline=None)
@given(int64, int64, int64)
def test_integers_behave_as_int64(start: int, n: int, other: int) -> None:
    word = AtomicInt64(start)
    assert word.add(n) == start
    wrapped: int = struct.unpack("q", struct.pack("Q", (start + n) % 2**64))[0]
    assert word.load() == wrapped
    assert word.compare_exchange(other, 1) == (other == wrapped)
    assert word.exchange(other) == (1 if other == wrapped else wrapped)
    word.store(n)
    assert repr(word) == f"AtomicInt64({n})"


@settings(deadline=None)
@given(st.floats(allow_nan=False), st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_floats_behave_as_floats(start: float, n: float, other: float) -> None:
    word = AtomicFloat64(start)
    assert word.add(n) == start
    now = word.load()
    assert now == start + n or (now != now and start + n != start + n)
    assert word.compare_exchange(other, 1.0) == (other == now)


def test_nan_equals_nothing() -> None:
    word = AtomicFloat64(float("nan"))
    assert not word.compare_exchange(float("nan"), 1.0)


def test_what_does_not_fit_is_refused() -> None:
    word = AtomicInt64(5)
    for value in (2**63, -(2**63) - 1):
        for call in (word.add, word.store, word.exchange):
            with pytest.raises(OverflowError):
                call(value)
    with pytest.raises(TypeError):
        word.store(1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        word.compare_exchange(1)  # type: ignore[call-arg]
    assert word.load() == 5
