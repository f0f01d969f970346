"""The ladder: what each worker count gives, over launches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from knee.plan.cell import CONTROL, Law
from knee.stats.components import Components, components
from knee.stats.dependence import dependent
from knee.stats.interval import Interval, of_mean, of_ratio
from knee.stats.knee import Knee, knee
from knee.stats.launches import Curve, columns, curve
from knee.stats.modes import FEWEST, Mode, modes
from knee.stats.reps import Floats, Reps
from knee.stats.stopping import Stopping

SUSPECT = "SUSPECT"
"""Slower than a row with fewer workers, and not yet confirmed by launches."""

CONFIRMED_CODE = "CONFIRMED-CODE"
"""Slower than a row with fewer workers in every launch, while the control scales: the code does that."""

CONFIRMED_MACHINE = "CONFIRMED-MACHINE"
"""Slower than a row with fewer workers in every launch, and the control does not scale either: the machine
does."""

MODES = "MODES"
"""Launches split into modes: no single number holds."""

DRIFT = "DRIFT"
"""Launches resemble those next to them in time: something on the machine changes slowly, the interval is too
narrow."""

FEW_LAUNCHES = "FEW-LAUNCHES"
"""Under five launches: the interval is wide or unknown, modes cannot be seen."""


@dataclass(frozen=True)
class Row:
    """One worker count.

    Attributes:
        workers: the count.
        launches: launches that measured it.
        time: seconds per rep, geometric mean over launches.
        throughput: calls per second of the whole pool.
        speedup: over the first row, inferred over launches from ratios inside a block; None when no launch
            has both.
        gain: difference of speedup per added worker since the row before; None in the first row.
        efficiency: speedup over the ideal one.
        ceiling: the control kernel's own speedup at this count, None where it did not run.
        of_ceiling: speedup over the ceiling in the same launch.
        modes: of the speedup (in the first row: of the time). Not empty: print these and no single number.
        flags: of the constants in this module.
        note: why the row is SUSPECT or CONFIRMED, one sentence, or empty.
    """

    workers: int
    launches: int
    time: Interval
    throughput: Interval
    speedup: Interval | None
    gain: Interval | None
    efficiency: Interval | None
    ceiling: Interval | None
    of_ceiling: Interval | None
    modes: tuple[Mode, ...]
    flags: tuple[str, ...]
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """The row of the ``run`` schema."""
        return {
            "workers": self.workers,
            "launches": self.launches,
            "time": _json(self.time),
            "throughput": _json(self.throughput),
            "speedup": _json(self.speedup),
            "gain": _json(self.gain),
            "efficiency": _json(self.efficiency),
            "ceiling": _json(self.ceiling),
            "of_ceiling": _json(self.of_ceiling),
            "modes": [mode.to_json() for mode in self.modes],
            "flags": list(self.flags),
            "note": self.note,
        }


@dataclass(frozen=True)
class Ladder:
    """All worker counts of one kind of worker.

    Attributes:
        base: the count to which speedups refer, the smallest measured.
        variance: within and between launches, of log times, over all rows.
    """

    kind: str
    law: Law
    base: int
    rows: tuple[Row, ...]
    knee: Knee | None
    variance: Components | None

    def row(self, workers: int) -> Row | None:
        """The row of a worker count."""
        return next((row for row in self.rows if row.workers == workers), None)


def ladder(
    reps: Reps,
    kind: str,
    law: Law | None = None,
    *,
    treatment: int = 0,
    confidence: float = 0.95,
    slower: float = 0.02,
) -> Ladder:
    """Analyse one kind of worker.

    Args:
        reps: of a whole run; warm-up reps and other kinds are left out here.
        law: in place of ``reps.law``.
        confidence: kept under the stopping rule; the intervals themselves have the level that this takes.
        slower: how much slower than a row with fewer workers, as a share, before a row is SUSPECT: under it,
            a plateau would be flagged by chance.
    """
    chosen = reps if law is None else Reps(**{**vars(reps), "law": law})
    confidence = Stopping(confidence=confidence).interval_confidence
    of = chosen.select(kind=kind, treatment=treatment)
    seen = curve(of)
    control = curve(chosen.select(kind=kind, treatment=CONTROL))
    ceiling = _matched(control, seen)
    rows = tuple(_row(seen, ceiling, j, confidence, slower) for j in range(seen.counts.size))
    return Ladder(
        kind,
        chosen.law,
        int(seen.counts[0]) if seen.counts.size else 1,
        rows,
        knee(seen.log_speedup, seen.counts, confidence=confidence),
        components(of) if len(of) else None,
    )


def _matched(control: Curve, seen: Curve) -> Floats:
    """The control's log speedups in the launches and counts of ``seen``, shape (L, W), NaN where it did not
    run."""
    if control.counts.size == 0 or control.counts[0] != seen.counts[0]:
        return np.full(seen.log_speedup.shape, np.nan)
    out = np.full(seen.log_speedup.shape, np.nan)
    place = np.searchsorted(seen.launch, control.launch)
    inside = (place < seen.launch.size) & np.isin(control.launch, seen.launch)
    out[place[inside]] = columns(control, seen.counts)[inside]
    return out


def _row(seen: Curve, ceiling: Floats, j: int, confidence: float, slower: float) -> Row:
    workers, base = int(seen.counts[j]), int(seen.counts[0])
    log = seen.log_speedup[:, j]
    time, throughput = (
        of_ratio(seen.log_time[:, j], confidence),
        of_ratio(seen.log_throughput[:, j], confidence),
    )
    assert time is not None
    assert throughput is not None
    first = j == 0
    split = modes(-seen.log_throughput[:, 0] if first else log, confidence=confidence)
    speedup = Interval.exactly(1.0) if first else of_ratio(log, confidence)
    gain = None
    if not first:
        added = (np.exp(log) - np.exp(seen.log_speedup[:, j - 1])) / (workers - int(seen.counts[j - 1]))
        gain = of_mean(added, confidence)
    launches = int(np.isfinite(seen.log_time[:, j]).sum())
    flag, note = _slower(seen, ceiling, j, confidence, slower)
    drift = dependent(seen.log_throughput[:, 0] if first else log)
    standing = {flag: bool(flag), MODES: bool(split), DRIFT: drift, FEW_LAUNCHES: launches < FEWEST}
    return Row(
        workers,
        launches,
        time,
        throughput,
        speedup,
        gain,
        None if speedup is None else speedup.scaled(base / workers),
        of_ratio(ceiling[:, j], confidence),
        of_ratio(log - ceiling[:, j], confidence),
        split,
        tuple(name for name, on in standing.items() if on),
        note,
    )


def _slower(seen: Curve, ceiling: Floats, j: int, confidence: float, slower: float) -> tuple[str, str]:
    """The flag of a row that is slower than one with fewer workers, and its reason; two empty texts if none
    is."""
    if j == 0:
        return "", ""
    means = [of_mean(seen.log_speedup[:, i], confidence) for i in range(j + 1)]
    known = [(m.estimate, i) for i, m in enumerate(means[:j]) if m is not None]
    if means[j] is None or not known:
        return "", ""
    best = max(known)[1]
    difference = seen.log_speedup[:, j] - seen.log_speedup[:, best]
    difference = difference[np.isfinite(difference)]
    interval = of_mean(difference, confidence)
    if interval is None or interval.estimate > np.log(1 - slower):
        return "", ""
    fewer, share = int(seen.counts[best]), 1 - np.exp(interval.estimate)
    what = f"{share:.0%} slower than with {fewer} worker{'s' if fewer > 1 else ''}"
    agree = int(np.sum(difference < 0))
    if difference.size < FEWEST or agree < difference.size or interval.high >= 0:
        return SUSPECT, f"{what}, in {agree} of {difference.size} launches: more launches must confirm it"
    control = of_mean(ceiling[:, j] - ceiling[:, best], confidence)
    if control is None:
        return SUSPECT, f"{what} in all {agree} launches, but no control ran to tell code from machine"
    if control.estimate > np.log(1 - slower):
        return (
            CONFIRMED_CODE,
            f"{what} in all {agree} launches, while the control does not slow down: the code does",
        )
    return CONFIRMED_MACHINE, f"{what} in all {agree} launches, and so is the control that shares nothing"


def _json(interval: Interval | None) -> dict[str, float | None] | None:
    return None if interval is None else interval.to_json()
