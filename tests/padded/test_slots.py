"""Slots: one number a line, for indexes, buffers and NumPy."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from knee.padded import Slots, line_size

from .workers import run_together


def test_each_worker_has_its_own_line() -> None:
    slots = Slots(4)
    view = memoryview(slots)
    assert (view.shape, view.strides, view.format) == ((4,), (line_size(),), "q")

    def work(index: int) -> None:
        mine = slots.local(index)
        for _ in range(2000):
            mine.add(1)
            slots[index] += 1

    run_together(work, 4)
    assert list(slots) == [4000] * 4
    assert sum(slots) == 16000


def test_the_memory_starts_on_a_line() -> None:
    numpy = pytest.importorskip("numpy")
    for line in (16, 64, 128, 4096):
        array = numpy.asarray(Slots(3, line=line))
        assert array.ctypes.data % line == 0
        assert array.strides == (line,)


def test_numpy_sees_the_same_memory() -> None:
    numpy = pytest.importorskip("numpy")
    slots = Slots(5, "float64")
    array = slots.numpy()
    array[3] = 2.5
    slots[1] = 1.5
    assert slots[3] == 2.5
    assert array.sum() == 4.0
    assert array.dtype == numpy.float64
    del slots
    assert array[1] == 1.5


@pytest.mark.parametrize(
    ("dtype", "value", "too_much"),
    [
        ("bool", True, None),
        ("int8", -128, 128),
        ("uint8", 255, 256),
        ("h", -(2**15), 2**15),
        ("H", 2**16 - 1, -1),
        ("int32", 2**31 - 1, 2**31),
        ("I", 2**32 - 1, 2**32),
        ("int64", -(2**63), 2**63),
        ("uint64", 2**64 - 1, 2**64),
        ("float32", 0.5, None),
        ("d", 1e300, None),
        (int, 7, 2**63),
        (float, 0.1, None),
        (bool, True, None),
    ],
)
def test_every_dtype_holds_its_range(dtype: Any, value: Any, too_much: Any) -> None:
    slots = Slots(2, dtype)
    assert slots[0] == 0
    slots[1] = value
    assert slots[1] == value
    assert slots.local(-1).get() == value
    assert memoryview(slots)[1] == value
    if too_much is not None:
        with pytest.raises(OverflowError):
            slots[0] = too_much
        with pytest.raises(OverflowError):
            slots.local(0).set(too_much)
    assert slots[0] == 0


def test_bad_arguments_are_refused() -> None:
    for n in (0, -1):
        with pytest.raises(ValueError, match="n must be"):
            Slots(n)
    for dtype in ("complex128", "object", list, None):
        with pytest.raises(ValueError, match="dtype"):
            Slots(1, dtype)
    with pytest.raises(MemoryError):
        Slots(2**60)
    slots = Slots(2)
    for index in (2, -3):
        with pytest.raises(IndexError):
            slots[index]
        with pytest.raises(IndexError):
            slots.local(index)
    with pytest.raises(TypeError):
        slots[0] = "x"  # type: ignore[assignment]
    with pytest.raises(TypeError):
        del slots[0]  # type: ignore[attr-defined]
    with pytest.raises((BufferError, TypeError)):
        ctypes.c_char.from_buffer(slots)
