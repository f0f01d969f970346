"""A thread pool of a useful size, whose workers make their own state."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from concurrent.futures.thread import BrokenThreadPool
from typing import Any

from ._core import Barrier, Event
from .states import LinePadded

_own = threading.local()


def worker_state() -> Any:
    """The state that the calling worker of a `WorkerPool` made for itself.

    Raises:
        RuntimeError: the calling thread is no worker of a pool with ``state``.
    """
    try:
        return _own.state
    except AttributeError:
        raise RuntimeError("this thread is not a worker of a WorkerPool with state=...") from None


def _useful_workers() -> tuple[int, str]:
    from knee.machine import useful_workers  # only now: reading the machine is not needed for the rest

    return useful_workers(), "as many as are useful on this machine: `knee machine` says why"


class WorkerPool(ThreadPoolExecutor):
    """A ``ThreadPoolExecutor`` sized by ``knee.machine.useful_workers()``.

    All workers are started by the constructor, in order. CPython hands per-thread slots out in that order; where such
    slots are closer than a line (64 bytes on Apple's lines of 128), neighbours in start order disturb each other at
    every loop iteration. With ``idle_neighbours`` a thread that only sleeps is started after each worker, so that no
    two workers are neighbours. That relies on an internal detail of the interpreter and costs a stack per thread: use
    it where ``knee why`` names the cause.

    Args:
        max_workers: None for as many as are useful on this machine.
        idle_neighbours: start a sleeping thread after each worker.
        state: called once by each worker, in its own thread, on cache lines of its own; `worker_state` returns it.
        thread_name_prefix: as in ``ThreadPoolExecutor``.
        initializer: as in ``ThreadPoolExecutor``; called before ``state``.
        initargs: as in ``ThreadPoolExecutor``.

    Attributes:
        workers: how many workers there are.
        why: why so many.

    >>> def work(n: int) -> int:
    ...     worker_state().append(n)
    ...     return n * n
    >>> with WorkerPool(2, state=list) as pool:
    ...     sorted(pool.map(work, range(4)))
    [0, 1, 4, 9]
    >>> sum(len(state) for state in pool.states)
    4
    """

    def __init__(
        self,
        max_workers: int | None = None,
        *,
        idle_neighbours: bool = False,
        state: Callable[[], object] | None = None,
        thread_name_prefix: str = "",
        initializer: Callable[..., object] | None = None,
        initargs: tuple[Any, ...] = (),
    ) -> None:
        if max_workers is None:
            self.workers, self.why = _useful_workers()
        else:
            self.workers, self.why = max_workers, "as asked for"
        self.states: list[Any] = []
        self._state = state
        self._initializer_of_user = initializer
        self._failure: BaseException | None = None
        super().__init__(self.workers, thread_name_prefix, self._begin, initargs)
        self._idle: list[threading.Thread] = []
        self._over = Event()
        self._start(idle_neighbours)

    def _begin(self, *initargs: Any) -> None:
        try:
            if self._initializer_of_user is not None:
                self._initializer_of_user(*initargs)
            if self._state is not None:
                _own.state = LinePadded(self._state)()
                self.states.append(_own.state)
        except BaseException as error:
            self._failure = error
            raise

    def _start(self, idle_neighbours: bool) -> None:
        """Makes the executor start its threads now, one by one, by keeping each busy until all are there."""
        together = Barrier(self.workers)
        arrivals: list[Future[int]] = []
        try:
            for _ in range(self.workers):
                arrivals.append(self.submit(together.wait))
                if idle_neighbours:
                    idle = threading.Thread(target=self._over.wait, name="idle neighbour", daemon=True)
                    idle.start()
                    self._idle.append(idle)
            wait(arrivals, return_when=FIRST_EXCEPTION)
            failed = any(not arrival.done() or arrival.exception() for arrival in arrivals)
        except BrokenThreadPool:
            failed = True
        except BaseException:
            self._give_up(together)
            raise
        if failed:
            self._give_up(together)
            raise BrokenThreadPool(f"a worker could not begin: {self._failure!r}") from self._failure

    def _give_up(self, together: Barrier) -> None:
        together.abort()
        self.shutdown()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As in ``ThreadPoolExecutor``; ends the idle neighbours too."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        self._over.set()
        if wait:
            for idle in self._idle:
                idle.join()
