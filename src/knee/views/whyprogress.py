"""Progress of a search for causes on standard error; nothing where that is no terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn


@contextmanager
def bar(console: Console | None = None) -> Iterator[Callable[[str, float], None]]:
    """A bar of the budget while the block runs, gone afterwards."""
    console = console or Console(stderr=True)
    if not console.is_terminal:
        yield lambda *_: None
        return
    display = Progress(
        BarColumn(),
        TextColumn("{task.description}"),
        console=console,
        transient=True,
        auto_refresh=False,  # drawn when something is told, never while a rep is timed
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with display:
        task = display.add_task("starting", total=1.0)
        yield lambda doing, share: display.update(
            task, completed=min(1.0, share), description=doing, refresh=True
        )
