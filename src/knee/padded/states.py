"""Python objects on cache lines of their own, by rounding what their factory allocates.

Objects made one after the other lie 16 to 64 bytes apart, so the states of two workers often share a line, and each
reference counted on one disturbs the other. While the factory runs, every block that Python allocates in this thread is
rounded up to whole lines, by the wrapped allocator; afterwards each block's address is checked.
"""

from __future__ import annotations

import gc
import sys
from bisect import bisect
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from knee.errors import KneeError

from . import _core

T = TypeVar("T")

# With the GIL other threads can put objects of these types on the free lists, which all share, while a factory runs.
RECYCLED: frozenset[type] = frozenset({dict, float, list, tuple})


class PaddingError(KneeError):
    """The objects do not lie as they should; nothing relies on them yet."""


class LinePadded(Generic[T]):
    """A factory whose objects lie on lines of their own.

    Padded is what Python allocates while the factory runs: the object, its ``__dict__``, its containers and their
    members. Not padded: what existed before, what is allocated later (a list that grows, an attribute that comes to
    stand for a new number), and memory that others allocate (an array's data). An object that its own worker
    makes in its own thread (``WorkerPool(state=...)``) is better still: that thread then owns its reference counts.

    On interpreters with the GIL, where no two threads run at once, the allocator does not align blocks; there the
    objects are kept apart from each other only, by one more line each.

    Args:
        factory: makes one object.
        line: bytes to own; None for ``line_size()``.

    Attributes:
        blocks: how many blocks have been padded.
        asked: bytes that the factory asked for in these blocks.
        used: bytes that they occupy: the memory price.

    >>> class State:
    ...     def __init__(self, start: int) -> None:
    ...         self.count = start
    >>> make = LinePadded(State)
    >>> states = [make(0) for _ in range(4)]
    >>> states[3].count
    0
    >>> make.used >= 4 * make.line
    True
    """

    def __init__(self, factory: Callable[..., T], *, line: int | None = None) -> None:
        self.factory = factory
        self.line = _core.line_size() if line is None else line
        self.blocks = 0
        self.asked = 0
        self.used = 0
        self._guarded = getattr(sys, "_is_gil_enabled", lambda: True)()

    def __call__(self, *args: object, **kwargs: object) -> T:
        """An object made by ``factory(*args, **kwargs)``.

        Raises:
            PaddingError: the interpreter's allocator did not put it where it should.
        """
        return self._make(1, args, kwargs)[0]

    def _make(self, n: int, args: tuple[object, ...], kwargs: dict[str, object]) -> list[T]:
        made: list[Any] = [None] * n
        gc.collect()  # empties the free lists, whose blocks were allocated without padding
        _core._rounding_begin(self.line, self._guarded)
        try:
            for i in range(n):
                made[i] = self.factory(*args, **kwargs)
        finally:
            blocks = _core._rounding_end()
        self._check(made, blocks)
        return made

    def _check(self, made: list[T], blocks: list[tuple[int, int]]) -> None:
        blocks.sort()
        for start, size in blocks:
            if start % self.line and not self._guarded:
                raise PaddingError(
                    f"a block of {size} bytes lies at {start:#x}, not at the start of a line of {self.line} bytes",
                    "leave PYTHONMALLOC unset (debug allocators shift blocks), or try another line",
                )
            self.blocks += 1
            self.asked += size
            self.used += -(-max(size, 1) // self.line) * self.line + (self.line if self._guarded else 0)
        end = -1
        for one in sorted(made, key=id):
            address = id(one)
            which = bisect(blocks, (address, sys.maxsize)) - 1
            start, size = blocks[which] if which >= 0 else (0, 0)
            if not start <= address < start + size:
                if self._guarded and type(one) in RECYCLED:
                    continue
                raise PaddingError(
                    "the factory returned an object that it did not make, or one from a free list",
                    "let it make a new instance of a class (numbers, and objects kept elsewhere, cannot be padded)",
                )
            if start // self.line <= end:
                raise PaddingError(
                    "the factory returned one object twice, or two on one line",
                    "let it make a new one at each call",
                )
            end = (start + size - 1) // self.line


def padded_states(factory: Callable[[], T], n: int, *, line: int | None = None) -> list[T]:
    """``[factory() for _ in range(n)]``, each with lines of its own: see `LinePadded`.

    >>> states = padded_states(dict, 2)
    >>> states
    [{}, {}]
    """
    return LinePadded(factory, line=line)._make(n, (), {})
