"""Modes of a row in absolute terms, beside the ratios by which launches were split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from knee.stats.interval import Interval, of_ratio
from knee.stats.ladder import Ladder
from knee.stats.launches import curve
from knee.stats.reps import Reps
from knee.stats.stopping import Stopping


@dataclass(frozen=True)
class ModeReport:
    """One cluster of launches at one worker count.

    Attributes:
        share: of the launches, 0 to 1.
        launches: how many.
        time: seconds per rep.
        throughput: calls per second of the whole pool.
        speedup: over the first row; None in the first row, whose modes are of the time per call.
        efficiency: speedup over the ideal one.
    """

    share: float
    launches: int
    time: Interval
    throughput: Interval
    speedup: Interval | None
    efficiency: Interval | None

    def to_json(self) -> dict[str, Any]:
        """The entry of ``modes``."""
        return {
            "share": self.share,
            "launches": self.launches,
            "time": self.time.to_json(),
            "throughput": self.throughput.to_json(),
            "speedup": None if self.speedup is None else self.speedup.to_json(),
            "efficiency": None if self.efficiency is None else self.efficiency.to_json(),
        }


def split(reps: Reps, ladder: Ladder) -> dict[int, tuple[ModeReport, ...]]:
    """The modes of each worker count that has any; ``reps`` are those that the ladder was made from."""
    found: dict[int, tuple[ModeReport, ...]] = {}
    if not any(row.modes for row in ladder.rows):
        return found
    of = curve(reps)
    confidence = Stopping().interval_confidence  # that of the ladder's own intervals
    for column, row in enumerate(ladder.rows):
        reports = []
        for mode in row.modes:
            time = of_ratio(of.log_time[mode.members, column], confidence)
            throughput = of_ratio(of.log_throughput[mode.members, column], confidence)
            assert time is not None
            assert throughput is not None
            speedup = None if row.workers == ladder.base else mode.value.exp()
            efficiency = None if speedup is None else speedup.scaled(ladder.base / row.workers)
            reports.append(ModeReport(mode.share, mode.launches, time, throughput, speedup, efficiency))
        if reports:
            found[row.workers] = tuple(reports)
    return found
