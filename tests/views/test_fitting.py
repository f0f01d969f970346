"""A table shows every cell whole, however narrow the console is."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from knee.views.fitting import Column, Fitting

WORDS = st.text(st.characters(categories=["Ll", "Lu", "Nd"]), min_size=1, max_size=18)


def shown(table: Fitting, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@given(
    rows=st.lists(st.lists(WORDS, min_size=5, max_size=5), min_size=1, max_size=4), width=st.integers(80, 200)
)
def test_no_cell_is_cut_and_no_line_is_too_long(rows: list[list[str]], width: int) -> None:
    table = Fitting([Column(name) for name in ("key", "one", "two", "three", "four")])
    for row in rows:
        table.add(row)
    lines = shown(table, width)
    assert all(len(line) <= width for line in lines)
    found = " ".join(lines).split()
    for row in rows:
        assert all(word in found for cell in row for word in cell.split())


@pytest.mark.parametrize(("width", "parts"), [(40, 1), (39, 2), (18, 4)])
def test_columns_that_do_not_fit_go_below_with_their_key(width: int, parts: int) -> None:
    table = Fitting([Column(name) for name in ("key", "one", "two", "three", "four")])
    table.add(["k", "1" * 5, "2" * 6, "3" * 7, "4" * 7])
    lines = shown(table, width)
    assert sum(line.split()[:1] == ["key"] for line in lines) == parts
    assert sum(line.split()[:1] == ["k"] for line in lines) == parts


def test_markup_in_a_cell_is_text() -> None:
    table = Fitting([Column("key"), Column("name", "left", wraps=True)])
    table.add(["1", "[bold]x[/red]"])
    assert shown(table, 60)[-1].split() == ["1", "[bold]x[/red]"]


def test_a_cell_that_may_wrap_does_rather_than_move_below() -> None:
    table = Fitting([Column("key"), Column("text", "left", wraps=True)])
    table.add(["1", "many words " * 10])
    lines = shown(table, 50)
    assert sum(line.split()[:1] == ["key"] for line in lines) == 1
    assert " ".join(lines).count("many") == 10
