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
Exit code: 0 nothing proven against it, 1 a condition is proven broken, 2 bad input.""",
)
@click.argument("target")
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
    help="Proven below this fails: 0.7@4.",
)
@output.json
def command(
    target: str,
    against: str | None,
    efficiencies: tuple[str, ...],
    store: str | None,
    json: str | None,
    **given: Any,
) -> int:
    """Check that TARGET got no slower than a stored run or a commit, and that it scales as it must."""
    output.check(None, json)
    wanted = [efficiency(text) for text in efficiencies]
    if against is None and not wanted:
        raise KneeError("nothing to check", "name --against RUN or COMMIT, or --min-efficiency 0.7@4")
    workload = options.workload(target, given["setup"])
    given["workers"] = given["workers"] or _counts(wanted)
    checks = _blocked(workload, against, wanted, store, given)
    if checks is None:
        checks = _unblocked(workload, against, wanted, store, given)
    return _tell(checks, json)


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
    against: str | None,
    wanted: Sequence[tuple[float, int]],
    store: str | None,
    given: Mapping[str, Any],
) -> list[Check] | None:
    """Compare with a commit, in adjacent processes; None where ``against`` is a stored run or nothing."""
    from knee.analysis import check
    from knee.analysis.compare import analyse
    from knee.analysis.run import kind_report
    from knee.cli.measured import measured
    from knee.launch.commit import resolve

    if against is None or _stored(against, store):
        return None
    resolve(against)
    pythons = () if given["python"] is None else (given["python"],)
    given = {**given, "python": pythons, "margin": given["max_slowdown"], "outputs_differ": False}
    before = treatments([workload], {**given, "commits": (against,)}).found
    now = treatments([workload], {**given, "commits": (), "packages": (*given["packages"], ".")}).found
    named = (
        replace(before[0], label=f"{workload.label} {against}"),
        replace(now[0], label=f"{workload.label} now"),
    )
    with measured(compare.plan(named, given, varies="--git"), store) as (opened, run):
        report = analyse(opened, run)
        reps = opened.reps(run)
        losses = opened.losses(run)
    checks = check.blocked_slowdown(report, given["max_slowdown"])
    kinds = [kind_report(reps, kind, losses, treatment=1) for kind in reps.kinds]
    for least, workers in wanted:
        checks += check.efficiency(kinds, least, workers)
    return checks


def _unblocked(
    workload: Workload,
    against: str | None,
    wanted: Sequence[tuple[float, int]],
    store: str | None,
    given: Mapping[str, Any],
) -> list[Check]:
    """Measure now, and judge alone or against a run that was made at another time."""
    from knee.analysis import check, fingerprint
    from knee.analysis.run import analyse
    from knee.cli.measured import measured

    with measured(run_plan(workload, given), store) as (opened, run):
        report = analyse(opened, run)
        checks: list[Check] = []
        if against is not None:
            old = opened.resolve(against)
            kinds = [kind.kind for kind in report.kinds]
            checks = check.unblocked_slowdown(
                opened.reps(run), opened.reps(old), kinds, given["max_slowdown"]
            )
            for found in fingerprint.differences(analyse(opened, old).fingerprint, report.fingerprint):
                click.echo(f"note: run {old} and this one differ: {found.text}", err=True)
    for least, workers in wanted:
        checks += check.efficiency(report.kinds, least, workers)
    return checks


def _stored(against: str, store: str | None) -> bool:
    """Whether ``against`` names a stored run; anything else is a commit's name."""
    from knee.store.database import Store
    from knee.store.location import locate

    if not (against.isdecimal() or against == "last"):
        return False
    with Store.open(locate(store)) as opened:
        opened.resolve(against)
    return True


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
