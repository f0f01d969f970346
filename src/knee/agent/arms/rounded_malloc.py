"""Line-rounded malloc for chosen source lines only: localises what the preloaded malloc gives back as a whole.

Needs libkneemalloc preloaded with ``KNEE_MALLOC_WHEN=called``. What a line calls outside of the folder, native code
above all, is put down to that line. Tracing is over before anything is timed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from knee.agent.arm import Arm as Base
from knee.agent.lines import Lines


class Arm(Base):
    """Options. ``lines``: round only what these ``[file, line]`` allocate; without, tell what each line allocates.
    ``folder``: files below it count as the workload's own."""

    def __init__(self, variant: str, options: dict[str, Any]) -> None:
        super().__init__(variant, options)
        self._why = ""
        self._lines: Lines | None = None

    def install(self) -> None:
        """Find the preloaded malloc."""
        # PyDLL: toggling stays cheap, and nobody else runs meanwhile.
        library = ctypes.PyDLL(None)
        if not hasattr(library, "knee_malloc_enable"):
            self._why = "the rounding malloc is not preloaded"
            return
        chosen = self.options.get("lines")
        wanted = None if chosen is None else {(file, line) for file, line in chosen}
        self._lines = Lines(Shim(library), wanted, self.options["folder"])

    @contextmanager
    def making(self) -> Iterator[None]:
        """Round."""
        if self._lines is None:
            yield
        else:
            with self._lines:
                yield

    def check(self) -> dict[str, Any]:
        """Tell what the lines allocated."""
        found: dict[str, Any] = {"honoured": not self._why, "why": self._why}
        if self._lines is not None:
            found["lines"] = self._lines.ranked()
        return found


class Counts(NamedTuple):
    """What the preloaded malloc did in this process."""

    seen: int


class Shim:
    """The preloaded malloc, as ``Lines`` wants it."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library

    def enable(self, on: bool) -> bool:
        """Round the calling thread's blocks, or not; return what it was."""
        return bool(self._library.knee_malloc_enable(int(on)))

    def counts(self) -> Counts:
        """Return the blocks asked for while enabled."""
        counts = (ctypes.c_int64 * 3)()
        self._library.knee_malloc_counts(counts)
        return Counts(counts[0])
