"""Lock and SpinLock: exclusion, errors, handles, memory."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from knee.padded import Lock, SpinLock, line_size

from .workers import run_together


@pytest.mark.parametrize("make", [Lock, SpinLock, lambda: SpinLock(0), lambda: Lock(line=16)])
def test_only_one_thread_is_inside(make: Any) -> None:
    lock, total = make(), [0]

    def work(_: int) -> None:
        mine = lock.local()
        for i in range(3000):
            with mine if i % 2 else lock:
                seen = total[0]
                total[0] = seen + 1

    run_together(work, 4)
    assert total[0] == 4 * 3000


def test_a_handle_is_the_same_lock() -> None:
    lock = Lock()
    handle = lock.local()
    with handle:
        assert lock.locked()
        assert not lock.acquire(blocking=False)
    del lock
    assert handle.acquire(False)


def test_no_wake_up_is_lost() -> None:
    """Many short waits with timeouts among them: every thread gets through in the end."""
    lock = Lock()

    def work(index: int) -> None:
        done = 0
        while done < 300:
            if lock.acquire(timeout=0.0001 * index if index else -1):
                done += 1
                lock.release()

    run_together(work, 6)
    assert not lock.locked()


@pytest.mark.parametrize("kind", [Lock, SpinLock])
def test_errors_are_those_of_threading(kind: Any) -> None:
    for arguments in (
        {"blocking": False, "timeout": 1},
        {"timeout": -2},
        {"timeout": 1e100},
        {"timeout": "soon"},
        {"patience": 1},
    ):
        with pytest.raises(Exception) as expected:  # noqa: PT011 (compared below)
            threading.Lock().acquire(**arguments)
        with pytest.raises(expected.type):
            kind().acquire(**arguments)
    with pytest.raises(RuntimeError, match="release unlocked lock"):
        kind().release()


def test_bad_arguments_say_what_is_wrong() -> None:
    for line in (0, 8, 100, 8192, -64):
        with pytest.raises(ValueError, match="power of two from 16 to 4096"):
            Lock(line=line)
    with pytest.raises(ValueError, match="spins"):
        SpinLock(-1)
    with pytest.raises(TypeError):
        Lock(64)  # type: ignore[misc]


def test_a_lock_says_how_much_it_owns() -> None:
    assert Lock().line == line_size()
    assert SpinLock(line=64).line == 64


def test_locks_of_many_sizes_come_and_go() -> None:
    """Cells are reused, and never handed out twice at once."""
    kept: list[Any] = []
    for i in range(3000):
        lock = Lock(line=(16, 64, 128, 4096)[i % 4])
        assert lock.acquire(False)
        kept.append(lock)
        if i % 3 == 0:
            kept.pop(i // 7 % len(kept))
    assert all(lock.locked() for lock in kept)
    for lock in kept:
        lock.release()
