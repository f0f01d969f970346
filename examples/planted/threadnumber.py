"""The running number of a thread in its interpreter: threads get it in the order in which they start.

Any per-thread slot that is dealt out at a thread's start (a runtime's, a profiler's, an allocator's)
follows it.
"""

import ctypes
import threading

_get = ctypes.pythonapi.PyThreadState_Get
_get.restype = ctypes.c_void_p
_number = ctypes.pythonapi.PyThreadState_GetID
_number.restype = ctypes.c_uint64
_number.argtypes = [ctypes.c_void_p]


def number():
    """Return the calling thread's number."""
    return _number(_get())


def following():
    """Return the number that the next thread to start will get."""
    seen = []
    probe = threading.Thread(target=lambda: seen.append(number()))
    probe.start()
    probe.join()
    return seen[0] + 1
