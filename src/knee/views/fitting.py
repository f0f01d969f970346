"""Tables that lose no figure on a narrow terminal: columns that do not fit go into a table below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import StyleType
from rich.table import Table
from rich.text import Text

_BETWEEN = 3
"""Blanks between columns, as the box below draws them."""
_WRAPPED = 30
"""Columns that a cell which may be wrapped still has."""


@dataclass(frozen=True)
class Column:
    """A column: its head, and what may be done to it where room is short.

    Attributes:
        name: its head.
        justify: where its cells stand.
        wraps: its cells may be wrapped; cells of the others are kept whole.
    """

    name: str
    justify: Literal["left", "right"] = "right"
    wraps: bool = False


class Fitting:
    """A table of whole cells, in as many parts as the width of the console asks for.

    Each part begins with the key columns, so that a row can be followed from one to the next.

    Args:
        columns: from left to right.
        keys: how many of them, from the first on, each part repeats.
    """

    def __init__(self, columns: Sequence[Column], keys: int = 1) -> None:
        self._columns = list(columns)
        self._keys = keys
        self._rows: list[tuple[list[Text], StyleType]] = []

    def add(self, cells: Sequence[str | Text], style: StyleType = "") -> None:
        """Add a row."""
        self._rows.append(([Text(cell) if isinstance(cell, str) else cell for cell in cells], style))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for number, chosen in enumerate(self._parts(options.max_width)):
            if number:
                yield Text()
            yield self._table(chosen)

    def _parts(self, room: int) -> list[list[int]]:
        """The columns of each part: as many as fit, one beside the keys at least."""
        keys, parts = list(range(self._keys)), []
        part: list[int] = []
        for column in range(self._keys, len(self._columns)):
            wide = sum(self._width(index) + _BETWEEN for index in (*keys, *part, column)) - _BETWEEN
            if part and wide > room:
                parts.append([*keys, *part])
                part = []
            part.append(column)
        return [*parts, [*keys, *part]]

    def _width(self, index: int) -> int:
        column = self._columns[index]
        lines = [line for cells, _ in self._rows for line in cells[index].split("\n", allow_blank=True)]
        whole = max(cell_len(column.name), *(line.cell_len for line in lines), 1)
        return min(whole, _WRAPPED) if column.wraps else whole

    def _table(self, chosen: Sequence[int]) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
        for index in chosen:
            column = self._columns[index]
            table.add_column(
                column.name, justify=column.justify, no_wrap=not column.wraps, min_width=self._width(index)
            )
        for cells, style in self._rows:
            table.add_row(*(cells[index] for index in chosen), style=style)
        return table
