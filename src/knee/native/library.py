"""Finding and opening libknee."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence

ABI = 2
"""The number that ``knee_abi`` must return: signatures and structures of ``knee.h`` as declared here."""

ENVIRONMENT = "KNEE_NATIVE"
"""Environment variable that names the library's file, before any other place."""


class NativeUnavailable(Exception):
    """The native library cannot be used here.

    Args:
        reason: why, one line, fit to be shown.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def file_name(stem: str = "knee") -> str:
    """Return the library's file name on this platform."""
    if sys.platform == "win32":
        return f"{stem}.dll"
    return f"lib{stem}.dylib" if sys.platform == "darwin" else f"lib{stem}.so"


def find(folders: Sequence[str], stem: str = "knee") -> str | None:
    """Return the path of the first library of that name in ``folders``, or None."""
    for folder in folders:
        path = os.path.join(folder, file_name(stem))
        if os.path.isfile(path):
            return os.path.abspath(path)
    return None


def open_library(path: str | None) -> ctypes.CDLL:
    """Open the library and check that it is the one this binding was written for.

    Raises:
        NativeUnavailable: no path, not loadable, or built from other sources.
    """
    if path is None:
        raise NativeUnavailable("the native library is not built (scripts/build)")
    try:
        library = ctypes.CDLL(path)
        found = int(library.knee_abi())
    except (OSError, AttributeError) as error:
        raise NativeUnavailable(f"the native library does not load: {error}") from None
    if found != ABI:
        raise NativeUnavailable(
            f"{path} has interface {found}, this Knee needs {ABI}: build it again (scripts/build)"
        )
    return library


def check(code: int, doing: str) -> int:
    """Return ``code`` unless it is a negative errno.

    Raises:
        OSError: with that errno, and what was being done.
    """
    if code < 0:
        raise OSError(-code, f"{doing}: {os.strerror(-code)}")
    return code
