"""Phases and declared inputs: what a workload may ask of Knee while it runs.

Works alike in a program, where nothing is recorded, and in the measured interpreter, where the agent collects the
marks of each worker after the timed part. On free-threaded builds a name shared by all workers would be counted by
all of them and make the phases themselves the bottleneck; so each worker's marks hang in the dict of a module object
(modules and their dicts are exempt from contended counting: CPython documentation, free-threading HOWTO).
"""

from __future__ import annotations

import types
from _thread import get_ident
from time import perf_counter_ns

_marks = types.ModuleType("knee._phase.marks")
_used: list[str] = []


class phase:  # noqa: N801 - reads as a statement: with knee.phase("parse")
    """Time a part of the workload, per worker: ``with knee.phase("parse"): ...``.

    Costs two clock reads and one append; phases may nest, and a phase's time includes that of the phases inside it.
    Outside Knee it does nothing but the clock reads.
    """

    __slots__ = ("_start", "name")

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        self._start = perf_counter_ns()

    def __exit__(self, kind: object, value: object, trace: object) -> None:
        end = perf_counter_ns()
        marks = _marks.__dict__.get(get_ident())  # type: ignore[call-overload]  # keys are threads
        if marks is not None:
            marks.append((self.name, end - self._start))


def uses(path: str) -> str:
    """Declare a file that the workload reads, so that a change of it changes the run's fingerprint; returns it."""
    if path not in _used:
        _used.append(path)
    return path


def used() -> list[str]:
    """Return the files declared with ``uses``, in order."""
    return list(_used)


def record() -> list[tuple[str, int]]:
    """Start collecting the calling thread's marks; returns the list that they are appended to."""
    marks: list[tuple[str, int]] = []
    _marks.__dict__[get_ident()] = marks  # type: ignore[index]
    return marks


def forget() -> None:
    """Stop collecting the calling thread's marks."""
    _marks.__dict__.pop(get_ident(), None)  # type: ignore[call-overload]


def total(marks: list[tuple[str, int]]) -> dict[str, tuple[int, int]]:
    """Fold marks into ``{name: (count, nanoseconds)}`` and empty the list."""
    sums: dict[str, tuple[int, int]] = {}
    for name, elapsed in marks:
        count, nanoseconds = sums.get(name, (0, 0))
        sums[name] = (count + 1, nanoseconds + elapsed)
    marks.clear()
    return sums
