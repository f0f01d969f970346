"""Primitives that own their cache lines: the mends for what Knee finds.

Two threads that write apart, but on one cache line, slow each other down as if they wrote the same word. Each type here
keeps what threads fight over alone on its lines, and the sharded ones give each thread a line of its own.

A method called on one shared object still counts references on that object, from every thread. Where that matters, ask
for the thread's own handle once (``add = counter.local()``) or make the object ``immortal``; see ``docs/padded.md``.

Fit for CPython 3.11 and later, with and without the GIL; with the GIL all of it works, and little of it helps.
"""

from __future__ import annotations

import pkgutil

# The agent of another Knee may run in this interpreter: let it see the extension that was built for it.
__path__ = pkgutil.extend_path(__path__, __name__)

from ._core import (
    Arenas,
    ArenaStats,
    AtomicFloat64,
    AtomicInt64,
    Barrier,
    Block,
    Counter,
    Event,
    Handle,
    Histogram,
    Lock,
    Maximum,
    RWLock,
    RWLockSide,
    Slot,
    Slots,
    SpinLock,
    line_size,
)
from .pool import WorkerPool, worker_state
from .states import LinePadded, PaddingError, padded_states

__all__ = [
    "ArenaStats",
    "Arenas",
    "AtomicFloat64",
    "AtomicInt64",
    "Barrier",
    "Block",
    "Counter",
    "Event",
    "Handle",
    "Histogram",
    "LinePadded",
    "Lock",
    "Maximum",
    "PaddingError",
    "RWLock",
    "RWLockSide",
    "Slot",
    "Slots",
    "SpinLock",
    "WorkerPool",
    "line_size",
    "padded_states",
    "worker_state",
]
