"""Counter, Maximum, Histogram: sharded statistics are exact."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from knee.padded import Counter, Histogram, Maximum

from .workers import run_together


@pytest.mark.parametrize("line", [None, 16, 64, 256])
def test_no_add_is_lost(line: int | None) -> None:
    counter = Counter(line=line)

    def work(index: int) -> None:
        add = counter.local()
        for i in range(5000):
            (add, counter.add, counter)[i % 3](index)

    run_together(work, 5)
    assert counter.value() == 5000 * (0 + 1 + 2 + 3 + 4)


def test_reading_and_resetting_meanwhile_loses_nothing() -> None:
    counter, taken = Counter(), [0]

    def work(index: int) -> None:
        if index:
            for _ in range(20000):
                counter.add()
        else:
            last = 0
            for i in range(300):
                if i % 3 == 0:
                    taken[0] += counter.reset()
                    last = 0
                else:
                    now = counter.value()
                    assert now >= last
                    last = now

    run_together(work, 4)
    assert counter.value() + taken[0] == 3 * 20000


def test_a_thread_that_ended_still_counts_and_its_shard_is_used_again() -> None:
    counter = Counter()
    for n in range(100):
        thread = threading.Thread(target=counter.add, args=(n,))
        thread.start()
        thread.join()
    assert counter.value() == sum(range(100))


def test_a_handle_is_right_in_any_thread() -> None:
    counter = Counter()
    add = counter.local()

    def work(_: int) -> None:
        for _ in range(3000):
            add(1)

    run_together(work, 4)
    assert counter.value() == 12000
    del counter
    add(1)


def test_sums_beyond_64_bits_are_exact() -> None:
    counter = Counter()
    run_together(lambda _: counter.add(2**63 - 1), 3)
    for n in (2**63 - 1, 5, -(2**63), -(2**63), -1, 2**62):
        counter.add(n)
    assert counter.value() == 4 * (2**63 - 1) + 5 - 2 * 2**63 - 1 + 2**62
    with pytest.raises(OverflowError):
        counter.add(2**63)
    with pytest.raises(TypeError):
        counter.add("1")  # type: ignore[arg-type]
    counter.reset()
    for _ in range(5):
        counter.add(-(2**63))
    assert counter.reset() == -5 * 2**63
    assert counter.value() == 0


def test_the_maximum_is_the_largest() -> None:
    largest = Maximum("q")
    assert largest.value() is None

    def work(index: int) -> None:
        update = largest.local()
        for i in range(2000):
            update(i * 7 + index)
            largest.update(-i)
            largest(-i)

    run_together(work, 4)
    assert largest.value() == 1999 * 7 + 3
    assert largest.reset() == 1999 * 7 + 3
    assert largest.value() is None
    largest.update(-(2**63))
    assert largest.value() == -(2**63)
    seconds = Maximum()
    seconds.update(float("-inf"))
    assert seconds.value() == float("-inf")


def test_a_histogram_counts_each_value_once() -> None:
    histogram = Histogram([10, 20, 30.5])

    def work(index: int) -> None:
        observe = histogram.local()
        for value in range(40):
            (observe, histogram.observe, histogram)[value % 3](value)

    run_together(work, 4)
    assert histogram.value() == ((4 * 11, 4 * 10, 4 * 10, 4 * 9), 4 * sum(range(40)))
    assert histogram.reset()[1] == 4 * sum(range(40))
    assert histogram.value() == ((0, 0, 0, 0), 0.0)
    assert histogram.bounds == (10.0, 20.0, 30.5)


@pytest.mark.parametrize("bounds", [[], [1, 1], [2, 1], [float("nan")], ["a"], 5, None])
def test_bad_bounds_are_refused(bounds: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        Histogram(bounds)


@pytest.mark.parametrize(
    "call", [Maximum().update, Histogram([1]).observe, Maximum().local(), Histogram([1]).local()]
)
def test_values_without_a_place_are_refused(call: Any) -> None:
    with pytest.raises(ValueError, match="NaN"):
        call(float("nan"))
    for value in ("1", None):
        with pytest.raises(TypeError):
            call(value)


@pytest.mark.parametrize("call", [Counter(), Counter().local(), Maximum(), Maximum().local()])
def test_handles_take_one_value(call: Any) -> None:
    with pytest.raises(TypeError):
        call(1, 2)
    with pytest.raises(TypeError):
        call(n=1)
