"""Progress of the probes on standard error: a bar each; nothing where that is no terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

DOING = {
    "speed": "speed of each core",
    "line": "distances that keep writers apart",
    "latency": "hand-over between cores",
    "ceiling": "cores together",
    "bandwidth": "memory bandwidth",
}


@contextmanager
def bars(console: Console | None = None) -> Iterator[Callable[[str, float], None]]:
    """Bars while the block runs, gone afterwards."""
    console = console or Console(stderr=True)
    if not console.is_terminal:
        yield lambda _name, _share: None
        return
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,
        auto_refresh=False,  # drawn when a probe tells, never while one measures
    ) as display:
        tasks = {name: display.add_task(words, total=1.0) for name, words in DOING.items()}
        yield lambda name, share: display.update(tasks[name], completed=share, refresh=True)
