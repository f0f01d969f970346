"""Rounding by source line: which lines of a workload allocate, and blocks of chosen lines rounded alone."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

Line = tuple[str, int]


class Lines:
    """Rounding by source line: on while one of the wanted lines runs, or what it calls outside of the folder.

    Args:
        rounding: has ``enable(on)`` for the calling thread, and ``counts().seen``, blocks asked for while enabled.
        wanted: lines to round; None rounds all and counts what each allocates.
        folder: only files below it have lines.
    """

    def __init__(self, rounding: Any, wanted: set[Line] | None, folder: str) -> None:
        self._rounding = rounding
        self._wanted = wanted
        self._folder = folder
        self._seen: dict[Line, int] = {}
        self._at: Line | None = None
        self._count = 0

    def __enter__(self) -> None:
        self._count = self._rounding.counts().seen
        sys.settrace(self._enter)

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        self._rounding.enable(False)
        self._move(None)
        self._rounding.enable(False)

    def ranked(self) -> list[list[Any]]:
        """Return ``[file, line, blocks]``, most blocks first."""
        ranked = sorted(self._seen.items(), key=lambda item: -item[1])
        return [[file, line, blocks] for (file, line), blocks in ranked if blocks][:200]

    def _own(self, frame: FrameType) -> bool:
        return frame.f_code.co_filename.startswith(self._folder)

    def _enter(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        return self._step if self._own(frame) else None

    def _step(self, frame: FrameType, event: str, _argument: Any) -> Any:
        self._rounding.enable(False)
        if event == "line":
            self._move((frame.f_code.co_filename, frame.f_lineno))
        elif event == "return":
            back = frame.f_back
            while back is not None and not self._own(back):
                back = back.f_back
            self._move(None if back is None else (back.f_code.co_filename, back.f_lineno or 0))
        return self._step

    def _move(self, to: Line | None) -> None:
        """Put what was allocated since the last step down to the line before; go on with ``to``."""
        if self._wanted is None:
            count = self._rounding.counts().seen
            if self._at is not None:
                self._seen[self._at] = self._seen.get(self._at, 0) + count - self._count
            self._count = count
        self._at = to
        self._rounding.enable(to is not None and (self._wanted is None or to in self._wanted))
