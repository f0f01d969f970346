"""The probes: speed of a core, the line, hand-over between cores, bandwidth, and the ceiling of all cores."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

from knee.native.library import check


class Speed(NamedTuple):
    """What the core-speed probe saw."""

    rate: float
    """Iterations of the control loop per second, over the whole probe."""
    best: float
    """The same in the fastest tenth: the core's speed without what interrupted it."""
    duration_ns: int
    """How long the probe took."""


class Cost(NamedTuple):
    """Nanoseconds of one step, over many short batches."""

    least_ns: float
    """In the fastest batch."""
    median_ns: float
    """In the median batch."""
    batches: int


class _Speed(ctypes.Structure):
    _fields_ = [("rate", ctypes.c_double), ("best", ctypes.c_double), ("duration_ns", ctypes.c_int64)]


class _Cost(ctypes.Structure):
    _fields_ = [("least_ns", ctypes.c_double), ("median_ns", ctypes.c_double), ("batches", ctypes.c_int64)]


class Probes:
    """Each runs for about ``duration`` seconds (60 at most) and raises OSError when it cannot.

    All but ``speed`` start native threads of their own and pin them to the CPUs given (-1: not pinned), while the
    caller waits; the interpreter is not involved. ETIMEDOUT means that the threads never ran at the same time.

    Args:
        library: the opened library.
    """

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        number, span, place = ctypes.c_int, ctypes.c_int64, ctypes.c_void_p
        library.knee_speed.argtypes = [span, place]
        library.knee_lines.argtypes = [number, number, number, number, span, place]
        library.knee_handover.argtypes = [number, number, span, place]
        library.knee_bandwidth.argtypes = [number, place, span, span, place]
        library.knee_ceiling.argtypes = [number, place, span, place]

    def speed(self, duration: float = 0.001) -> Speed:
        """Measure the speed of the core the caller runs on, in the calling thread."""
        result = _Speed()
        check(self._library.knee_speed(_ns(duration), ctypes.byref(result)), "speed probe")
        return Speed(result.rate, result.best, result.duration_ns)

    def lines(
        self, distance: int, cpu_a: int = -1, cpu_b: int = -1, atomic: bool = True, duration: float = 0.02
    ) -> Cost:
        """Measure a bump of a counter while a second thread bumps another ``distance`` bytes (8 to 4096) away.

        The line is the least distance at which the cost is that of any greater one. ``atomic`` additions show it
        more sharply than plain stores, which a core may keep to itself for a while.
        """
        result = _Cost()
        code = self._library.knee_lines(
            int(atomic), distance, cpu_a, cpu_b, _ns(duration), ctypes.byref(result)
        )
        check(code, f"line probe at distance {distance}, CPUs {cpu_a} and {cpu_b}")
        return Cost(result.least_ns, result.median_ns, result.batches)

    def handover(self, cpu_a: int = -1, cpu_b: int = -1, duration: float = 0.02) -> Cost:
        """Measure the handing of one line from a CPU to another, one way."""
        result = _Cost()
        code = self._library.knee_handover(cpu_a, cpu_b, _ns(duration), ctypes.byref(result))
        check(code, f"hand-over probe, CPUs {cpu_a} and {cpu_b}")
        return Cost(result.least_ns, result.median_ns, result.batches)

    def bandwidth(
        self, threads: int, size: int, cpus: Sequence[int] | None = None, duration: float = 0.1
    ) -> list[float]:
        """Measure bytes per second of each thread in STREAM's triad, each over its own ``size`` bytes.

        Take a size well above the last-level cache. Counted as STREAM does: three words a step, the line that a
        store fetches not included (McCalpin 1995, "Memory bandwidth and machine balance").
        """
        rates = (ctypes.c_double * max(threads, 1))()
        code = self._library.knee_bandwidth(threads, _cpus(threads, cpus), size, _ns(duration), rates)
        check(code, f"bandwidth probe, {threads} threads")
        return list(rates)

    def ceiling(self, threads: int, cpus: Sequence[int] | None = None, duration: float = 0.05) -> list[float]:
        """Measure iterations per second of each thread when all run the control loop, which shares nothing."""
        rates = (ctypes.c_double * max(threads, 1))()
        check(
            self._library.knee_ceiling(threads, _cpus(threads, cpus), _ns(duration), rates),
            f"ceiling, {threads} threads",
        )
        return list(rates)


def _ns(duration: float) -> int:
    return int(duration * 1e9)


def _cpus(threads: int, cpus: Sequence[int] | None) -> Any:
    if cpus is None:
        return None
    if len(cpus) != threads:
        raise ValueError(f"{len(cpus)} CPUs for {threads} threads")
    return (ctypes.c_int * threads)(*cpus)
