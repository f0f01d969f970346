"""Cache lines stated, measured and assumed."""

from __future__ import annotations

from knee.machine.lines import Line, assumed


def test_the_table_knows_x86_and_apple() -> None:
    x86, apple = assumed("x86_64"), assumed("arm64", "macOS 15.4")
    assert x86 is not None
    assert apple is not None
    assert (x86["crossbeam"], x86["GCC"], apple["Go"], apple["Clang"]) == (128, 64, 128, 128)
    linux_arm = assumed("aarch64")
    assert linux_arm is not None
    assert linux_arm["Clang"] == 256
    assert assumed("pdp11") is None


def test_padding_is_the_larger_of_stated_and_measured() -> None:
    assert Line(64, 128).padding == 128
    assert Line(128, 64).padding == 128
    assert Line(64).padding == 64


def test_padding_is_the_commonest_assumption_where_nothing_is_known() -> None:
    assert Line(None, assumed=assumed("s390x")).padding == 256
    assert Line(None).padding == 128
