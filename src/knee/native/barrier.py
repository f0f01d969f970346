"""The common start, as an object over a piece of memory."""

from __future__ import annotations

import ctypes
import errno
import mmap
from threading import BrokenBarrierError
from typing import Any

from knee.native.library import check

BYTES = 1024
"""``KNEE_BARRIER_BYTES``: the memory that one barrier takes."""


class BarrierTimeout(BrokenBarrierError):
    """Not all parties came in time; the barrier is broken for all of them."""


def nanoseconds(timeout: float | None) -> int:
    """Return a timeout in seconds (None: none) as the library takes it."""
    return -1 if timeout is None else int(timeout * 1e9)


def raise_broken(code: int) -> None:
    """Raise what a failed wait means.

    Raises:
        BarrierTimeout: this party gave up.
        threading.BrokenBarrierError: another party gave up, or the barrier was aborted.
    """
    if code == -errno.ETIMEDOUT:
        raise BarrierTimeout("not all workers came to the barrier in time")
    if code == -errno.ECANCELED:
        raise BrokenBarrierError("the barrier was aborted")
    check(code, "waiting at the barrier")


class Barrier:
    """Releases all parties at one instant; for threads, subinterpreters and processes.

    Args:
        library: the opened library.
        parties: how many must come; None joins a barrier that another process has made in ``memory``.
        memory: a writable, page-aligned buffer of at least ``BYTES`` (an ``mmap`` that processes share);
            None takes private memory, for the threads of this process; an integer is the address of a barrier
            that lives elsewhere in this process (another interpreter of it has made it).
    """

    def __init__(
        self, library: ctypes.CDLL, parties: int | None, memory: mmap.mmap | int | None = None
    ) -> None:
        if memory is None:
            memory = mmap.mmap(-1, mmap.PAGESIZE)
        self._library = library
        place: Any = ctypes.c_char * BYTES
        self._memory: Any = (
            place.from_address(memory) if isinstance(memory, int) else place.from_buffer(memory)
        )
        self.address = ctypes.addressof(self._memory)
        if parties is not None:
            self.reset(parties)

    def reset(self, parties: int) -> None:
        """Make it new, for so many parties. Call it when nobody waits."""
        check(self._library.knee_barrier_init(self.address, parties), f"a barrier for {parties}")

    def wait(self, timeout: float | None = None) -> int:
        """Wait for all parties (``timeout`` in seconds) and return the common instant (``perf_counter_ns``).

        Raises:
            BarrierTimeout: not all came in time.
            threading.BrokenBarrierError: another party gave up or aborted.
        """
        instant = ctypes.c_int64()
        code = self._library.knee_barrier_wait(self.address, nanoseconds(timeout), ctypes.byref(instant))
        if code:
            raise_broken(code)
        return instant.value

    def abort(self) -> None:
        """Wake everyone with an error, until the next ``reset``."""
        self._library.knee_barrier_abort(self.address)
