"""``knee check``: an exit code for CI, one line a reason."""

from __future__ import annotations

import json as jsonlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from knee.cli import compare, options, output, parameter
from knee.cli.run import plan as run_plan
from knee.cli.treatments import treatments
from knee.errors import KneeError
from knee.plan.workload import Workload

if TYPE_CHECKING:
    from knee.analysis.check import Check

_EFFICIENCY = re.compile(r"(?P<least>[0-9.]+%?)@(?P<workers>[0-9]+)")


@click.command(
    cls=options.Measuring,
    epilog="""\b
Examples:
  knee check bench.py:operation --against main --max-slowdown 5%
  knee check bench.py:operation --against 12 --min-efficiency 0.7@4
  knee check --min-efficiency 0.7@4 -- ./prog --threads {workers}
Exit code: 0 nothing proven against it, 1 a condition is proven broken or nothing could be measured, 2 bad input.""",
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
    "--against", metavar="RUN|COMMIT", help="A stored run, or a commit of the package in this folder."
)
@click.option(
    "--max-slowdown",
    type=parameter.SHARE,
    default="5%",
    show_default=True,
    metavar="SHARE",
    help="More than this proven slower fails.",
)
@click.option(
    "--min-efficiency",
    "efficiencies",
    multiple=True,
    metavar="SHARE@WORKERS",
    help="Proven below this fails: 0.7@4; repeatable.",
)
@options.outputs_differ
@output.json
def command(
    target: str | None,
    against: str | None,
    efficiencies: tuple[str, ...],
    store: str | None,
    json: str | None,
    **given: Any,
) -> int:
    """Check that a workload got no slower than a stored run or a commit, and that it scales as it must.

    TARGET is a file and a callable in it (bench.py:operation), or a STATEMENT; a command line stands after --, with
    {workers} in it."""
    output.check(None, json)
    wanted = [efficiency(text) for text in efficiencies]
    if against is None and not wanted:
        raise KneeError("nothing to check", "name --against RUN or COMMIT, or --min-efficiency 0.7@4")
    workload = options.named(target, given["setup"], "check")
    given["workers"] = given["workers"] or _counts(wanted)
    left_out = sorted(
        {count for _, workers in wanted for count in (1, workers)} - {*(given["workers"] or ())}
    )
    if wanted and left_out:
        raise KneeError(
            f"--workers leaves out {left_out[0]}, and --min-efficiency compares one worker with those that it names",
            "add it, or leave --workers out",
        )
    earlier = _stored(against, store)
    if against is None or earlier is not None:
        checks, status = _unblocked(workload, earlier, wanted, store, given)
    else:
        checks, status = _blocked(workload, against, wanted, store, given)
    return _tell(checks, json) or output.exit_code(status)


def efficiency(text: str) -> tuple[float, int]:
    """The least efficiency and its worker count from ``0.7@4`` or ``70%@4``.

    Raises:
        KneeError: no such thing.
    """
    match = _EFFICIENCY.fullmatch(text.strip())
    try:
        if match is None:
            raise ValueError(f"'{text}' is not an efficiency")
        return parameter.share(match["least"]), parameter.workers(match["workers"])[0]
    except ValueError as error:
        raise KneeError(str(error), "write it like 0.7@4: a share, then the worker count") from error


def _counts(wanted: Sequence[tuple[float, int]]) -> tuple[int, ...] | None:
    counts = {workers for _, workers in wanted}
    return tuple(sorted({1, *counts})) if counts else None


def _blocked(
    workload: Workload,
    commit: str,
    wanted: Sequence[tuple[float, int]],
    store: str | None,
    given: Mapping[str, Any],
) -> tuple[list[Check], str]:
    """Compare with a commit, in adjacent processes; the checks, and how the run ended."""
    from knee.analysis import check
    from knee.analysis.compare import analyse
    from knee.analysis.run import kind_report
    from knee.cli.measured import measured
    from knee.launch.commit import resolve

    if workload.form == "command":
        raise KneeError(f"{commit} is a commit, and those are compared for Python workloads", "name a run")
    resolve(commit)
    pythons = () if given["python"] is None else (given["python"],)
    given = {**given, "python": pythons, "margin": given["max_slowdown"]}
    before = treatments([workload], {**given, "commits": (commit,)}).found
    now = treatments([workload], {**given, "commits": (), "packages": (*given["packages"], ".")}).found
    named = (
        replace(before[0], label=f"{workload.label} {commit}"),
        replace(now[0], label=f"{workload.label} now"),
    )
    with measured(compare.plan(named, given, varies="--git"), store) as (opened, run):
        report = analyse(opened, run)
        reps = opened.reps(run)
        losses = opened.losses(run)
    if report.status == "failed":
        return [check.unmeasured(workload.label, run, losses)], report.status
    checks = check.blocked_slowdown(report, given["max_slowdown"])
    kinds = [kind_report(reps, kind, losses, treatment=1) for kind in reps.kinds]
    for least, workers in wanted:
        checks += check.efficiency(kinds, least, workers)
    return checks, report.status


def _unblocked(
    workload: Workload,
    earlier: int | None,
    wanted: Sequence[tuple[float, int]],
    store: str | None,
    given: Mapping[str, Any],
) -> tuple[list[Check], str]:
    """Measure now, and judge alone or against a run that was made at another time; and how the run ended."""
    from knee.analysis import check, fingerprint
    from knee.analysis.run import analyse
    from knee.cli.measured import measured
    from knee.store.database import Store
    from knee.store.location import locate

    experiment = run_plan(workload, given)
    if earlier is not None:
        with Store.open(locate(store), readonly=True) as opened:
            objection = check.objection(opened.run(earlier).record, experiment)
        if objection:
            raise KneeError(
                f"run {earlier} cannot be compared: {objection}",
                "knee list shows the runs; knee run makes one to compare with",
            )
    with measured(experiment, store) as (opened, run):
        report = analyse(opened, run)
        if report.status == "failed":
            return [check.unmeasured(workload.label, run, report.losses)], report.status
        checks: list[Check] = []
        if earlier is not None:
            kinds = [kind.kind for kind in report.kinds]
            checks = check.unblocked_slowdown(
                opened.reps(run), opened.reps(earlier), kinds, given["max_slowdown"]
            )
            for found in fingerprint.differences(analyse(opened, earlier).fingerprint, report.fingerprint):
                click.echo(f"note: run {earlier} and this one differ: {found.text}", err=True)
    for least, workers in wanted:
        checks += check.efficiency(report.kinds, least, workers)
    return checks, report.status


def _stored(against: str | None, store: str | None) -> int | None:
    """The stored run that ``against`` names, as it is before anything is measured; None for a commit's name."""
    from knee.store.database import Store
    from knee.store.location import locate

    if against is None or not (against.isdecimal() or against == "last"):
        return None
    with Store.open(locate(store), readonly=True) as opened:
        return opened.resolve(against)


def _tell(checks: Sequence[Check], json: str | None) -> int:
    if json is not None:
        output.write(
            json, jsonlib.dumps({"schema": 1, "checks": [c.to_json() for c in checks]}, indent=2) + "\n"
        )
    if json != "-":
        for found in checks:
            word = {True: "ok", False: "FAIL", None: "cannot tell"}[found.holds]
            click.echo(f"{word}: {found.reason}")
    return 1 if any(found.holds is False for found in checks) else 0
