"""Long lines are wrapped under themselves, and what the text breaks stays broken."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from knee.views.hanging import Hanging


def printed(text: Text | str, width: int, indent: int = 2) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    console.print(Hanging(text, indent))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_a_line_that_goes_on_is_indented_further() -> None:
    assert printed("one two three four five six seven", 24) == ["  one two three four", "    five six seven"]


def test_lines_and_blank_lines_of_the_text_are_kept() -> None:
    assert printed("Traceback\n  File\n\nError", 80) == ["  Traceback", "    File", "", "  Error"]


def test_marks_are_shown_as_they_are() -> None:
    assert printed("a [b]c[/b] [red]", 80) == ["  a [b]c[/b] [red]"]


@given(st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), min_size=1), st.integers(30, 100))
def test_nothing_is_lost_and_no_line_is_too_long(text: str, width: int) -> None:
    lines = printed(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(Text(line).cell_len <= width for line in lines)
    assert all(line == line.rstrip() for line in lines)
