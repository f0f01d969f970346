"""The standard library's own lock tests, run on each type here; what differs by design is tested in its place."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from knee.padded import Barrier, Event, Lock, RWLock, SpinLock

lock_tests: Any = pytest.importorskip("test.lock_tests", reason="this Python comes without its test package")


class Patient:
    """A wait must not end early; how late it ends is up to the machine."""

    def assertTimeout(self, actual: float, expected: float) -> None:  # noqa: N802 (unittest's style)
        assert actual >= expected * 0.6


class TestLock(Patient, lock_tests.LockTests):
    locktype = Lock


class TestPackedLock(Patient, lock_tests.LockTests):
    locktype = staticmethod(lambda: Lock(line=16))


class TestLockHandle(Patient, lock_tests.LockTests):
    locktype = staticmethod(lambda: Lock().local())


class TestSpinLock(Patient, lock_tests.LockTests):
    locktype = SpinLock


class TestSpinLockThatNeverSpins(Patient, lock_tests.LockTests):
    locktype = staticmethod(lambda: SpinLock(0))


def in_a_thread(call: Callable[[], Any]) -> Any:
    """What the call returns, or the exception that it raises, in another thread."""
    result: list[Any] = []

    def run() -> None:
        try:
            result.append(call())
        except Exception as error:
            result.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return result[0]


class TestWriting(Patient, lock_tests.LockTests):
    locktype = staticmethod(lambda: RWLock().write)

    def test_reacquire(self) -> None:
        """A thread that would wait for itself for ever gets an error instead."""
        lock = self.locktype()
        with lock, pytest.raises(RuntimeError, match="already"):
            lock.acquire()

    def test_different_thread(self) -> None:
        """Only the thread that writes can release."""
        lock = self.locktype()
        with lock:
            assert isinstance(in_a_thread(lock.release), RuntimeError)
            assert lock.locked()


class TestReading(Patient, lock_tests.LockTests):
    locktype = staticmethod(lambda: RWLock().read)

    def test_try_acquire_contended(self) -> None:
        """Readers do not exclude each other."""
        lock = self.locktype()
        with lock:
            assert in_a_thread(lambda: (lock.acquire(False), lock.release())[0])

    def test_reacquire(self) -> None:
        """Reading is reentrant: as many releases as acquires."""
        lock = self.locktype()
        lock.acquire()
        lock.acquire()
        lock.release()
        assert lock.locked()
        lock.release()
        assert not lock.locked()

    def test_different_thread(self) -> None:
        """Only a thread that reads can release."""
        lock = self.locktype()
        with lock:
            assert isinstance(in_a_thread(lock.release), RuntimeError)

    # Of these it is the writer's side that is to hold: tested in test_rwlock.
    test_acquire_contended = None
    test_timeout = None
    test_state_after_timeout = None
    test_at_fork_reinit = None


class TestEvent(Patient, lock_tests.EventTests):
    eventtype = Event
    test_at_fork_reinit = None  # looks at threading.Event's private parts


class TestEventHandle(Patient, lock_tests.EventTests):
    eventtype = staticmethod(lambda: Event().local())
    test_at_fork_reinit = None


class TestBarrier(Patient, lock_tests.BarrierTests):
    barriertype = Barrier


class TestConditionOfLock(Patient, lock_tests.ConditionTests):
    """threading.Condition with a padded lock."""

    condtype = staticmethod(lambda lock=None: threading.Condition(lock or Lock()))
    test_acquire = None  # wants the default lock to be reentrant
