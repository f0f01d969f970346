"""The two ends of a timed part, for one worker."""

from __future__ import annotations

import ctypes
from typing import Any

from knee.native.barrier import Barrier, nanoseconds, raise_broken

_FIELDS = (
    "clock_ns",
    "user_ns",
    "system_ns",
    "cpu_ns",
    "wait_ns",
    "voluntary",
    "involuntary",
    "minor_faults",
    "major_faults",
    "cycles",
    "instructions",
    "migrations",
    "cpu",
)


class Stamp(ctypes.Structure):
    """``struct knee_stamp``: the clock and the calling thread's usage so far; -1 is unknown."""

    _fields_ = [(name, ctypes.c_int64) for name in _FIELDS]


class Bracket:
    """Times one worker's reps: ``begin()``, the work, ``end()``; then ``sample()``.

    ``begin`` waits at the barrier and returns at the common instant; nothing but its return lies between
    the first reading of the clock and the work, nothing but the call of ``end`` between the work and the
    second. Use one bracket per thread: it owns its memory and its function objects, so that brackets share no
    reference counts.

    Args:
        library: the opened library.
        barrier: where all workers meet; None begins at once.
        timeout: seconds to wait for the others; None waits for ever.
    """

    def __init__(self, library: ctypes.CDLL, barrier: Barrier | None, timeout: float | None = None) -> None:
        # Each on lines of its own: neighbours in the heap may belong to other workers.
        self._memory = ctypes.create_string_buffer(2 * ctypes.sizeof(Stamp) + 512)
        base = -(-ctypes.addressof(self._memory) // 128) * 128
        self.start = Stamp.from_address(base)
        self.stop = Stamp.from_address(base + ctypes.sizeof(Stamp))
        self._released = ctypes.c_int64.from_address(base + 2 * ctypes.sizeof(Stamp))
        self.barrier = barrier
        begin: Any = ctypes.CFUNCTYPE(
            ctypes.c_int, *[ctypes.c_void_p, ctypes.c_int64] + [ctypes.c_void_p] * 2
        )(("knee_begin", library))
        end: Any = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(("knee_end", library))
        place = ctypes.c_void_p(barrier.address if barrier else None)
        wait = ctypes.c_int64(nanoseconds(timeout))
        start, stop, released = map(ctypes.byref, (self.start, self.stop, self._released))

        def begin_now() -> None:
            code = begin(place, wait, start, released)
            if code:
                raise_broken(code)

        def end_now() -> None:
            end(stop)

        self.begin = begin_now
        """Wait for the others; return at the common start (errors as ``Barrier.wait``)."""
        self.end = end_now
        """Stop the clock, then read the usage."""

    @property
    def released_ns(self) -> int:
        """The instant at which all parties of the last ``begin`` were to start, in ``perf_counter_ns``."""
        return int(self._released.value)

    def sample(self) -> dict[str, int | None]:
        """Return what lies between the last ``begin`` and ``end``; None is unknown.

        Keys: ``start_ns`` and ``end_ns`` (``perf_counter_ns``), ``cpu_start`` and ``cpu_end`` (CPU numbers),
        and the differences of ``user_ns``, ``system_ns``, ``cpu_ns``, ``wait_ns``, ``voluntary``,
        ``involuntary``, ``minor_faults``, ``major_faults``, ``cycles``, ``instructions`` and ``migrations``.
        ``cpu_ns`` is exact, but for 1 or 2 µs of its own. Most kernels split it into user and system by ticks,
        so that those two are coarse: below some 100 ms, use the share of many reps.
        """
        start, stop = self.start, self.stop
        sample: dict[str, int | None] = {
            "start_ns": start.clock_ns,
            "end_ns": stop.clock_ns,
            "cpu_start": start.cpu if start.cpu >= 0 else None,
            "cpu_end": stop.cpu if stop.cpu >= 0 else None,
        }
        for name in _FIELDS[1:-1]:
            before, after = getattr(start, name), getattr(stop, name)
            sample[name] = after - before if before >= 0 and after >= 0 else None
        return sample
