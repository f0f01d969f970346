"""Rounding of CPython's object and mem allocations up to the cache line, without moving a block."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from knee.native.library import check

MODES = ("off", "line", "ballast", "shuffle")
"""``off``: wrapped, nothing changed. ``line``: sizes rounded up to a multiple of the line. ``ballast``: sizes as they
are, the bytes that rounding would add are written elsewhere. ``shuffle``: sizes raised by a pseudo-random number of
16-byte steps, below one line (another layout, still not aligned)."""


class RoundCounts(NamedTuple):
    """What the wrapped allocators did since they were installed, in all threads."""

    seen: int
    """Blocks asked for while rounding was enabled."""
    treated: int
    """... whose size the mode changed (in ``ballast``: would have)."""
    added: int
    """Bytes added to them."""


class _Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in RoundCounts._fields]


class Rounding:
    """The wrapped allocators of this process: ``install``, ``configure``, then ``everywhere`` or ``here``.

    Blocks made while enabled are treated; blocks made before stay as they are. A free-threaded CPython (mimalloc)
    then hands out every such block on lines of its own. One with the GIL (pymalloc, whose blocks start 48 bytes
    into a page) does so for objects that the collector tracks only, one under ``PYTHONMALLOC=debug`` for none:
    ``honoured`` tells. Objects from CPython's free lists (some floats, tuples, lists) are not allocated at all,
    hence not treated.

    Args:
        library: the opened library.
    """

    def __init__(self, library: ctypes.CDLL) -> None:
        # PyDLL keeps the thread state while it calls: PyMem_SetAllocator wants it, and toggling stays cheap.
        self._library = ctypes.PyDLL(library._name)
        self._library.knee_round_install.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self._library.knee_round_set.argtypes = [ctypes.c_int] + [ctypes.c_size_t] * 3 + [ctypes.c_uint64]
        self._library.knee_round_counts.argtypes = [ctypes.c_void_p]
        self._library.knee_round_counts.restype = None
        self._line = 64

    def install(self) -> None:
        """Wrap the allocators, for good or until ``remove``; does nothing when they are wrapped already."""
        python: Any = ctypes.pythonapi
        pointers = [
            ctypes.cast(f, ctypes.c_void_p) for f in (python.PyMem_GetAllocator, python.PyMem_SetAllocator)
        ]
        if self._library.knee_round_installed():
            return
        check(self._library.knee_round_install(*pointers), "wrapping the allocators")

    def remove(self) -> None:
        """Put back what was wrapped.

        Raises:
            OSError: EBUSY, someone (tracemalloc) has wrapped the allocators again or put others in place;
                EINVAL, they were not wrapped.
        """
        check(self._library.knee_round_remove(), "unwrapping the allocators")

    def configure(
        self, mode: str, line: int = 64, min_size: int = 1, max_size: int = 1024, seed: int = 0
    ) -> None:
        """Set what happens to blocks of ``min_size`` to ``max_size`` bytes where rounding is enabled.

        Args:
            mode: one of ``MODES``.
            line: a power of two from 16 to 4096.
            min_size: least size in bytes that is treated.
            max_size: greatest; mimalloc's blocks above 1,024 bytes are multiples of 128 anyway.
            seed: for ``shuffle``.

        Raises:
            OSError: EINVAL, for a line or sizes that make no sense.
            ValueError: no such mode.
        """
        if mode not in MODES:
            raise ValueError(f"no rounding mode {mode!r}: one of {', '.join(MODES)}")
        check(self._library.knee_round_set(MODES.index(mode), line, min_size, max_size, seed), "rounding")
        self._line = line

    def enable(self, on: bool) -> bool:
        """Enable or disable it for the calling thread; return what it was. About 0.2 µs."""
        return bool(self._library.knee_round_enable(on))

    def enable_all(self, on: bool) -> bool:
        """Enable or disable it for all threads; return what it was."""
        return bool(self._library.knee_round_enable_all(on))

    @contextmanager
    def here(self) -> Iterator[None]:
        """Enable it for the calling thread, within the block."""
        before = self.enable(True)
        try:
            yield
        finally:
            self.enable(before)

    @contextmanager
    def everywhere(self) -> Iterator[None]:
        """Enable it for all threads, within the block."""
        before = self.enable_all(True)
        try:
            yield
        finally:
            self.enable_all(before)

    def counts(self) -> RoundCounts:
        """Return what was done so far."""
        counts = _Counts()
        self._library.knee_round_counts(ctypes.byref(counts))
        return RoundCounts(*(getattr(counts, name) for name in RoundCounts._fields))

    def honoured(self) -> bool:
        """Return whether small objects made with rounding enabled here start at a line, each its own.

        True is the only proof that the ``line`` mode isolates objects in this interpreter.
        """

        class Probe:
            __slots__ = ("a", "b")

        with self.here():
            probes = [Probe() for _ in range(64)]
        starts = {id(probe) for probe in probes}
        return all(start % self._line == 0 for start in starts)
