"""RWLock: many readers or one writer, writers first."""

from __future__ import annotations

import threading
import time

import pytest

from knee.padded import Event, RWLock

from .workers import run_together


def test_readers_never_see_a_write_half_done() -> None:
    lock = RWLock()
    pair = [0, 0]

    def work(index: int) -> None:
        mine = lock.local()
        for i in range(1500):
            if index == 0 or i % 50 == 0:
                with mine.write:
                    pair[0] += 1
                    pair[1] += 1
            else:
                with lock.read if i % 2 else mine.read:
                    first = pair[0]
                    assert pair[1] == first

    run_together(work, 4)
    assert pair == [1500 + 3 * 30] * 2


def test_readers_are_inside_together() -> None:
    lock = RWLock()
    meeting = threading.Barrier(3, timeout=30)

    def work(_: int) -> None:
        with lock.read:
            meeting.wait()

    run_together(work, 3)


def test_a_waiting_writer_goes_before_new_readers_but_not_before_old_ones() -> None:
    lock, order = RWLock(), []
    waits = Event()

    def write() -> None:
        waits.set()
        with lock.write:
            order.append("writer")

    def read() -> None:
        with lock.read:
            order.append("reader")

    with lock.read:
        writer = threading.Thread(target=write)
        writer.start()
        waits.wait()
        while lock.read.acquire(blocking=False) and not lock.write.locked():
            lock.read.release()  # reentrant: this thread may go on reading
            time.sleep(0.001)
        lock.read.release()
        reader = threading.Thread(target=read)
        reader.start()
        time.sleep(0.02)
        assert order == []
    writer.join()
    reader.join()
    assert order == ["writer", "reader"]


def test_a_writer_that_gives_up_lets_readers_in() -> None:
    lock = RWLock()
    reads, gave_up, read_too = Event(), Event(), Event()

    def work(index: int) -> None:
        if index == 0:
            with lock.read:
                reads.set()
                assert read_too.wait(30)
        elif index == 1:
            reads.wait()
            assert not lock.write.acquire(timeout=0.05)
            gave_up.set()
        else:
            reads.wait()
            if index == 2:  # comes when the writer has gone, the other perhaps while it waits
                gave_up.wait()
            with lock.read:
                pass
            if index == 2:
                read_too.set()

    run_together(work, 4)
    assert lock.write.acquire(blocking=False)


def test_waiting_for_oneself_is_an_error() -> None:
    lock = RWLock()
    with lock.read, pytest.raises(RuntimeError, match="for reading"):
        lock.write.acquire()
    with lock.write:
        with pytest.raises(RuntimeError, match="for writing"):
            lock.read.acquire()
        with pytest.raises(RuntimeError, match="already"):
            lock.local().write.acquire()
        assert not lock.read.acquire(timeout=0.01)
    for side in (lock.read, lock.write):
        with pytest.raises(RuntimeError, match="does not hold"):
            side.release()


def test_timeouts_leave_it_free() -> None:
    lock = RWLock()
    release = Event()

    def hold() -> None:
        with lock.write:
            release.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    while not lock.write.locked():
        time.sleep(0.001)
    assert not lock.read.acquire(timeout=0.01)
    assert not lock.write.acquire(timeout=0.01)
    assert not lock.write.acquire(blocking=False)
    release.set()
    holder.join()
    with lock.write:
        pass
    with lock.read:
        assert "readers=1, not writing" in repr(lock)
