"""Line-rounded memory: no two Python objects made by the workload's module and ``setup`` share a cache line.

The allocators of the object and mem domains are wrapped (``PyMem_SetAllocator``), and sizes rounded up to the line,
while the module is executed and ``setup`` runs. Controls, by ``mode``: ``off`` (wrapped, sizes as they are),
``ballast`` (the extra bytes written elsewhere), ``shuffle`` (sizes raised at random, not aligned). For localising,
rounding can be had for chosen source lines only; tracing sees to that, and is over before anything is timed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from knee.agent.arm import Arm as Base
from knee.agent.reach import Reach, neighbours

if TYPE_CHECKING:
    from knee.agent.workload import Loaded

Line = tuple[str, int]


class Arm(Base):
    """Options.

    ``line``: bytes, default 64. ``mode``: of the control. ``least``, ``most``: sizes that are rounded. ``lines``: round
    only what these ``[file, line]`` allocate. ``record``: tell what each line allocates. ``folder``: files below it
    count as the workload's own; an allocation elsewhere is put down to the line that led there.
    """

    def __init__(self, variant: str, options: dict[str, Any]) -> None:
        super().__init__(variant, options)
        self._why = ""
        self._lines: Lines | None = None
        self._near: dict[str, Any] = {}

    def install(self) -> None:
        """Wrap the allocators."""
        if self.native is None:
            self._why = "rounding needs the native library"
            return
        rounding = self.native.rounding
        rounding.install()
        rounding.configure(
            "line" if self.variant == "arm" else self.options.get("mode", "off"),
            self.options.get("line", 64),
            self.options.get("least", 1),
            self.options.get("most", 1024),
        )
        chosen = self.options.get("lines")
        if chosen is not None or self.options.get("record"):
            wanted = None if chosen is None else {(file, line) for file, line in chosen}
            self._lines = Lines(rounding, wanted, self.options["folder"])

    @contextmanager
    def making(self) -> Iterator[None]:
        """Round."""
        if self._why:
            yield
        elif self._lines is not None:
            with self._lines:
                yield
        else:
            with self.native.rounding.here():
                yield

    def made(self, copies: Sequence[Loaded], states: Sequence[Any]) -> None:
        """Look how objects of different workers lie."""
        if len(states) > 1:
            self._near = neighbours(Reach(copies, states), self.options.get("line", 64))

    def check(self) -> dict[str, Any]:
        """Tell whether this interpreter hands out rounded objects on lines of their own."""
        if not self._why and self.variant == "arm" and not self.native.rounding.honoured():
            self._why = "this interpreter's allocator does not start a rounded block at a line"
        found: dict[str, Any] = {"honoured": not self._why, "why": self._why, "near": self._near}
        if self.native is not None:
            found["counts"] = self.native.rounding.counts()._asdict()
        if self._lines is not None:
            found["lines"] = self._lines.ranked()
        return found


class Lines:
    """Rounding by source line: on while one of the wanted lines runs, or what it calls outside of the folder.

    Args:
        rounding: the wrapped allocators.
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

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._step if self._own(frame) else None

    def _step(self, frame: FrameType, event: str, argument: Any) -> Any:
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
