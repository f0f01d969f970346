"""The native library, through ctypes: the same file for every interpreter, CPython 3.9 and later.

``load()`` opens it; all else is a method of what it returns. Standard library only.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
from functools import cache

from knee.native.barrier import Barrier, BarrierTimeout
from knee.native.bracket import Bracket, Stamp
from knee.native.library import ENVIRONMENT, NativeUnavailable, find, open_library
from knee.native.probes import Cost, Probes, Speed
from knee.native.rounding import MODES, RoundCounts, Rounding
from knee.native.sampler import InstructionSample, Sampler

__all__ = [
    "MODES",
    "Barrier",
    "BarrierTimeout",
    "Bracket",
    "Cost",
    "InstructionSample",
    "Native",
    "NativeUnavailable",
    "Probes",
    "RoundCounts",
    "Rounding",
    "Sampler",
    "Speed",
    "Stamp",
    "library_path",
    "load",
    "preloadable",
    "shim_path",
]

_SEPARATORS = frozenset(" \t\n:")


def library_path() -> str | None:
    """Return the library's path: ``KNEE_NATIVE`` if set, else beside this package; None when there is none.

    An editable install puts it into ``site-packages``, which ``__path__`` spans beside the sources.
    """
    return os.environ.get(ENVIRONMENT) or find(list(__path__))


def shim_path(stem: str = "kneemalloc") -> str | None:
    """Return the path of a preloadable malloc (Linux; the C file of its name says how to use it), or None.

    Args:
        stem: ``kneemalloc`` rounds, ``kneeheaps`` lets no threads meet.
    """
    path = find([*__path__, *filter(None, [os.path.dirname(library_path() or "")])], stem)
    return None if path is None else preloadable(path)


@cache
def preloadable(path: str) -> str | None:
    """Return a path of the same file that LD_PRELOAD can hold: there, blanks and colons part one path from the next.

    Where it has any, it is a link in a folder of this process, removed at its end; None where no folder without them
    can be written.
    """
    if not _SEPARATORS.intersection(path):
        return path
    import atexit  # rarely needed, and targets import this module too
    import shutil
    import tempfile

    for parent in (tempfile.gettempdir(), "/tmp"):
        if not _SEPARATORS.intersection(parent) and os.access(parent, os.W_OK):
            folder = tempfile.mkdtemp(prefix="knee-", dir=parent)
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            link = os.path.join(folder, os.path.basename(path))
            os.symlink(os.path.abspath(path), link)
            return link
    return None


def load(path: str | None = None) -> Native:
    """Open the library at ``path`` (default: ``library_path()``).

    Raises:
        NativeUnavailable: there is none, it does not load, or it belongs to another version.
    """
    path = path or library_path()
    return Native(open_library(path), str(path))


class Native:
    """The opened library.

    Args:
        library: as ``open_library`` returns it.
        path: its file.
    """

    def __init__(self, library: ctypes.CDLL, path: str) -> None:
        self.library = library
        self.path = path
        library.knee_barrier_init.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
        library.knee_barrier_wait.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p]
        library.knee_barrier_abort.argtypes = [ctypes.c_void_p]
        library.knee_barrier_abort.restype = None
        library.knee_counters_open.argtypes = [ctypes.c_void_p]
        library.knee_control.argtypes = [ctypes.c_uint64]
        library.knee_control.restype = ctypes.c_uint64
        self.probes = Probes(library)
        """Speed of a core, the line, hand-over between cores, bandwidth, ceiling."""
        self.rounding = Rounding(library)
        """The wrapped allocators of this process."""

    def barrier(self, parties: int | None, memory: mmap.mmap | int | None = None) -> Barrier:
        """Make a barrier for ``parties``, in ``memory`` if processes share it; None joins one made there."""
        return Barrier(self.library, parties, memory)

    def bracket(self, barrier: Barrier | None = None, timeout: float | None = None) -> Bracket:
        """Return the bracket of one worker; ``timeout`` in seconds."""
        return Bracket(self.library, barrier, timeout)

    def counters(self) -> tuple[int, str]:
        """Open hardware counters for the calling thread; its brackets carry them from now on.

        Returns:
            What is counted (a sum of 1: cycles and instructions in user mode, 2: in all modes, 4: migrations)
            and the reason why there are no cycles, empty if there are.
        """
        error = ctypes.c_int()
        counts = int(self.library.knee_counters_open(ctypes.byref(error)))
        return counts, _counter_reason(-error.value)

    def control(self, iterations: int) -> None:
        """Run the control kernel in the calling thread: it shares nothing with anyone."""
        self.library.knee_control(iterations)

    def speed(self, duration: float = 0.001) -> Speed:
        """Measure the speed of the core the caller runs on: ``Probes.speed``."""
        return self.probes.speed(duration)

    def sampler(self, thread: int, hertz: int, kernel: bool = False) -> Sampler:
        """Start sampling instruction addresses of the thread with that native id.

        Raises:
            NativeUnavailable: the system refuses, with why.
        """
        return Sampler(self.library, thread, hertz, kernel)


def _counter_reason(code: int) -> str:
    reasons = {
        0: "",
        errno.ENOENT: "no performance monitoring unit (as in most virtual machines)",
        errno.EACCES: "not permitted: /proc/sys/kernel/perf_event_paranoid is above 2",
        errno.EPERM: "not permitted: perf_event_open is forbidden here (seccomp or perf_event_paranoid)",
        errno.ENOSYS: "this system has no perf_event_open",
    }
    return reasons.get(code, f"perf_event_open: {os.strerror(code)}")
