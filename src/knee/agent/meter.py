"""Bracketing a worker's timed part: what the thread used, before and after, and the clock closest to the work.

Two makes with the same verbs: ``NativeMeter`` waits at Knee's own barrier and reads everything in C; ``PlainMeter``
needs the standard library only, starts at an agreed instant of the monotonic clock, and is less precise.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
import time
from typing import Any, Callable

import knee.native

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

Sample = dict[str, Any]

_SPIN = 200_000  # ns of busy waiting at the end of the sleep: longer than a timer's slack on Linux (50 µs)


class PlainMeter:
    """Usage by ``getrusage`` and ``/proc``, start by the clock.

    Call ``begin``, do the work, ``end``, then read ``sample``.
    """

    def __init__(self) -> None:
        task = f"/proc/self/task/{threading.get_native_id()}"
        self._schedstat = _open(f"{task}/schedstat")
        self._stat = _open(f"{task}/stat")

    def begin(self, start: int, alone: bool = False) -> None:  # noqa: ARG002 - the clock is the same for one
        """Wait until the clock shows ``start`` (ns) and open the bracket."""
        self._wait_before = self._wait()
        self._cpu_before = self._processor()
        ahead = start - time.perf_counter_ns() - _SPIN
        if ahead > 0:
            time.sleep(ahead / 1e9)
        while time.perf_counter_ns() < start:
            pass
        self._usage_before = _usage()
        self._start = time.perf_counter_ns()

    def end(self) -> None:
        """Close the bracket."""
        self._end = time.perf_counter_ns()
        self._usage_after = _usage()

    def sample(self) -> Sample:
        """Return the bracket's figures under the names of ``WorkerSample``; what is not known is left out."""
        found: Sample = {"start": self._start, "end": self._end}
        for name, before, after in zip(_NAMES, self._usage_before, self._usage_after):
            if before is not None and after is not None:
                found[name] = after - before
        wait = self._wait()
        if wait is not None and self._wait_before is not None:
            found["wait"] = wait - self._wait_before
        found["cpu_start"], found["cpu_end"] = self._cpu_before, self._processor()
        return found

    def speed(self) -> float | None:
        """Return None: the core-speed probe is native, so that no interpreter's habits enter it."""
        return None

    def close(self) -> None:
        """Close the files."""
        for file in (self._schedstat, self._stat):
            if file is not None:
                os.close(file)

    def _wait(self) -> int | None:
        if self._schedstat is None:
            return None
        return int(os.pread(self._schedstat, 100, 0).split()[1])

    def _processor(self) -> int | None:
        if self._stat is None:
            return None
        # Fields follow the command's name, which may hold spaces and brackets: proc(5), field 39 is the processor.
        return int(os.pread(self._stat, 2000, 0).rpartition(b")")[2].split()[36])


class NativeMeter:
    """The native bracket behind the same verbs.

    Args:
        native: the opened library.
        barrier: where the pool's workers meet.
    """

    def __init__(self, native: knee.native.Native, barrier: knee.native.Barrier) -> None:
        self._native = native
        self._among = native.bracket(barrier, _PATIENCE)
        self._alone = native.bracket()
        self._bracket = self._among
        native.counters()

    def begin(self, start: int, alone: bool = False) -> None:  # noqa: ARG002 - the barrier decides the start
        """Meet the others, unless this worker runs ``alone``; returns at the common start."""
        self._bracket = self._alone if alone else self._among
        self._bracket.begin()

    def end(self) -> None:
        """Close the bracket."""
        self._bracket.end()

    def control(self, iterations: int) -> None:
        """Run the kernel that shares nothing."""
        self._native.control(iterations)

    def sample(self) -> Sample:
        """Return the bracket's figures under the names of ``WorkerSample``; what is not known is left out."""
        figures = self._bracket.sample()
        figures.pop("migrations")
        return {_native_name(name): value for name, value in figures.items() if value is not None}

    def speed(self) -> float | None:
        """Measure the core's speed, iterations per second, for about a millisecond, whatever interrupts it."""
        return self._native.probes.speed().rate

    def close(self) -> None:
        """Nothing is open but what the thread takes with it."""


def _native_name(name: str) -> str:
    return name[:-3] if name.endswith("_ns") else name


_PATIENCE = 30.0
"""Seconds that a worker waits for the others: they were told at the same time, so more means that one is gone."""


class Start:
    """The pool's common start.

    Args:
        workers: how many start together.
        native: path of the native library; None starts by the clock.
        shared: whether the workers are processes, which need the barrier in a file that all map.

    Attributes:
        handle: what ``factory`` needs in each worker, as JSON data.
    """

    def __init__(self, workers: int, native: str | None, *, shared: bool) -> None:
        self.handle: dict[str, Any] | None = None
        self._path = ""
        if native is None:
            return
        library = knee.native.load(native)
        if shared:
            folder = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
            descriptor, self._path = tempfile.mkstemp(prefix="knee-", dir=folder)
            os.ftruncate(descriptor, mmap.PAGESIZE)
            memory = mmap.mmap(descriptor, mmap.PAGESIZE)
            os.close(descriptor)
            self.barrier = library.barrier(workers, memory)
            self.handle = {"file": self._path}
        else:
            self.barrier = library.barrier(workers)
            self.handle = {"address": self.barrier.address}

    def close(self) -> None:
        """Remove the file, if there was one."""
        if self._path:
            os.unlink(self._path)
            self._path = ""


def factory(native: str | None, handle: dict[str, Any] | None) -> Callable[[], Any]:
    """Return what makes a worker's meter, to be called in the worker's own thread."""
    if native is None or handle is None:
        return PlainMeter
    library = knee.native.load(native)
    if "file" in handle:
        with open(handle["file"], "r+b") as file:
            barrier = library.barrier(None, mmap.mmap(file.fileno(), mmap.PAGESIZE))
    else:
        barrier = library.barrier(None, handle["address"])
    return lambda: NativeMeter(library, barrier)


_NAMES = ("user", "system", "cpu", "voluntary", "involuntary", "minor_faults", "major_faults")


def _usage() -> tuple[int | None, ...]:
    cpu = time.thread_time_ns()
    which = getattr(resource, "RUSAGE_THREAD", None)
    if which is None:
        return (None, None, cpu, None, None, None, None)
    use = resource.getrusage(which)
    return (
        round(use.ru_utime * 1e9),
        round(use.ru_stime * 1e9),
        cpu,
        use.ru_nvcsw,
        use.ru_nivcsw,
        use.ru_minflt,
        use.ru_majflt,
    )


def _open(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        return None
