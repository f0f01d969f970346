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


SHARDED: list[Any] = [
    (Counter, "add", lambda made: made.value() == 7),
    (Maximum, "update", lambda made: made.value() == 7),
    (lambda **options: Histogram([1], **options), "observe", lambda made: made.value() == ((0, 1), 7.0)),
]


@pytest.mark.parametrize(("make", "name", "holds"), SHARDED)
def test_an_immortal_object_is_used_like_any_other(make: Any, name: str, holds: Any) -> None:
    """Its method is found by a way of its own; nothing else about it may differ."""
    usual, immortal = make(), make(immortal=True)
    assert isinstance(immortal, type(usual))
    assert type(immortal).__qualname__ == type(usual).__qualname__
    for each in (usual, immortal):
        method = getattr(each, name)
        assert method.__self__ is each
        assert (method.__name__, method.__doc__) == (name, getattr(type(usual), name).__doc__)
        method(7)
        assert holds(each)
        getattr(each, "".join(name))  # a string that is not the interned one
        with pytest.raises(AttributeError):
            each.missing  # noqa: B018
        with pytest.raises(AttributeError):
            setattr(each, name, None)
        with pytest.raises(TypeError):
            type("Derived", (type(each),), {})


@pytest.mark.skipif(GIL_BUILD, reason="with the GIL nothing is immortal")
def test_the_method_of_an_immortal_object_is_not_counted_either() -> None:
    """All threads look it up: were it counted, they would meet at its reference count."""
    counter = Counter(immortal=True)
    add = counter.add
    before = sys.getrefcount(add)
    also = [counter.add for _ in range(10)]
    if sys.version_info < (3, 14):
        assert sys.getrefcount(add) == before
        assert all(each is add for each in also)


def test_what_an_immortal_objects_type_makes_is_counted_as_usual() -> None:
    assert type(Counter(immortal=True))().counting == USUAL
