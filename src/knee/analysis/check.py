"""Conditions that a change must meet, judged by a comparison or by two runs: one reason each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from knee.analysis.compare import CompareReport
from knee.analysis.report import KindReport
from knee.stats.interval import Interval
from knee.stats.reps import Reps
from knee.stats.unpaired import ratio


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


def blocked_slowdown(report: CompareReport, most: float) -> list[Check]:
    """Judge a comparison whose margin is the allowed slowdown: one check per row."""
    checks = []
    for kind in report.kinds:
        for row in kind.comparison.rows:
            if row.workers is None:
                continue
            where = f"{row.workers} {kind.comparison.kind}"
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
                checks.append(Check("max-slowdown", None, f"{workers} {kind}: too few launches"))
                continue
            told = f"{workers} {kind}: {found.estimate:.3f} of the time of the earlier run ({_range(found)})"
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
        row = None if kind.ladder is None else kind.ladder.row(workers)
        if row is None or row.efficiency is None:
            checks.append(Check("min-efficiency", None, f"{workers} {kind.kind}: not measured"))
            continue
        told = f"{workers} {kind.kind}: efficiency {row.efficiency.estimate:.2f} ({_range(row.efficiency)})"
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
