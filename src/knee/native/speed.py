"""The core-speed probe's result."""

from __future__ import annotations

import ctypes


class Speed(ctypes.Structure):
    """``struct knee_speed``.

    ``rate``: iterations of the control loop per second; ``best``: the same in the fastest tenth of the probe,
    which is the core's speed without what interrupted it; ``duration_ns``: how long the probe took.
    """

    _fields_ = [("rate", ctypes.c_double), ("best", ctypes.c_double), ("duration_ns", ctypes.c_int64)]

    rate: float
    best: float
    duration_ns: int
