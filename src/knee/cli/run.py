"""``knee run``: measure how a workload scales, and show it."""

from __future__ import annotations

import importlib
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from knee.cli import options, output, parameter
from knee.cli.treatments import treatments
from knee.errors import KneeError
from knee.plan.experiment import Experiment
from knee.plan.workload import Workload

_BESIDE_RESUME = ("target", "resume", "store", "plot", "json")


@click.command(
    cls=options.Measuring,
    epilog="""\b
Examples:
  knee run bench.py:operation
  knee run bench.py:operation --python 3.13t --with pillow==12.2.0
  knee run bench.py:operation --workers 1,2,4,8 --kind threads,processes
  knee run -s "d = dict.fromkeys(range(100))" "sum(d)"
  knee run -- ./prog --threads {workers}""",
)
@click.argument("target", metavar="TARGET|STATEMENT", required=False)
@options.measuring
@options.precision
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
@click.option(
    "--resume",
    is_flag=False,
    flag_value="last",
    metavar="[RUN]",
    help="Go on with a run that did not finish (default: the last such).",
)
@output.plot
@output.json
def command(
    target: str | None,
    resume: str | None,
    store: str | None,
    plot: Path | None,
    json: str | None,
    **given: Any,
) -> int:
    """Measure how a workload scales with workers.

    TARGET is a file and a callable in it (bench.py:operation), or a STATEMENT as timeit takes it; a command line stands
    after --, with {workers} where the worker count goes.
    """
    output.check(plot, json)
    if resume is not None:
        _refuse_beside_resume(target, options.words_after_dashes())
        return _measured(None, resume, store, plot, json)
    workload = options.named(target, given["setup"], "measure")
    return _measured(plan(workload, given), None, store, plot, json)


def _refuse_beside_resume(target: str | None, words: tuple[str, ...] | None) -> None:
    """A run that is resumed keeps its plan, so that its launches stay alike."""
    context = click.get_current_context()
    given = [
        parameter.opts[-1]
        for parameter in context.command.params
        if parameter.name not in _BESIDE_RESUME
        and context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
    ]
    if target is not None or words is not None:
        raise KneeError(
            "a run that is resumed has its workload already", "leave it out, or leave --resume out"
        )
    if given:
        raise KneeError(
            f"a run that is resumed keeps its plan, and {given[0]} would change it",
            f"leave {given[0]} out, or start another run",
        )


def plan(workload: Workload, given: Mapping[str, Any]) -> Experiment:
    """The experiment that the command line asks for.

    Raises:
        KneeError: options that do not go together, no such interpreter, or packages that cannot be installed.
    """
    kinds = given["kinds"]
    if workload.form == "command":
        if kinds:
            raise KneeError(
                "--kind is for Python workloads", "a command starts its own workers and interpreter"
            )
        kinds = ("command",)
    pythons = () if given["python"] is None else (given["python"],)
    found = treatments([workload], {**given, "python": pythons, "commits": ()}).found
    if len(found) > 1:
        raise KneeError(
            "a run has one treatment, and this repeats a package or variable", "see knee compare --help"
        )
    return Experiment(
        verb="run",
        treatments=found,
        kinds=kinds or ("threads",),
        workers=given["workers"] or default_workers(),
        law=options.law(workload, given),
        seed=secrets.randbits(32) if given["seed"] is None else given["seed"],
        precision=given["precision"],
        budget=given["budget"],
        launches=given["launches"],
        min_time=given["min_time"],
        timeout=given["timeout"],
        native=not given["no_native"],
    )


def default_workers() -> tuple[int, ...]:
    """1, 2, 4 and so on up to the workers that are useful on this machine, and these; at least 1 and 2."""
    from knee.machine import useful_workers

    return ladder_to(useful_workers())


def ladder_to(useful: int) -> tuple[int, ...]:
    """Powers of two below ``useful``, then ``useful``; at least 1 and 2."""
    powers = [1 << bit for bit in range(max(useful, 1).bit_length()) if 1 << bit < useful]
    return tuple(sorted({1, 2, *powers, max(useful, 1)}))


def _measured(
    experiment: Experiment | None, resume: str | None, path: str | None, plot: Path | None, json: str | None
) -> int:
    from knee.cli.measured import measured

    with measured(experiment, path, resume) as (store, run):
        verb = store.run(run).record.verb  # what is resumed may be a comparison
        report = importlib.import_module(output.ANALYSES[verb]).analyse(store, run)
    output.show(report, plot, json, verb)
    return output.exit_code(report.status)
