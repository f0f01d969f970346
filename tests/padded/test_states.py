"""LinePadded and padded_states: objects on lines of their own, checked."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import Any

import pytest

from knee.padded import LinePadded, PaddingError, line_size, padded_states

from .workers import run_together

GIL = getattr(sys, "_is_gil_enabled", lambda: True)()


class Plain:
    def __init__(self) -> None:
        self.count = 0
        self.values = [1000, 2000]


class Slotted:
    __slots__ = ("count", "total")

    def __init__(self) -> None:
        self.count = 0
        self.total = 0.5


def lines_of(state: Any, line: int) -> set[int]:
    return set(range(id(state) // line, (id(state) + type(state).__basicsize__ - 1) // line + 1))


@pytest.mark.parametrize("line", [None, 64, 256])
@pytest.mark.parametrize(
    "factory", [Plain, Slotted, dict, list, lambda: [0.5] * 100, bytearray, threading.Lock]
)
def test_states_share_no_line(factory: Any, line: int | None) -> None:
    size = line or line_size()
    states = padded_states(factory, 20, line=line)
    for i, one in enumerate(states):
        for other in states[:i]:
            assert not lines_of(one, size) & lines_of(other, size)
    parts = [part for state in states if factory is Plain for part in (state, state.values)]
    for i, one in enumerate(parts):
        for other in parts[:i]:
            assert not lines_of(one, size) & lines_of(other, size)


@pytest.mark.skipif(GIL, reason="the GIL's allocator does not align blocks")
def test_blocks_start_on_lines() -> None:
    assert all(id(state) % line_size() == 0 for state in padded_states(Slotted, 50))


def test_unpadded_objects_do_share_lines() -> None:
    """What the above would see without padding."""
    states = [Slotted() for _ in range(2000)]
    assert len(set().union(*(lines_of(state, 128) for state in states))) < 2000


def test_only_the_factory_is_padded_and_the_price_is_told() -> None:
    make = LinePadded(Slotted)
    before = [object() for _ in range(2)]
    states = [make() for _ in range(10)]
    after = [object() for _ in range(100)]
    assert len({id(one) // 128 for one in after}) < 100
    assert make.blocks >= 10
    assert make.used >= make.asked
    assert make.used >= 10 * make.line
    assert len(states) == 10
    assert before


def test_arguments_reach_the_factory() -> None:
    assert LinePadded(list)((1, 2)) == [1, 2]


def test_what_the_factory_did_not_make_is_refused() -> None:
    kept = Plain()
    with pytest.raises(PaddingError, match="did not make") as caught:
        padded_states(lambda: kept, 2)
    made: list[Any] = []
    with pytest.raises(PaddingError, match="twice"):
        padded_states(lambda: made[0] if made else made.append(Plain()) or made[0], 2)
    assert caught.value.advice
    with pytest.raises(PaddingError):
        padded_states(lambda: 7, 1)


def test_a_failing_factory_leaves_nothing_behind() -> None:
    def fail() -> None:
        raise ZeroDivisionError

    make = LinePadded(fail)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            make()
    assert padded_states(dict, 1) == [{}]


def test_factories_do_not_nest() -> None:
    with pytest.raises(RuntimeError, match="nest"):
        padded_states(lambda: padded_states(dict, 1), 1)
    assert padded_states(dict, 1) == [{}]


def test_threads_pad_on_their_own() -> None:
    def work(index: int) -> int:
        return len(padded_states(Plain, 20)) if index % 2 else len([Plain() for _ in range(3000)])

    assert run_together(work, 4) == [3000, 20, 3000, 20]


def test_an_allocator_that_shifts_blocks_is_reported() -> None:
    """Under the debug allocator of a free-threaded build blocks do not start on lines: an error, not a silent no."""
    code = "from knee.padded import *\ntry: padded_states(dict, 1)\nexcept PaddingError as e: print(e, '|', e.advice)"
    environment = {**os.environ, "PYTHONMALLOC": "debug", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=False, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    assert ("PYTHONMALLOC" in done.stdout) is not GIL
