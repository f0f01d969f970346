"""``knee why``: find what stops a workload from scaling, by removing it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from knee.cli import options, output, parameter
from knee.cli.treatments import treatments
from knee.errors import KneeError
from knee.plan.workload import Workload


@click.command(
    cls=options.Measuring,
    epilog="""\b
Examples:
  knee why bench.py:operation --python 3.13t
  knee why bench.py:operation --workers 4 --budget 3m --json why.json
  knee why examples/tallies.py:operation --python 3.13t --plot why.png
  knee why -- ./prog --threads {workers}""",
)
@click.argument("target", metavar="TARGET|STATEMENT", required=False)
@options.measuring
@click.option(
    "--python", metavar="PYTHON", help="A version (3.13t), a path or a command (default: Knee's own)."
)
@click.option(
    "--with", "packages", multiple=True, metavar="PACKAGE", help="Install this beside it; repeatable."
)
@click.option(
    "--env",
    "variables",
    type=parameter.VARIABLE,
    multiple=True,
    metavar="NAME=VALUE",
    help="Set this; repeatable.",
)
@output.plot
@output.json
def command(target: str | None, store: str | None, plot: Path | None, json: str | None, **given: Any) -> int:
    """Find what stops a workload from scaling.

    Removes one kind of sharing at a time, in scratch processes, and measures what comes back. TARGET is a file and a
    callable in it (bench.py:operation), or a STATEMENT; a command line stands after --, with {workers} in it.
    """
    from knee.causes.inquiry import inquire
    from knee.store.database import Store
    from knee.store.location import locate
    from knee.views import whyprogress

    output.check(plot, json)
    workload = options.named(target, given["setup"], "look into")
    question = ask(workload, given)
    with Store.open(locate(store)) as opened:
        with whyprogress.bar() as tell:
            report = inquire(question, opened, tell)
        output.show(report, plot, json, "why")
    return output.exit_code(report.status)


def ask(workload: Workload, given: Mapping[str, Any]) -> Any:
    """The question that the command line asks.

    Raises:
        KneeError: options that do not fit, no such interpreter, or packages that cannot be installed.
    """
    from knee.causes.course import Question

    if given["kinds"]:
        raise KneeError("--kind does not apply", "knee why compares kinds of worker itself")
    if given["launches"]:
        raise KneeError(
            "--launches does not apply", "knee why makes as many as its answer needs, within --budget"
        )
    pythons = () if given["python"] is None else (given["python"],)
    found = treatments([workload], {**given, "python": pythons, "commits": ()}).found
    if len(found) > 1:
        raise KneeError(
            "knee why looks into one treatment, and this repeats a package or variable", "name one"
        )
    counts = [count for count in given["workers"] or () if count > 1]
    if given["workers"] and not counts:
        raise KneeError("one worker loses nothing to others", "name a greater count: --workers 2")
    source = click.get_current_context().get_parameter_source("min_time")
    chosen = source is not None and source.name == "COMMANDLINE"
    return Question(
        base=found[0],
        workers=max(counts) if counts else default_workers(),
        law=options.law(workload, given),
        seed=secrets.randbits(32) if given["seed"] is None else given["seed"],
        budget=given["budget"],
        min_time=given["min_time"] if chosen else 0.02,
        timeout=given["timeout"],
        native=not given["no_native"],
    )


def default_workers() -> int:
    """As many as are useful on this machine, and at least 2; 8 show any cause that there is."""
    from knee.machine import useful_workers

    return min(8, max(2, useful_workers()))
