"""WorkerPool: a ThreadPoolExecutor whose workers know their state and their place."""

from __future__ import annotations

import sys
import threading
import types
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.thread import BrokenThreadPool

import pytest

from knee.padded import WorkerPool, worker_state


def test_it_is_a_thread_pool_executor() -> None:
    with WorkerPool(3, thread_name_prefix="w") as pool:
        assert isinstance(pool, ThreadPoolExecutor)
        assert list(pool.map(lambda n: n * n, range(20))) == [n * n for n in range(20)]
        assert pool.submit(lambda: threading.current_thread().name).result().startswith("w")
        with pytest.raises(ZeroDivisionError):
            pool.submit(lambda: 1 / 0).result()
    assert (pool.workers, pool.why) == (3, "as asked for")


def test_it_is_as_large_as_is_useful(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = types.ModuleType("knee.machine")
    machine.useful_workers = lambda: 5  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "knee.machine", machine)
    with WorkerPool() as pool:
        assert pool.workers == 5
        assert "knee machine" in pool.why
        assert len(pool._threads) == 5


def test_each_worker_makes_its_state_in_its_own_thread() -> None:
    class State:
        def __init__(self) -> None:
            self.thread = threading.get_ident()

    def check() -> bool:
        return worker_state().thread == threading.get_ident()

    with WorkerPool(4, state=State) as pool:
        assert all(future.result() for future in [pool.submit(check) for _ in range(50)])
        assert len({state.thread for state in pool.states}) == len(pool.states) == 4
    with pytest.raises(RuntimeError, match="not a worker"):
        worker_state()


def test_the_initializer_runs_before_the_state_is_made() -> None:
    local = threading.local()

    def begin(value: int) -> None:
        local.value = value

    with WorkerPool(2, initializer=begin, initargs=(7,), state=lambda: [local.value]) as pool:
        assert pool.states == [[7], [7]]


def test_idle_neighbours_stand_between_workers_and_leave_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    start = threading.Thread.start

    def note(thread: threading.Thread) -> None:
        order.append("idle" if "idle" in thread.name else "worker")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", note)
    before = threading.active_count()
    with WorkerPool(3, idle_neighbours=True) as pool:
        assert order == ["worker", "idle"] * 3
        assert list(pool.map(abs, [-1, -2])) == [1, 2]
    assert threading.active_count() == before


def test_a_state_that_cannot_be_made_is_an_error_at_once() -> None:
    before = threading.active_count()
    with pytest.raises(BrokenThreadPool, match="ZeroDivisionError") as caught:
        WorkerPool(3, state=lambda: 1 / 0, idle_neighbours=True)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert threading.active_count() == before


def test_a_bad_number_of_workers_is_refused() -> None:
    with pytest.raises(ValueError, match="max_workers"):
        WorkerPool(0)
