"""Reading small files below a root folder, so that recorded machines can stand for real ones.

A read never raises: it gives None, and :meth:`Tree.why` says what was wrong with that file.
"""

from __future__ import annotations

import re
from pathlib import Path

LONGEST = 1 << 20
"""Bytes read of one file at most."""

MOST_CPUS = 1 << 16
"""A CPU number above this is nonsense (Linux allows 8192)."""


class Tree:
    """Files below ``root``; paths are relative, with forward slashes."""

    def __init__(self, root: Path | str = "/") -> None:
        self.root = Path(root)
        self._whys: dict[str, str] = {}

    def _bytes(self, path: str) -> bytes:
        with open(self.root / path, "rb") as file:
            return file.read(LONGEST)

    def _names(self, path: str) -> list[str]:
        return [entry.name for entry in (self.root / path).iterdir()]

    def text(self, path: str) -> str | None:
        """The file's text without surrounding space, or None."""
        try:
            return self._bytes(path.lstrip("/")).decode().strip()
        except UnicodeDecodeError:
            self._whys[path] = f"/{path.lstrip('/')} is not text"
        except OSError as error:
            self._whys[path] = f"/{path.lstrip('/')}: {(error.strerror or str(error)).lower()}"
        except ValueError as error:
            self._whys[path] = f"{path!r} cannot be a path: {error}"
        return None

    def integer(self, path: str) -> int | None:
        """The file as one integer, or None."""
        text = self.text(path)
        value = None if text is None else integer(text)
        if text is not None and value is None:
            self._whys[path] = f"/{path.lstrip('/')} holds {text[:40]!r}, not an integer"
        return value

    def cpu_list(self, path: str) -> tuple[int, ...] | None:
        """The file as a list of CPUs such as ``0-3,8``, or None; an empty file is an empty list."""
        text = self.text(path)
        value = None if text is None else cpu_list(text)
        if text is not None and value is None:
            self._whys[path] = f"/{path.lstrip('/')} holds {text[:40]!r}, not a list of CPUs"
        return value

    def names(self, path: str) -> list[str]:
        """Names in a folder, sorted; empty if it cannot be listed."""
        try:
            return sorted(self._names(path.lstrip("/")))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            self._whys[path] = f"/{path.lstrip('/')}: {reason.lower()}"
            return []

    def why(self, path: str) -> str:
        """Why the last read of ``path`` gave nothing."""
        return self._whys.get(path, f"/{path.lstrip('/')} was not read")


def integer(text: str) -> int | None:
    """``text`` as an integer of at most 18 digits, or None."""
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,18}", text.strip()) else None


def cpu_list(text: str) -> tuple[int, ...] | None:
    """``0-3,8`` as (0, 1, 2, 3, 8), or None if it is not such a list (see cpuset(7), "List format")."""
    numbers: set[int] = set()
    for part in text.replace("\n", ",").split(","):
        if not part.strip():
            continue
        match = re.fullmatch(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", part.strip())
        if match is None:
            return None
        low, high = int(match[1]), int(match[2] or match[1])
        if high < low or high > MOST_CPUS:
            return None
        numbers.update(range(low, high + 1))
    return tuple(sorted(numbers))


def size(text: str | None) -> int | None:
    """A cache size such as ``32K`` in bytes, or None."""
    match = re.fullmatch(r"([0-9]{1,12})([KMG]?)B?", (text or "").strip())
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[match[2]] if match else None
