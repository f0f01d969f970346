"""``knee show``: a stored run again, in any format."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import click

from knee.cli import options, output
from knee.errors import KneeError

FORMATS = ("table", "json", "csv", "markdown", "pyperf")


@click.command
@click.argument("run", default="last")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="table", show_default=True, help="How to show it."
)
@click.option(
    "-o", "--output", "file", metavar="FILE", default="-", help="Write it there instead of standard output."
)
@options.stored
@output.plot
@output.json
def command(run: str, form: str, file: str, store: str | None, plot: Path | None, json: str | None) -> None:
    """Show a stored run again: RUN is its number, or last.

    --json FILE writes JSON beside the table, as knee run does.
    """
    from knee.store.database import Store
    from knee.store.location import locate

    output.check(plot, json)
    if json is not None and (form != "table" or file != "-"):
        raise KneeError(
            "--json stands beside the table on standard output, not beside --format or --output",
            "call knee show once for each",
        )
    with Store.open(locate(store), readonly=True) as opened:
        number = opened.resolve(run)
        verb = opened.run(number).record.verb
        report = importlib.import_module(output.ANALYSES[verb]).analyse(opened, number)
        if verb != "run" and form in ("csv", "pyperf"):
            raise KneeError(
                f"run {number} was made by knee {verb}, and {form} is for ladders",
                "use table, json or markdown",
            )
        if form == "pyperf":
            from knee.views import pyperf

            output.write(file, pyperf.render(report, opened.reps(number)))
            output.draw(report, plot, verb, quiet=file == "-")
            return
    if form == "table" and file == "-":
        output.show(report, plot, json, verb)
        return
    output.write(file, _rendered(report, form, verb))
    output.draw(report, plot, verb, quiet=file == "-")


def _rendered(report: Any, form: str, verb: str) -> str:
    if form == "json":
        from knee.views import jsonview

        return jsonview.render(report)
    if form == "csv":
        from knee.views import csv

        return csv.render(report)
    if form == "markdown":
        return str(importlib.import_module(output.MARKDOWN[verb]).render(report))
    return str(importlib.import_module(output.VIEWS[verb][0]).text(report))
