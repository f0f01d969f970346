"""Instruction addresses of one thread, by its CPU time."""

from __future__ import annotations

import ctypes
import errno
from typing import NamedTuple

from knee.native.library import NativeUnavailable

_ROOM = 4096


class InstructionSample(NamedTuple):
    """Where a thread was."""

    address: int
    """The instruction's address in this process (or in the kernel)."""
    clock_ns: int
    """When, in ``perf_counter_ns``."""
    thread: int
    """The thread's native id (``threading.get_native_id``)."""
    kernel: bool
    """Whether the address is the kernel's."""


class _Sample(ctypes.Structure):
    _fields_ = [
        ("address", ctypes.c_uint64),
        ("clock_ns", ctypes.c_int64),
        ("thread", ctypes.c_int32),
        ("kernel", ctypes.c_int32),
    ]


class Sampler:
    """Samples one thread of this process from now on; ``drain`` now and then, ``close`` at the end.

    The ring holds about 4,000 samples (less where ``perf_event_mlock_kb`` is small); more are lost and counted.

    Args:
        library: the opened library.
        thread: native id of the thread.
        hertz: samples per second of its CPU time; at most ``/proc/sys/kernel/perf_event_max_sample_rate``.
        kernel: also while it is in the kernel; ``kernel`` then tells whether that was permitted.

    Raises:
        NativeUnavailable: the system refuses, with why.
    """

    def __init__(self, library: ctypes.CDLL, thread: int, hertz: int, kernel: bool = False) -> None:
        self._library = library
        library.knee_sampler_open.argtypes = [ctypes.c_int32, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
        library.knee_sampler_drain.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
        library.knee_sampler_drain.restype = ctypes.c_int64
        library.knee_sampler_lost.argtypes = [ctypes.c_void_p]
        library.knee_sampler_lost.restype = ctypes.c_int64
        library.knee_sampler_pause.argtypes = [ctypes.c_void_p, ctypes.c_int]
        library.knee_sampler_close.argtypes = [ctypes.c_void_p]
        library.knee_sampler_close.restype = None
        place, with_kernel = ctypes.c_void_p(), ctypes.c_int(kernel)
        code = library.knee_sampler_open(thread, hertz, ctypes.byref(with_kernel), ctypes.byref(place))
        if code:
            raise NativeUnavailable(f"no instruction samples: {_reason(-code, thread, hertz)}")
        self._place: ctypes.c_void_p | None = place
        self.kernel = bool(with_kernel.value)
        self._buffer = (_Sample * _ROOM)()

    def drain(self) -> list[InstructionSample]:
        """Take all samples out of the ring, oldest first; none after ``close``."""
        samples: list[InstructionSample] = []
        while self._place:
            count = self._library.knee_sampler_drain(self._place, self._buffer, _ROOM)
            samples += [
                InstructionSample(s.address, s.clock_ns, s.thread, bool(s.kernel))
                for s in self._buffer[: max(count, 0)]
            ]
            if count < _ROOM:
                break
        return samples

    def lost(self) -> int:
        """Return how many samples the ring had no room for, as far as it was drained."""
        return int(self._library.knee_sampler_lost(self._place)) if self._place else self._lost

    def pause(self, paused: bool) -> None:
        """Stop taking samples, or go on."""
        if self._place:
            self._library.knee_sampler_pause(self._place, paused)

    def close(self) -> None:
        """Give the ring back."""
        if self._place:
            self._lost = self.lost()
            self._library.knee_sampler_close(self._place)
            self._place = None

    def __enter__(self) -> Sampler:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _reason(code: int, thread: int, hertz: int) -> str:
    reasons = {
        errno.EACCES: "/proc/sys/kernel/perf_event_paranoid is above 2",
        errno.EPERM: "perf_event_open or its ring buffer is forbidden here (seccomp, perf_event_paranoid, mlock limit)",
        errno.ENOSYS: "this system has no perf_event_open",
        errno.EINVAL: f"{hertz} Hz is above /proc/sys/kernel/perf_event_max_sample_rate",
        errno.ESRCH: f"there is no thread {thread}",
        errno.EMFILE: "too many open files",
    }
    return reasons.get(code, f"perf_event_open failed with {errno.errorcode.get(code, code)}")
