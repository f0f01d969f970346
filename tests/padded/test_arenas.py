"""Arenas and their blocks: what is kept, where it returns to, limits, buffers."""

from __future__ import annotations

import queue
import sys
import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knee.padded import Arenas

from .workers import run_together

GIL = getattr(sys, "_is_gil_enabled", lambda: True)()


def test_one_arena_where_the_gil_is_on() -> None:
    assert len(Arenas()) == (1 if GIL else len(Arenas("auto")))
    assert (len(Arenas()) >= 8) is not GIL


def test_threads_are_dealt_arenas_round_robin() -> None:
    arenas = Arenas(4)
    end = threading.Barrier(8)

    def work(_: int) -> list[int | None]:
        dealt = [arenas.mine, arenas.allocate(1).arena, arenas.local().mine]
        end.wait()  # a thread that has ended would leave its arena to the next one
        return dealt

    dealt = run_together(work, 8)
    assert all(len(set(each)) == 1 for each in dealt)
    assert sorted(each[0] for each in dealt) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_block_returns_to_its_arena_from_whichever_thread_frees_it() -> None:
    """Each thread frees what its neighbour allocated; see benchmarks/padded for ten million of these."""
    arenas, threads, rounds = Arenas(4), 4, 5000
    begin = threading.Barrier(threads)
    mailboxes: list[queue.SimpleQueue[Any]] = [queue.SimpleQueue() for _ in range(threads)]

    def work(index: int) -> int:
        mine = arenas.mine
        begin.wait()
        for i in range(rounds):
            mailboxes[index].put(arenas.allocate(100 + i % 5 * 200))
            block = mailboxes[index - 1].get()
            assert block.arena is not None
            if i % 2:
                block.release()
            del block
        return mine

    run_together(work, threads)
    stats = arenas.stats()
    for one in stats:
        assert one.taken == one.given == rounds
        # Without the GIL the interpreter hands a dropped object to the thread that made it, which frees it then.
        assert rounds // 2 <= one.foreign <= rounds
        assert one.hits + one.misses == one.taken
        assert one.kept == one.misses
        assert one.kept_bytes > 0
    assert arenas.system_bytes == sum(one.kept_bytes for one in stats)
    arenas.clear()
    assert arenas.system_bytes == 0
    assert all(one.kept == one.kept_bytes == 0 for one in arenas.stats())


@settings(deadline=None)
@given(st.lists(st.integers(0, 1 << 21), max_size=20))
def test_blocks_have_their_size_and_share_no_byte(sizes: list[int]) -> None:
    arenas = Arenas(2)
    blocks = [arenas.allocate(size) for size in sizes]
    for i, block in enumerate(blocks):
        view = memoryview(block)
        assert len(block) == view.nbytes == sizes[i]
        assert not view.readonly
        view[:] = bytes([i]) * sizes[i]
        view.release()
    for i, block in enumerate(blocks):
        assert bytes(block) == bytes([i]) * sizes[i]
    out = arenas.system_bytes
    assert sum(sizes) <= out <= sum(max(256, size * 5 // 4 + 128) for size in sizes)
    blocks, block = [], None  # type: ignore[assignment]
    assert sum(one.kept for one in arenas.stats()) == len(sizes)


def test_what_comes_back_goes_out_again() -> None:
    arenas = Arenas(1)
    for _ in range(10):
        with arenas.allocate(5000) as block:
            assert block.arena == 0
        assert block.arena is None
        block.release()
    stats = arenas.stats()[0]
    assert (stats.taken, stats.hits, stats.misses, stats.given, stats.foreign) == (10, 9, 1, 10, 0)


def test_used_memory_is_zeroed_on_request() -> None:
    arenas = Arenas(1)
    with arenas.allocate(300) as block:
        memoryview(block)[:] = b"x" * 300
    assert bytes(arenas.allocate(300, zero=True)) == bytes(300)


def test_an_arena_keeps_no_more_than_it_may() -> None:
    arenas = Arenas(1, keep=1000, largest=600)
    blocks = [arenas.allocate(size) for size in (500, 500, 250, 700)]
    del blocks
    stats = arenas.stats()[0]
    assert stats.given == 4
    assert stats.kept_bytes <= 1000
    assert arenas.system_bytes == stats.kept_bytes
    with arenas.allocate(700):
        pass
    assert arenas.stats()[0].kept_bytes <= 1000


def test_the_limit_is_kept_and_what_is_kept_does_not_count_against_it() -> None:
    arenas = Arenas(2, limit=4096)
    first = arenas.allocate(4096)
    with pytest.raises(MemoryError, match="limit"):
        arenas.allocate(1)
    del first
    assert arenas.system_bytes == 4096
    assert len(arenas.allocate(1024)) == 1024
    stats = arenas.stats()
    assert sum(one.taken for one in stats) == 2


def test_blocks_outlive_their_arenas() -> None:
    arenas = Arenas(2)
    blocks = [arenas.allocate(1000) for _ in range(10)]
    del arenas
    for block in blocks:
        memoryview(block)[0] = 1

    def free(index: int) -> None:
        while blocks:
            try:
                blocks.pop()
            except IndexError:
                return

    run_together(free, 3)


def test_a_block_in_use_as_a_buffer_cannot_be_released() -> None:
    block = Arenas(1).allocate(10)
    view = memoryview(block)
    with pytest.raises(BufferError):
        block.release()
    view.release()
    block.release()
    with pytest.raises(BufferError, match="released"):
        memoryview(block)


@pytest.mark.parametrize(
    "arguments", [{"n": 0}, {"n": 5000}, {"n": "many"}, {"n": 1.5}, {"keep": -1}, {"limit": 0}, {"line": 100}]
)
def test_bad_arguments_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        Arenas(**arguments)


def test_bad_sizes_are_refused() -> None:
    arenas = Arenas(1)
    with pytest.raises(ValueError, match="negative"):
        arenas.allocate(-1)
    with pytest.raises(MemoryError):
        arenas.allocate(sys.maxsize)
    with pytest.raises(OverflowError):
        arenas.allocate(1 << 70)
    for bad in ("1", 1.5, None):
        with pytest.raises(TypeError):
            arenas.allocate(bad)  # type: ignore[arg-type]
    assert arenas.stats()[0].taken == 0
