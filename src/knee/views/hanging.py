"""Text with a hanging indent, wrapped to the terminal and without spaces at line ends."""

from __future__ import annotations

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text


class Hanging:
    """A text whose lines are all indented, those that continue a line a little more.

    Args:
        text: with its styles; its own line breaks are kept.
        indent: columns before each line.
        more: further columns before a line that continues one that was too long.
    """

    def __init__(self, text: Text | str, indent: int = 0, more: int = 2) -> None:
        self._text = Text(text) if isinstance(text, str) else text
        self._indent = indent
        self._more = more

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = max(20, options.max_width - self._indent - self._more)
        for line in self._text.split("\n", allow_blank=True):
            for number, part in enumerate(line.wrap(console, width)):
                part.rstrip()
                indent = self._indent + self._more * (number > 0)
                yield Text(" " * indent) + part if part else part
