"""How references to shared objects are counted, and what immortality costs."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import pytest

from knee.padded import (
    Arenas,
    AtomicFloat64,
    AtomicInt64,
    Barrier,
    Counter,
    Event,
    Histogram,
    Lock,
    Maximum,
    RWLock,
    Slots,
    SpinLock,
)

GIL_BUILD = not hasattr(sys, "_is_gil_enabled") or "free-threading" not in sys.version
USUAL = "counted" if GIL_BUILD or sys.version_info < (3, 14) else "deferred"

MAKERS: list[Any] = [
    Lock,
    SpinLock,
    RWLock,
    Event,
    Counter,
    Maximum,
    AtomicInt64,
    AtomicFloat64,
    Arenas,
    lambda **options: Barrier(2, **options),
    lambda **options: Histogram([1], **options),
    lambda **options: Slots(2, **options),
]


@pytest.mark.parametrize("make", MAKERS)
def test_objects_are_exempt_where_the_interpreter_offers_it(make: Any) -> None:
    assert make().counting == USUAL


@pytest.mark.parametrize("make", MAKERS)
def test_immortal_objects_are_never_freed(make: Any) -> None:
    made = make(immortal=True)
    assert made.counting == ("counted" if GIL_BUILD else "immortal")
    reference = weakref.ref(made)
    counted = sys.getrefcount(made)
    also = made
    assert sys.getrefcount(made) == counted + GIL_BUILD
    del made, also
    gc.collect()
    assert (reference() is None) is GIL_BUILD


def test_handles_are_counted_as_usual() -> None:
    assert Lock(immortal=True).local().counting == USUAL
    assert RWLock(immortal=True).read.counting == ("counted" if GIL_BUILD else "immortal")


@pytest.mark.skipif(GIL_BUILD, reason="with the GIL a type's count is written by one thread at a time")
@pytest.mark.skipif(
    sys.version_info >= (3, 14), reason="since 3.14 each thread counts its references to types"
)
def test_making_objects_counts_no_references_on_their_type() -> None:
    before = sys.getrefcount(Lock)
    locks = [Lock() for _ in range(100)]
    assert sys.getrefcount(Lock) == before
    assert len(locks) == 100
