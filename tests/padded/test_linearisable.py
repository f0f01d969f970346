"""What threads see of counters and arenas, they could have seen one after the other (Herlihy and Wing, 1990).

Small programs drawn by Hypothesis run at once; each call notes a ticket before and after. Then an order of all calls is
searched that respects the tickets and in which a sequential model gives every result that was seen.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knee.padded import Arenas, AtomicInt64, Counter, Histogram, Maximum

from .workers import run_together

Call = tuple[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Seen:
    """A call: its thread, when it began and ended, what it was and gave."""

    thread: int
    begin: int
    end: int
    call: Call
    result: Any


def history(make: Callable[[int], Callable[[Call], Any]], programs: list[list[Call]]) -> list[Seen]:
    clock = AtomicInt64()

    def work(thread: int) -> list[Seen]:
        perform, seen = make(thread), []
        for call in programs[thread]:
            begin = clock.add()
            result = perform(call)
            seen.append(Seen(thread, begin, clock.add(), call, result))
        return seen

    return [one for thread in run_together(work, len(programs)) for one in thread]


def linearisable(calls: list[Seen], state: Any, apply: Callable[[Any, Seen], tuple[bool, Any]]) -> bool:
    """Depth first over the calls that may come next: none of the others ended before they began."""
    todo: list[tuple[frozenset[int], Any]] = [(frozenset(range(len(calls))), state)]
    tried = set()
    while todo:
        left, state = todo.pop()
        if not left:
            return True
        if (left, state) in tried:
            continue
        tried.add((left, state))
        first_end = min(calls[i].end for i in left)
        for i in left:
            if calls[i].begin < first_end:
                fits, after = apply(state, calls[i])
                if fits:
                    todo.append((left - {i}, after))
    return False


def programs(calls: st.SearchStrategy[Call]) -> st.SearchStrategy[list[list[Call]]]:
    return st.lists(st.lists(calls, min_size=2, max_size=5), min_size=2, max_size=3)


def method(name: str, *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Call]:
    return st.tuples(st.just(name), st.tuples(*arguments))


small = st.integers(-3, 3)
SETTINGS = settings(max_examples=60, deadline=None)


def test_the_search_finds_what_cannot_be() -> None:
    """Two adds, one after the other, and a later value that misses one: no order explains that."""
    calls = [
        Seen(0, 0, 1, ("add", (1,)), None),
        Seen(0, 2, 3, ("add", (2,)), None),
        Seen(1, 4, 5, ("value", ()), 2),
    ]
    assert not linearisable(calls, 0, counter_model)
    assert linearisable([*calls[:2], Seen(1, 4, 5, ("value", ()), 3)], 0, counter_model)


def counter_model(total: int, seen: Seen) -> tuple[bool, int]:
    name, arguments = seen.call
    if name == "add":
        return True, total + arguments[0]
    return seen.result == total, 0 if name == "reset" else total


@pytest.mark.parametrize("handles", [False, True])
@SETTINGS
@given(programs(st.one_of(method("add", small), method("value"), method("reset"))))
def test_counter(handles: bool, programs: list[list[Call]]) -> None:
    counter = Counter()

    def make(_: int) -> Callable[[Call], Any]:
        local = counter.local()
        return lambda call: (
            local(*call[1]) if handles and call[0] == "add" else getattr(counter, call[0])(*call[1])
        )

    assert linearisable(history(make, programs), 0, counter_model)


@SETTINGS
@given(programs(st.one_of(method("update", small), method("value"), method("reset"))))
def test_maximum(programs: list[list[Call]]) -> None:
    largest = Maximum("q")

    def model(state: int | None, seen: Seen) -> tuple[bool, int | None]:
        name, arguments = seen.call
        if name == "update":
            return True, arguments[0] if state is None else max(state, arguments[0])
        return seen.result == state, None if name == "reset" else state

    calls = history(lambda _: lambda call: getattr(largest, call[0])(*call[1]), programs)
    assert linearisable(calls, None, model)


@SETTINGS
@given(programs(st.one_of(method("observe", small), method("value"))))
def test_histogram(programs: list[list[Call]]) -> None:
    histogram = Histogram([-1, 1])

    def model(state: tuple[int, int, int, int], seen: Seen) -> tuple[bool, tuple[int, int, int, int]]:
        low, middle, high, total = state
        if seen.call[0] == "value":
            return seen.result == ((low, middle, high), total), state
        value = seen.call[1][0]
        return True, (low + (value <= -1), middle + (-1 < value <= 1), high + (value > 1), total + value)

    calls = history(lambda _: lambda call: getattr(histogram, call[0])(*call[1]), programs)
    assert linearisable(calls, (0, 0, 0, 0), model)


@SETTINGS
@given(
    programs(
        st.one_of(
            method("add", small),
            method("load"),
            method("store", small),
            method("exchange", small),
            method("compare_exchange", small, small),
        )
    )
)
def test_atomic_integer(programs: list[list[Call]]) -> None:
    word = AtomicInt64()

    def model(state: int, seen: Seen) -> tuple[bool, int]:
        name, arguments = seen.call
        if name == "compare_exchange":
            return seen.result == (state == arguments[0]), arguments[1] if seen.result else state
        if name == "store":
            return True, arguments[0]
        after = {"add": lambda n: state + n, "exchange": lambda n: n, "load": lambda: state}[name](*arguments)
        return seen.result == state, after

    calls = history(lambda _: lambda call: getattr(word, call[0])(*call[1]), programs)
    assert linearisable(calls, 0, model)


@dataclass
class Traffic:
    """Blocks that threads allocate, and release whoever allocated them."""

    arenas: Arenas
    blocks: list[Any] = field(default_factory=list)

    def perform(self, call: Call) -> Any:
        if call[0] == "take":
            block = self.arenas.allocate(100)
            address, home = ctypes.addressof(ctypes.c_char.from_buffer(block)), block.arena
            self.blocks.append((address, block))
            return address, home
        try:
            address, block = self.blocks.pop()
        except IndexError:
            return None
        home = block.arena
        block.release()
        return address, home


@SETTINGS
@given(st.integers(1, 3), programs(st.one_of(method("take"), method("give"))))
def test_arenas(count: int, programs: list[list[Call]]) -> None:
    """An arena is a stack: what came back last goes out next, and never twice at once."""
    traffic = Traffic(Arenas(count))

    def model(state: tuple[tuple[int, ...], ...], seen: Seen) -> tuple[bool, tuple[tuple[int, ...], ...]]:
        if seen.result is None:
            return True, state
        address, arena = seen.result
        stack = state[arena]
        if seen.call[0] == "give":
            after = (*stack, address)
        elif stack:
            if stack[-1] != address:
                return False, state
            after = stack[:-1]
        else:
            after = stack
        return True, (*state[:arena], after, *state[arena + 1 :])

    calls = history(lambda _: traffic.perform, programs)
    assert linearisable(calls, ((),) * count, model)
    out = [address for address, _ in traffic.blocks]
    assert len(set(out)) == len(out)
    assert sum(one.taken - one.given for one in traffic.arenas.stats()) == len(out)
