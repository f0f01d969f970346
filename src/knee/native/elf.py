"""Whether a program is linked statically: nothing can be preloaded into it then."""

from __future__ import annotations

import shutil
import struct

_INTERPRETER = 3
"""The segment that names the dynamic loader (PT_INTERP; System V ABI, chapter 5)."""


def static(program: str) -> bool:
    """Tell whether a program is an ELF file that names no dynamic loader.

    Args:
        program: a path, or a name that is looked up in ``PATH``.

    Returns:
        False for whatever is not such a file or cannot be read: scripts, programs of other systems, nothing at all.
    """
    path = shutil.which(program)
    if path is None:
        return False
    try:
        with open(path, "rb") as file:
            head = file.read(64)
            if head[:4] != b"\x7fELF" or len(head) < 52 or head[4] not in (1, 2) or head[5] not in (1, 2):
                return False
            order = "<" if head[5] == 1 else ">"
            wide = head[4] == 2
            (offset,) = struct.unpack_from(order + ("Q" if wide else "I"), head, 32 if wide else 28)
            size, count = struct.unpack_from(order + "HH", head, 54 if wide else 42)
            file.seek(offset)
            table = file.read(size * count)
    except (OSError, struct.error):
        return False
    if not count or len(table) < size * count or size < 4:
        return False
    return all(
        struct.unpack_from(order + "I", table, size * index)[0] != _INTERPRETER for index in range(count)
    )
