"""Nothing is left behind: objects, cells, shards, blocks."""

from __future__ import annotations

import gc
import os
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest

from knee import padded

KINDS: dict[str, Any] = {
    "Lock": padded.Lock,
    "SpinLock": padded.SpinLock,
    "RWLock": padded.RWLock,
    "Event": padded.Event,
    "Barrier": lambda: padded.Barrier(2, action=lambda: None),
    "Counter": padded.Counter,
    "Maximum": padded.Maximum,
    "Histogram": lambda: padded.Histogram(range(1, 100)),
    "AtomicInt64": padded.AtomicInt64,
    "AtomicFloat64": padded.AtomicFloat64,
    "Slots": lambda: padded.Slots(4),
    "Arenas": lambda: padded.Arenas(4),
}


def use(kind: str, two: bool = True) -> Any:
    """An object that has been used, by one or two threads, and its handle."""
    made = KINDS[kind]()
    if kind == "Slots":
        return made, made.local(1), memoryview(made)
    handle = made.local()

    def work() -> None:
        if kind == "Counter":
            made.add(3)
        elif kind == "Maximum":
            made.update(1.5)
        elif kind == "Histogram":
            made.observe(50)
        elif kind == "RWLock":
            with made.read, made.read:
                pass
            with made.write:
                pass
        elif kind == "Arenas":
            kept.append(made.allocate(1000))
            memoryview(made.allocate(300))[0] = 1
        elif kind == "Barrier":
            made.abort()
            made.reset()

    kept: list[Any] = []
    work()
    if two:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    return made, handle, kept


@pytest.mark.parametrize("kind", KINDS)
def test_objects_are_freed(kind: str) -> None:
    made, *rest = use(kind)
    reference = weakref.ref(made)
    del made, rest
    gc.collect()
    assert reference() is None


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
@pytest.mark.parametrize("kind", KINDS)
def test_memory_does_not_grow(kind: str) -> None:
    def resident() -> int:
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    def many() -> None:
        for i in range(1500):
            use(kind, two=i % 50 == 0)

    many()
    before = resident()
    many()
    assert resident() - before < 1500 * 64  # less than any of them needs


@pytest.mark.skipif(
    not getattr(sys, "_is_gil_enabled", lambda: True)(), reason="counts are split without the GIL"
)
def test_reference_counts_come_back() -> None:
    for kind in KINDS:
        use(kind)
    names = ["Lock", "RWLock", "RWLockSide", "Counter", "Handle", "Arenas", "Block", "Slots", "Slot", "Event"]
    gc.collect()
    before = [sys.getrefcount(getattr(padded, name)) for name in names]
    for _ in range(20):
        for kind in KINDS:
            use(kind)
    gc.collect()
    assert [sys.getrefcount(getattr(padded, name)) for name in names] == before
