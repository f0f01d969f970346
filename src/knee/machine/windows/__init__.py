"""Windows: ``GetLogicalProcessorInformationEx``, live or a recorded buffer.

Tested on buffers laid out by the documentation only, not run on Windows.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from pathlib import Path

from knee.machine.limits import Limits
from knee.machine.topology import Topology
from knee.machine.windows import processors

RELATION_ALL = 0xFFFF


def read(recorded: Path | str | None = None) -> tuple[Topology, Limits]:
    """This machine, or the one whose buffer the file holds, and what a process may use of it."""
    try:
        buffer = _live() if recorded is None else Path(recorded).read_bytes()
        reason = "the buffer is empty"
    except OSError as error:
        buffer, reason = b"", f"the processors cannot be read: {error}"
    topology = processors.parse(
        buffer, f"Windows {platform.version()}" if recorded is None else "Windows", reason
    )
    return topology, _limits() if recorded is None else Limits()


def _live() -> bytes:
    if sys.platform != "win32":
        raise OSError("this is not Windows")
    length = ctypes.c_uint32(0)
    call = ctypes.windll.kernel32.GetLogicalProcessorInformationEx
    call(RELATION_ALL, None, ctypes.byref(length))
    buffer = ctypes.create_string_buffer(length.value)
    if not call(RELATION_ALL, buffer, ctypes.byref(length)):
        raise ctypes.WinError()
    return buffer.raw[: length.value]


def _limits() -> Limits:
    import psutil

    unknown = {"quota": "CPU rate limits of job objects are not read"}
    try:
        affinity = tuple(psutil.Process().cpu_affinity() or ())
    except (psutil.Error, OSError) as error:
        return Limits(unknown={**unknown, "affinity": str(error)})
    return Limits(affinity=affinity or None, unknown=unknown)
