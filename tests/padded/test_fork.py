"""After a fork, what threads that stayed behind held is free, and what this thread holds is still held."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable

import pytest

from knee.padded import Arenas, Barrier, Counter, Event, Lock, RWLock, SpinLock

from .workers import run_together

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def in_a_child(check: Callable[[], bool], seconds: float = 20) -> bool:
    """Whether the check holds in a forked child, within the time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking with threads is what is tested
        child = os.fork()
    if child == 0:
        result = [False]
        thread = threading.Thread(target=lambda: result.__setitem__(0, check()), daemon=True)
        thread.start()
        thread.join(seconds)
        os._exit(0 if result[0] else 1)
    return os.waitpid(child, 0)[1] == 0


def held_elsewhere(*locks: Lock | SpinLock, then: Callable[[], None]) -> None:
    """Calls back while another thread holds the locks."""
    ready, release = threading.Event(), threading.Event()

    def hold() -> None:
        for lock in locks:
            lock.acquire()
        ready.set()
        release.wait()
        for lock in locks:
            lock.release()

    thread = threading.Thread(target=hold)
    thread.start()
    ready.wait()
    try:
        then()
    finally:
        release.set()
        thread.join()


@pytest.mark.parametrize("make", [Lock, SpinLock])
def test_a_lock_held_by_a_thread_that_stayed_behind_is_free(make: type[Lock]) -> None:
    lock, tried, mine = make(), make(), make()
    mine.acquire()

    def check() -> bool:
        free = not lock.locked() and tried.acquire(blocking=False)
        return free and lock.acquire() and not lock.acquire(False) and not mine.acquire(timeout=0.01)

    def fork() -> None:
        assert in_a_child(check)

    held_elsewhere(lock, tried, then=fork)
    assert not lock.locked()


def test_a_rwlock_forgets_readers_writers_and_waiters() -> None:
    read, written = RWLock(), RWLock()

    def both() -> bool:
        for lock in (read, written):
            with lock.write:
                pass
            with lock.read:
                pass
        return not read.read.locked() and not written.write.locked()

    def fork() -> None:
        waiter = threading.Thread(target=lambda: written.write.acquire(timeout=0.5), daemon=True)
        waiter.start()
        assert in_a_child(both)
        waiter.join()

    held_elsewhere(read.read, written.write, then=fork)  # type: ignore[arg-type]
    with read.read:
        assert in_a_child(lambda: read.read.locked() and not read.write.acquire(timeout=0.01))


def test_counters_barriers_events_and_arenas_go_on() -> None:
    counter, barrier, event, arenas = Counter(), Barrier(2), Event(), Arenas(2)
    waiter = threading.Thread(target=barrier.wait)
    waiter.start()
    while barrier.n_waiting != 1:
        pass
    stop = threading.Event()

    def count() -> None:
        while not stop.is_set():
            counter.add()
            arenas.allocate(100)

    busy = threading.Thread(target=count)
    busy.start()

    def check() -> bool:
        before = counter.value()
        run_together(lambda _: counter.add(5), 3)
        event.set()
        alone = barrier.n_waiting == 0
        together = sorted(run_together(lambda _: barrier.wait(), 2)) == [0, 1]
        block = arenas.allocate(100)
        return counter.value() == before + 15 and event.wait() and alone and together and len(block) == 100

    try:
        for _ in range(5):
            assert in_a_child(check)
    finally:
        stop.set()
        busy.join()
        barrier.wait()
        waiter.join()


def test_a_child_of_a_child() -> None:
    lock = Lock()

    def check() -> bool:
        good: list[bool] = []
        held_elsewhere(lock, then=lambda: good.append(in_a_child(lambda: lock.acquire(timeout=5))))
        return good[0]

    assert in_a_child(check)
