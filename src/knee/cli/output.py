"""Where a report goes: the terminal, ``--json``, ``--plot``."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from knee.errors import KneeError

if TYPE_CHECKING:
    from rich.console import Console

_F = TypeVar("_F", bound=Callable[..., Any])

ANALYSES = {"run": "knee.analysis.run", "compare": "knee.analysis.compare", "why": "knee.analysis.why"}
"""For each verb the module with ``analyse(store, run)``."""

VIEWS = {
    "run": ("knee.views.terminal", "knee.views.plot"),
    "compare": ("knee.views.comparison", "knee.views.forest"),
    "why": ("knee.views.why", "knee.views.waterfall"),
}
"""For each verb the view with ``render(report, console)`` and the one with ``save(report, path)``."""

MARKDOWN = {
    "run": "knee.views.markdown",
    "compare": "knee.views.comparison_markdown",
    "why": "knee.views.why_markdown",
}
"""For each verb the module with ``render(report)``."""

PLOTS = (".png", ".svg", ".pdf")
PLAIN_WIDTH = 140
"""Columns of text that is not for a terminal."""


def plot(function: _F) -> _F:
    """Add ``--plot FILE``."""
    return click.option(
        "--plot",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Draw the result too (.png, .svg or .pdf).",
    )(function)


def json(function: _F) -> _F:
    """Add ``--json FILE``."""
    return click.option(
        "--json",
        metavar="FILE",
        help="Write the report as JSON; - is standard output, and nothing else goes there.",
    )(function)


def check(plot: Path | None, json: str | None) -> None:
    """Refuse, before anything is measured, files that could not be written after it.

    Raises:
        KneeError: no such folder, or a kind of picture that Knee does not draw.
    """
    if plot is not None and plot.suffix.lower() not in PLOTS:
        raise KneeError(f"{plot} is no picture that Knee draws", f"let its name end in {', '.join(PLOTS)}")
    for path in (plot, None if json in (None, "-") else Path(str(json))):
        if path is not None:
            if not path.absolute().parent.is_dir():
                raise KneeError(f"there is no folder {path.parent}", "make it first, or name another")
            if path.is_dir() or not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
                raise KneeError(f"{path} cannot be written", "name another file")


def exit_code(status: str) -> int:
    """0 for a run that finished, 1 for one that its workload ended, 130 for one that the user ended."""
    return {"failed": 1, "interrupted": 130}.get(status, 0)


def write(path: str, text: str) -> None:
    """Write a text to a file, or to standard output for ``-``.

    Raises:
        KneeError: the system refuses.
    """
    if path == "-":
        sys.stdout.write(text)
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise KneeError(f"{path} cannot be written: {error.strerror}", "name another file") from error


def console() -> Console:
    """The terminal; or plain text, wide enough for every table, where the output goes elsewhere."""
    from rich.console import Console

    wide = None if sys.stdout.isatty() or "COLUMNS" in os.environ else PLAIN_WIDTH
    return Console(highlight=False, width=wide)


def show(report: Any, plot: Path | None, json: str | None, verb: str = "run") -> None:
    """Show a verb's report where the options say: tables, unless JSON takes standard output."""
    if json is not None:
        from knee.views import jsonview

        write(json, jsonview.render(report))
    if json != "-":
        importlib.import_module(VIEWS[verb][0]).render(report, console())
    draw(report, plot, verb, quiet=json == "-")


def draw(report: Any, plot: Path | None, verb: str = "run", *, quiet: bool = False) -> None:
    """Draw a verb's report, if asked to; say where, unless standard output is taken.

    Raises:
        KneeError: the system refuses.
    """
    if plot is None:
        return
    try:
        importlib.import_module(VIEWS[verb][1]).save(report, plot)
    except OSError as error:
        raise KneeError(f"{plot} cannot be written: {error.strerror}", "name another file") from error
    if not quiet:
        click.echo(f"Plot in {plot}.")
