"""``knee compare``: a blocked A/B that where it ran cannot fool."""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from knee.cli import options, output, parameter
from knee.cli.run import default_workers
from knee.cli.treatments import treatments
from knee.errors import KneeError
from knee.plan import design
from knee.plan.experiment import Experiment
from knee.plan.treatment import Treatment
from knee.plan.workload import Workload

_REPS = 10
"""Many short reps rather than few long ones: a launch's midmean leaves out what disturbs some of them."""


@click.command(
    cls=options.Measuring,
    context_settings={"default_map": {"min_time": "20ms"}},
    epilog="""\b
Examples:
  knee compare bench.py:deferred bench.py:content --workers 1,2,4
  knee compare bench.py:operation --with pillow==11.0.0 --with pillow==12.2.0 --python 3.13t
  knee compare bench.py:operation --python 3.13 --python 3.13t
  knee compare bench.py:operation --env MALLOC_ARENA_MAX=1 --env MALLOC_ARENA_MAX=8
  knee compare bench.py:operation --git main --git HEAD
  knee compare -- './old --threads {workers}' './new --threads {workers}'""",
)
@click.argument("targets", metavar="TARGET...", nargs=-1)
@options.measuring
@click.option(
    "--python",
    multiple=True,
    metavar="PYTHON",
    help="A version (3.13t), a path or a command; repeat it to compare.",
)
@click.option(
    "--with", "packages", multiple=True, metavar="PACKAGE", help="Install this; repeat a name to compare."
)
@click.option(
    "--env",
    "variables",
    type=parameter.VARIABLE,
    multiple=True,
    metavar="NAME=VALUE",
    help="Set this; repeat a name to compare.",
)
@click.option(
    "--git",
    "commits",
    multiple=True,
    metavar="COMMIT",
    help="The package in this folder as of a commit; repeat it to compare.",
)
@click.option(
    "--margin",
    type=parameter.SHARE,
    default="2%",
    show_default=True,
    metavar="SHARE",
    help="Differences up to this are the same.",
)
@click.option(
    "--only", metavar="TREATMENT", help="Run one of the treatments alone, by its label or its number."
)
@options.outputs_differ
@output.plot
@output.json
def command(
    targets: tuple[str, ...],
    store: str | None,
    plot: Path | None,
    json: str | None,
    only: str | None,
    **given: Any,
) -> int:
    """Compare treatments of a workload with the first one named.

    TARGETs are files and callables in them, statements, or, after --, whole commands, each quoted as one word. What is
    repeated (targets, --python, a package, a variable, --git) is what is compared.
    """
    output.check(plot, json)
    words = options.words_after_dashes()
    if bool(targets) == bool(words):
        raise KneeError(
            "nothing to compare" if not targets else "targets and commands do not mix",
            "name targets (bench.py:old bench.py:new) or commands after --, each quoted as one word",
        )
    if words:
        options.refuse_setup(given["setup"])
    workloads = commands(words) if words else [options.workload(text, given["setup"]) for text in targets]
    made = treatments(workloads, given)
    found = made.found
    if only is not None:
        return alone(chosen(found, only), given, store, plot, json)
    if len(found) < 2:
        raise KneeError(
            "one treatment is no comparison",
            "repeat what differs: a target, --python, --with, --env or --git; --only runs one alone",
        )
    return compared(plan(found, given, made.varies), store, plot, json)


def commands(words: Sequence[str]) -> list[Workload]:
    """Each word after ``--`` is a command line of its own."""
    found = []
    for word in words:
        try:
            found.append(options.command_line(tuple(shlex.split(word))))
        except ValueError as error:
            raise KneeError(
                f"the command {word!r} cannot be split: {error}", "quote it for the shell"
            ) from error
    return found


def plan(found: tuple[Treatment, ...], given: Mapping[str, Any], varies: str = "") -> Experiment:
    """The experiment that the options ask for, with its A/A control."""
    workload = found[0].workload
    if workload.form == "command" and given["kinds"]:
        raise KneeError("--kind is for Python workloads", "a command starts its own workers and interpreter")
    experiment = Experiment(
        verb="compare",
        treatments=found,
        kinds=("command",) if workload.form == "command" else given["kinds"] or ("threads",),
        workers=given["workers"] or default_workers(),
        law=options.law(workload, given),
        seed=secrets.randbits(32) if given["seed"] is None else given["seed"],
        budget=given["budget"],
        launches=given["launches"],
        min_time=given["min_time"],
        reps=2 if workload.form == "command" else _REPS,
        timeout=given["timeout"],
        native=not given["no_native"],
        again=True,
        outputs=not given["outputs_differ"],
        margin=given["margin"],
        varies=varies,
    )
    if design.blocking(experiment) == "pool":
        return experiment
    return replace(experiment, pin=workload.form != "command" and hasattr(os, "sched_setaffinity"))


def chosen(found: Sequence[Treatment], only: str) -> Treatment:
    """The treatment that ``--only`` means.

    Raises:
        KneeError: none, or several.
    """
    number = int(only) if only.isdecimal() else None
    hits = [t for n, t in enumerate(found, 1) if n == number or only in (t.label, t.workload.name)]
    if len(hits) != 1:
        labels = ", ".join(f"{n} {t.label}" for n, t in enumerate(found, 1))
        raise KneeError(f"'{only}' names {len(hits) or 'none'} of the treatments", f"there are {labels}")
    return hits[0]


def alone(
    treatment: Treatment, given: Mapping[str, Any], store: str | None, plot: Path | None, json: str | None
) -> int:
    """Run one treatment in processes of its own, as ``knee run`` does."""
    from knee.analysis.run import analyse
    from knee.cli.measured import measured

    experiment = replace(plan((treatment,), given), verb="run", again=False, outputs=False, pin=False)
    with measured(experiment, store) as (opened, run):
        report = analyse(opened, run)
    output.show(report, plot, json)
    return output.exit_code(report.status)


def compared(experiment: Experiment, store: str | None, plot: Path | None, json: str | None) -> int:
    """Measure, analyse and show a comparison."""
    from knee.analysis.compare import analyse
    from knee.cli.measured import measured

    with measured(experiment, store) as (opened, run):
        report = analyse(opened, run)
    output.show(report, plot, json, "compare")
    return output.exit_code(report.status)
