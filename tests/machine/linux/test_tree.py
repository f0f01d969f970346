"""Parsers of small files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.machine.linux.tree import Tree, cpu_list, integer, size


@given(st.sets(st.integers(0, 500)))
def test_a_list_of_cpus_reads_back(numbers: set[int]) -> None:
    text = ",".join(f"{n}-{n + 1}" if n + 1 in numbers else str(n) for n in numbers)
    assert cpu_list(text) == tuple(sorted(numbers))


@pytest.mark.parametrize("text", ["3-1", "a", "0-99999999999", "0--1", "1-2-3", "0-999999"])
def test_nonsense_is_no_list_of_cpus(text: str) -> None:
    assert cpu_list(text) is None


@given(st.text())
def test_parsers_never_raise(text: str) -> None:
    cpu_list(text), integer(text), size(text)


def test_sizes_carry_their_unit() -> None:
    assert [size(text) for text in ("32K", "2M", "48", "x", None)] == [32768, 2 << 20, 48, None, None]


def test_a_real_folder_is_read_below_its_root(tmp_path: Path) -> None:
    (tmp_path / "sys").mkdir()
    (tmp_path / "sys/a").write_text("7\n")
    (tmp_path / "sys/b").write_bytes(b"\xff\xfe")
    tree = Tree(tmp_path)
    assert tree.integer("sys/a") == 7
    assert tree.integer("/sys/a") == 7
    assert tree.text("sys/b") is None
    assert tree.why("sys/b") == "/sys/b is not text"
    assert tree.text("sys/c") is None
    assert "no such file" in tree.why("sys/c")
    assert tree.text("sys/\0") is None
    assert tree.names("sys") == ["a", "b"]
    assert tree.names("proc") == []
