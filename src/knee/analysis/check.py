"""Conditions that a change must meet, judged by a comparison or by two runs: one reason each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from knee.analysis.compare import CompareReport
from knee.analysis.fingerprint import workload
from knee.analysis.report import KindReport
from knee.launch.sample import Loss
from knee.plan.cell import counted
from knee.plan.experiment import Experiment, treatment_from_json
from knee.stats.interval import Interval
from knee.stats.reps import Reps
from knee.stats.unpaired import ratio
from knee.store.record import RunRecord

_DID = {"scaled": "gave every worker the same work", "fixed": "divided a fixed amount of work"}


@dataclass(frozen=True)
class Check:
    """One condition.

    Attributes:
        name: which, as the option that asked for it.
        holds: False only where launches prove that it does not; None where they cannot tell.
        reason: one line.
    """

    name: str
    holds: bool | None
    reason: str

    def to_json(self) -> dict[str, Any]:
        """The entry of ``checks``."""
        return {"name": self.name, "holds": self.holds, "reason": self.reason}


def objection(old: RunRecord, experiment: Experiment) -> str:
    """Why an experiment cannot be judged by an earlier run; empty where it can."""
    if old.verb != "run":
        return f"it was made by knee {old.verb}"
    before, now = treatment_from_json(old.treatments[0]), experiment.treatments[0]
    if _identity(workload(before)) != _identity(workload(now)):
        named = f"{before.label}, not {now.label}" if before.label != now.label else "it with another setup"
        return f"it measured {named}"
    if old.law != experiment.law:
        return f"it {_DID[old.law]}, and this does not"
    planned = Experiment.from_json(old.plan, (before,))
    for what, was, wanted in (
        ("kinds of worker", planned.kinds, experiment.kinds),
        ("worker counts", planned.workers, experiment.workers),
    ):
        if not set(was) & set(wanted):
            return f"its {what} are {', '.join(map(str, was))}, not {', '.join(map(str, wanted))}"
    return ""


def unmeasured(label: str, run: int, losses: Sequence[Loss]) -> Check:
    """A workload that could not be measured meets no condition."""
    why = f": {losses[-1].text}" if losses else ""
    return Check("measured", False, f"{label} could not be measured{why} (knee show {run} tells more)")


def blocked_slowdown(report: CompareReport, most: float) -> list[Check]:
    """Judge a comparison whose margin is the allowed slowdown: one check per row."""
    checks = []
    for kind in report.kinds:
        for row in kind.comparison.rows:
            if row.workers is None:
                continue
            where = counted(row.workers, kind.comparison.kind)
            told = f"{where}: {row.ratio.estimate:.3f} of the time before ({_range(row.ratio)})"
            if row.verdict == "suspect":
                checks.append(
                    Check("max-slowdown", None, f"{told}; the A/A control failed, so this proves nothing")
                )
            elif row.verdict == "slower":
                checks.append(Check("max-slowdown", False, f"{told}: more than {most:.0%} slower"))
            else:
                holds = True if row.ratio.high <= 1 + most else None
                ending = "" if holds else f", which leaves more than {most:.0%} slower possible"
                checks.append(Check("max-slowdown", holds, told + ending))
    return checks or [Check("max-slowdown", None, "nothing was measured")]


def unblocked_slowdown(new: Reps, old: Reps, kinds: Sequence[str], most: float) -> list[Check]:
    """Judge a run against an earlier one, at every worker count that both have."""
    checks = []
    for kind in kinds:
        mine, theirs = new.select(kind=kind, treatment=0), old.select(kind=kind, treatment=0)
        for workers in sorted(set(mine.counts) & set(theirs.counts)):
            found = ratio(mine, theirs, workers)
            if found is None:
                checks.append(Check("max-slowdown", None, f"{counted(workers, kind)}: too few launches"))
                continue
            where = counted(workers, kind)
            told = f"{where}: {found.estimate:.3f} of the time of the earlier run ({_range(found)})"
            if found.low > 1 + most:
                checks.append(Check("max-slowdown", False, f"{told}: more than {most:.0%} slower"))
            else:
                holds = True if found.high <= 1 + most else None
                ending = "" if holds else f", which leaves more than {most:.0%} slower possible"
                checks.append(Check("max-slowdown", holds, told + ending))
    return checks or [Check("max-slowdown", None, "the two runs have no cell in common")]


def efficiency(kinds: Sequence[KindReport], least: float, workers: int) -> list[Check]:
    """Judge the efficiency at a worker count: speedup over the ideal one."""
    checks = []
    for kind in kinds:
        where = counted(workers, kind.kind)
        row = None if kind.ladder is None else kind.ladder.row(workers)
        if row is None or row.efficiency is None:
            checks.append(Check("min-efficiency", None, f"{where}: not measured"))
            continue
        told = f"{where}: efficiency {row.efficiency.estimate:.2f} ({_range(row.efficiency)})"
        if row.efficiency.high < least:
            checks.append(Check("min-efficiency", False, f"{told}, below {least:g}"))
        else:
            holds = True if row.efficiency.low >= least else None
            checks.append(
                Check(
                    "min-efficiency",
                    holds,
                    told + ("" if holds else f", which leaves less than {least:g} possible"),
                )
            )
    return checks


def _range(interval: Interval) -> str:
    return f"{interval.low:.3f} to {interval.high:.3f}" if interval.bounded else "unknown"


def _identity(found: Mapping[str, Any]) -> dict[str, Any]:
    """What makes a workload this one and no other: all but its source, whose changes are what a check is for."""
    return {name: value for name, value in found.items() if name != "source"}
