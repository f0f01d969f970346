"""A report's rows as flat records, for the formats that know nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterator

from knee.analysis.report import RunReport
from knee.stats.interval import Interval

Cell = str | int | float | None

QUANTITIES = ("time", "throughput", "speedup", "gain", "efficiency", "ceiling", "of_ceiling")


def columns() -> tuple[str, ...]:
    """Names of the columns; of each quantity its estimate and the ends of its interval."""
    return (
        "run",
        "workload",
        "law",
        "kind",
        "workers",
        "launches",
        *(f"{name}{end}" for name in QUANTITIES for end in ("", "_low", "_high")),
        "modes",
        "flags",
        "knee",
    )


def rows(report: RunReport) -> Iterator[tuple[Cell, ...]]:
    """One record for each kind and worker count, in the order of ``columns``; None is unknown."""
    for kind in report.kinds:
        if kind.ladder is None:
            continue
        knee = kind.ladder.knee
        for row in kind.ladder.rows:
            yield (
                report.run,
                report.workload,
                report.law,
                kind.kind,
                row.workers,
                row.launches,
                *(end for name in QUANTITIES for end in _ends(getattr(row, name))),
                len(row.modes) or None,
                " ".join(row.flags),
                None if knee is None else knee.workers,
            )


def _ends(interval: Interval | None) -> tuple[Cell, Cell, Cell]:
    if interval is None:
        return None, None, None
    known = (interval.estimate, interval.low, interval.high)
    estimate, low, high = (value if math.isfinite(value) else None for value in known)
    return estimate, low, high
