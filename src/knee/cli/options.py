"""Options that several verbs share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from knee.cli import parameter
from knee.errors import KneeError
from knee.plan.cell import Law
from knee.plan.workload import Workload, from_command, from_statement, from_target

_F = TypeVar("_F", bound=Callable[..., Any])

_WORDS_AFTER = "knee.words-after-dashes"
_LIKE_TARGET = re.compile(r"(?P<file>[\w./\\~-]+)(?P<name>:[^\W\d][\w.]*)?")


class Measuring(click.Command):
    """A command whose words after ``--`` are a command line to measure, told apart from its own arguments."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Set the words after the first ``--`` aside."""
        if "--" in args:
            place = args.index("--")
            ctx.meta[_WORDS_AFTER] = tuple(args[place + 1 :])
            args = args[:place]
        return super().parse_args(ctx, args)


def words_after_dashes() -> tuple[str, ...] | None:
    """The words after ``--`` of the command that runs now; None where there was no ``--``."""
    found: tuple[str, ...] | None = click.get_current_context().meta.get(_WORDS_AFTER)
    return found


def workload(text: str, setup: str | None) -> Workload:
    """A target or a statement, whichever ``text`` is.

    Raises:
        KneeError: it is neither, or its file is missing.
    """
    match = _LIKE_TARGET.fullmatch(text)
    looks = match is not None and (
        match["file"].endswith(".py")
        or Path(match["file"]).exists()
        or Path(f"{match['file']}.py").exists()
        or (match["name"] is not None and not match["file"].isidentifier())
    )
    if looks or ".py:" in text:
        if setup is not None:
            raise KneeError(
                f"-s is for statements, and '{text}' names a file",
                "write a setup function in the file instead",
            )
        return from_target(text)
    return from_statement(text, setup or "")


def named(target: str | None, setup: str | None, verb: str) -> Workload:
    """The one workload that the command line names: a target, a statement, or the command after ``--``.

    Raises:
        KneeError: none, or two of them.
    """
    words = words_after_dashes()
    if (target is None) == (words is None):
        raise KneeError(
            f"nothing to {verb}" if target is None else "a target and a command do not mix",
            "name one of: a target (bench.py:operation), a statement, a command after --",
        )
    if target is not None:
        return workload(target, setup)
    refuse_setup(setup)
    return command_line(words or ())


def refuse_setup(setup: str | None) -> None:
    """A command has no setup that Knee could run.

    Raises:
        KneeError: it was given one.
    """
    if setup is not None:
        raise KneeError(
            "-s is for statements, and this is a command", "prepare what it needs before calling Knee"
        )


def command_line(words: tuple[str, ...]) -> Workload:
    """The command after ``--``."""
    return from_command(words)


def measuring(function: _F) -> _F:
    """Add the options that every verb that measures has."""
    for option in reversed(_MEASURING):
        function = option(function)
    return function


def stored(function: _F) -> _F:
    """Add ``--store``."""
    return _STORE(function)


def law(workload: Workload, given: Mapping[str, Any]) -> Law:
    """The law that a workload is measured under.

    Raises:
        KneeError: ``--scaled`` and ``--fixed-total`` contradict each other.
    """
    if given["scaled"] and given["fixed_total"]:
        raise KneeError("--scaled and --fixed-total contradict each other", "leave one of them out")
    if workload.form == "command":
        return "scaled" if given["scaled"] else "fixed"
    return "fixed" if given["fixed_total"] else "scaled"


def precision(function: _F) -> _F:
    """Add ``--precision``, for verbs that stop when their intervals are narrow."""
    return _PRECISION(function)


def outputs_differ(function: _F) -> _F:
    """Add ``--outputs-differ``, for verbs that compare treatments."""
    return _OUTPUTS_DIFFER(function)


_OUTPUTS_DIFFER = click.option(
    "--outputs-differ", is_flag=True, help="The treatments may return different results."
)

_PRECISION = click.option(
    "--precision",
    type=parameter.SHARE,
    default="3%",
    show_default=True,
    metavar="SHARE",
    help="Add launches until every speedup's interval is narrower than this.",
)

_STORE = click.option(
    "--store",
    metavar="FILE",
    help="The file that keeps runs (default: knee.db in the project, or KNEE_STORE).",
)

_MEASURING = (
    click.option(
        "-s", "--setup", metavar="CODE", help="Run once per pool before a STATEMENT; its names are shared."
    ),
    click.option(
        "-w",
        "--workers",
        type=parameter.WORKERS,
        metavar="1,2,4",
        help="Worker counts (default: 1, 2, 4, … up to the workers that are useful on this machine).",
    ),
    click.option(
        "-k",
        "--kind",
        "kinds",
        type=parameter.KIND,
        metavar="KINDS",
        help="Of threads, processes, subinterpreters; several with commas (default: threads).",
    ),
    click.option(
        "--budget",
        type=parameter.DURATION,
        default="60s",
        show_default=True,
        metavar="TIME",
        help="Add no launch after this time.",
    ),
    click.option(
        "--launches",
        type=click.IntRange(1, 100_000),
        metavar="N",
        help="Make exactly this many, whatever they show.",
    ),
    click.option(
        "--min-time",
        type=parameter.DURATION,
        default="100ms",
        show_default=True,
        metavar="TIME",
        help="Let a rep of one worker last at least this long.",
    ),
    click.option(
        "--timeout",
        type=parameter.DURATION,
        default="60s",
        show_default=True,
        metavar="TIME",
        help="End a launch whose rep lasts longer.",
    ),
    click.option(
        "--fixed-total",
        is_flag=True,
        help="Divide a fixed amount of work among the workers: operation(state, share).",
    ),
    click.option(
        "--scaled",
        is_flag=True,
        help="For a command: it gives every worker the same work (default: it divides a fixed amount).",
    ),
    click.option(
        "--loader",
        type=click.Choice(["import", "script"]),
        default="import",
        show_default=True,
        help="Load the workload as programs import modules, or as a script runs.",
    ),
    click.option(
        "--seed", type=click.IntRange(0, 2**63 - 1), metavar="N", help="Draw every order from this number."
    ),
    click.option(
        "--no-native", is_flag=True, help="Do without the native barrier and probes (less precise)."
    ),
    _STORE,
)
