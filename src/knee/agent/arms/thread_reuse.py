"""Threads that the workload starts again and again are served by threads that stay.

A new thread costs a stack, a kernel task and a thread state, and on free-threaded builds a slot that all
threads' bookkeeping runs over; the pages of an ended thread's heap are taken over by later ones, objects still in them.
The arm puts ``threading.Thread`` on carriers that are used again by whoever started them. No control: a thread that
starts once only is not affected. Needs the thread handles of CPython 3.13.
"""

from __future__ import annotations

import _thread
import collections
import queue
import threading
from typing import Any, Callable

from knee.agent.arm import Arm as Base


class Arm(Base):
    """No options."""

    _why = ""
    _starts = 0

    def install(self) -> None:
        """Replace how ``threading`` starts threads."""
        start = getattr(threading, "_start_joinable_thread", None)
        if start is None or not hasattr(threading, "_ThreadHandle"):
            self._why = "threads can be put on others from CPython 3.13 on"
            return
        own = threading.local()

        def carried(function: Callable[[], None], handle: _Handle, **_: Any) -> None:
            self._starts += 1
            try:
                free = own.free
            except AttributeError:
                free = own.free = collections.deque()
            try:
                carrier = free.pop()
            except IndexError:
                carrier = _Carrier(start, free)
            carrier.run(function, handle)

        setattr(threading, "_ThreadHandle", _Handle)  # noqa: B010 - private, and not in the stubs
        setattr(threading, "_start_joinable_thread", carried)  # noqa: B010

    def check(self) -> dict[str, Any]:
        """Tell how many threads were started."""
        return {"honoured": not self._why, "why": self._why, "starts": self._starts}


class _Handle:
    """What ``threading`` joins: done when the function has returned."""

    def __init__(self) -> None:
        self.ident = 0
        self._running = _thread.allocate_lock()
        self._running.acquire()

    def is_done(self) -> bool:
        return not self._running.locked()

    def join(self, timeout: float | None = None) -> None:
        if self._running.acquire(True, -1 if timeout is None or timeout < 0 else timeout):
            self._running.release()

    def _set_done(self) -> None:
        if self._running.locked():
            self._running.release()


class _Carrier:
    """A thread that runs one function after the other and goes back to its owner's list in between."""

    def __init__(self, start: Any, free: collections.deque[_Carrier]) -> None:
        self._work: queue.SimpleQueue[tuple[Callable[[], None], _Handle]] = queue.SimpleQueue()
        self._free = free
        self._thread: Any = start(self._live, daemon=True)

    def run(self, function: Callable[[], None], handle: _Handle) -> None:
        self._work.put((function, handle))

    def _live(self) -> None:
        while True:
            function, handle = self._work.get()
            handle.ident = _thread.get_ident()
            try:
                function()
            finally:
                self._free.append(self)
                handle._set_done()
