"""Line-rounded memory: no two Python objects made by the workload's module and ``setup`` share a cache line.

The allocators of the object and mem domains are wrapped (``PyMem_SetAllocator``), and sizes rounded up to the line,
while the module is executed and ``setup`` runs. Controls, by ``mode``: ``off`` (wrapped, sizes as they are),
``ballast`` (the extra bytes written elsewhere), ``shuffle`` (sizes raised at random, not aligned). For localising,
rounding can be had for chosen source lines only; tracing sees to that, and is over before anything is timed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from knee.agent.arm import Arm as Base
from knee.agent.lines import Lines
from knee.agent.reach import Reach, neighbours

if TYPE_CHECKING:
    from knee.agent.workload import Loaded


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
