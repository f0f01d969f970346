"""How often the right cause came first: pure functions from trials to figures and the confusion table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from planting.case import CAUSES
from planting.trial import Trial

LOST = "(no answer)"


@dataclass(frozen=True)
class Share:
    """So many of so many."""

    part: int
    whole: int

    def __str__(self) -> str:
        return f"{self.part} of {self.whole}" + (f" ({self.part / self.whole:.0%})" if self.whole else "")


@dataclass(frozen=True)
class Score:
    """The figures of a set of trials.

    Attributes:
        counts: how often each cause was found first, by the cause expected.
        right: right cause first, of all runs of planted causes.
        placed: a marked line named (within one), of all runs where lines are marked.
        false: a cause named where none is planted (``unknown`` names none).
        unknown: ``unknown`` where none is planted.
        not_here: reasons of what this machine cannot run.
        longest: seconds of the longest run.
    """

    counts: dict[tuple[str, str], int]
    right: Share
    placed: Share
    false: Share
    unknown: Share
    not_here: tuple[str, ...]
    longest: float

    def to_json(self) -> dict[str, Any]:
        """Return the figures as data."""
        shares = {name: getattr(self, name) for name in ("right", "placed", "false", "unknown")}
        return {
            "confusion": [
                {"expected": e, "found": f, "runs": n} for (e, f), n in sorted(self.counts.items())
            ],
            **{name: {"part": share.part, "whole": share.whole} for name, share in shares.items()},
            "not_here": list(self.not_here),
            "longest": self.longest,
        }


def score(trials: Iterable[Trial]) -> Score:
    """Count."""
    all_trials = list(trials)
    ran = [trial for trial in all_trials if trial.status != "not here"]
    planted = [trial for trial in ran if trial.expected != "none"]
    clean = [trial for trial in ran if trial.expected == "none"]
    marked = [trial for trial in planted if trial.at is not None or trial.status != "done"]
    marked_files = {trial.file for trial in planted if trial.at is not None}
    marked = [trial for trial in marked if trial.file in marked_files]
    return Score(
        counts=dict(Counter((trial.expected, trial.found or LOST) for trial in ran)),
        right=Share(sum(trial.found == trial.expected for trial in planted), len(planted)),
        placed=Share(sum(bool(trial.at) for trial in marked), len(marked)),
        false=Share(sum(trial.found not in ("none", "unknown", None) for trial in clean), len(clean)),
        unknown=Share(sum(trial.found == "unknown" for trial in clean), len(clean)),
        not_here=tuple(
            sorted({f"{trial.file}: {trial.text}" for trial in all_trials if trial.status == "not here"})
        ),
        longest=max((trial.seconds for trial in ran), default=0.0),
    )


def confusion(score: Score) -> Table:
    """The confusion table: a row for each cause expected, a column for each cause found first."""
    rows = _sorted({expected for expected, _ in score.counts})
    columns = _sorted({found for _, found in score.counts})
    table = Table(title="Cause expected (down) and found first (across)", title_justify="left")
    table.add_column("expected")
    for column in columns:
        table.add_column(column, justify="right")
    for row in rows:
        cells = []
        for column in columns:
            count = score.counts.get((row, column), 0)
            cells.append("" if not count else f"[bold]{count}[/]" if row == column else str(count))
        table.add_row(row, *cells)
    return table


def by_case(trials: Sequence[Trial]) -> Table:
    """What was found in each run of each case."""
    table = Table(title="By workload", title_justify="left")
    for column in ("workload", "expected", "right", "line", "found instead"):
        table.add_column(column)
    for label in dict.fromkeys((trial.file, trial.name, trial.expected) for trial in trials):
        mine = [trial for trial in trials if (trial.file, trial.name, trial.expected) == label]
        wrong = Counter(trial.found or trial.status for trial in mine if trial.found != trial.expected)
        at = [trial.at for trial in mine if trial.at is not None]
        table.add_row(
            f"{label[0]}:{label[1]}",
            label[2],
            f"{sum(trial.found == trial.expected for trial in mine)}/{len(mine)}",
            f"{sum(at)}/{len(at)}" if at and label[2] != "none" else "",
            ", ".join(f"{cause} {count}" for cause, count in wrong.most_common()),
        )
    return table


def _sorted(names: set[str]) -> list[str]:
    order = {name: index for index, name in enumerate(CAUSES)}
    return sorted(names, key=lambda name: (order.get(name, len(order)), name))
