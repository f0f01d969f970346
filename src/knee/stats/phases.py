"""Where a difference between two treatments lands: phase by phase."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knee.stats.interval import Interval, of_mean
from knee.stats.launches import over_blocks
from knee.stats.reps import Bools, Floats, Ints

WHOLE = ""
"""The name under which the whole call stands among the phases."""


@dataclass(frozen=True)
class Phases:
    """Columns of equal length, one entry per rep and phase; the whole call is the phase ``WHOLE``.

    Attributes:
        seconds: time in the phase per call, averaged over the rep's workers.
        count: how often it was entered, over all workers and calls.
    """

    launch: Ints
    block: Ints
    treatment: Ints
    kind: NDArray[np.str_]
    workers: Ints
    name: NDArray[np.str_]
    seconds: Floats
    count: Floats

    @classmethod
    def of(cls, rows: Iterable[Sequence[Any]]) -> Phases:
        """From rows in the order of the attributes."""
        columns = list(zip(*rows, strict=True)) or [()] * 8
        types: tuple[Any, ...] = (
            np.int64,
            np.int64,
            np.int64,
            np.str_,
            np.int64,
            np.str_,
            np.float64,
            np.float64,
        )
        return cls(*(np.asarray(column, type_) for column, type_ in zip(columns, types, strict=True)))

    @property
    def names(self) -> tuple[str, ...]:
        """The phases, largest first, without the whole."""
        found = [str(name) for name in np.unique(self.name) if name != WHOLE]
        return tuple(sorted(found, key=lambda name: -float(self.seconds[self.name == name].sum())))


@dataclass(frozen=True)
class PhaseRow:
    """One phase of one treatment against the reference, at one worker count.

    Attributes:
        name: the phase; ``WHOLE`` is what lies outside all phases.
        time: seconds per call in it, of the treatment.
        time_against: the same of the reference.
        difference: new minus old, seconds per call.
        share: of the whole difference; phases may have opposite signs, so that shares exceed 1. None where the
            whole difference is not told from nothing.
    """

    workers: int
    treatment: int
    against: int
    name: str
    time: Interval
    time_against: Interval
    difference: Interval
    share: float | None

    def to_json(self) -> dict[str, Any]:
        """The row of the ``compare`` schema."""
        return {
            "workers": self.workers,
            "treatment": self.treatment,
            "against": self.against,
            "phase": self.name or None,
            "time": self.time.to_json(),
            "time_against": self.time_against.to_json(),
            "difference": self.difference.to_json(),
            "share": self.share,
        }


def compare(
    phases: Phases, kind: str, treatment: int, against: int, confidence: float = 0.95
) -> tuple[PhaseRow, ...]:
    """Split the difference of two treatments into phases, per worker count.

    Times are averaged inside each launch, differences are taken there, and Student's t over launches gives the
    intervals. What no phase covers is the last row of each count; nested phases are counted in both.
    """
    rows: list[PhaseRow] = []
    mine = phases.kind == kind
    for workers in np.unique(phases.workers[mine]):
        here = mine & (phases.workers == workers)
        whole = _pair(phases, here & (phases.name == WHOLE), treatment, against)
        # A treatment that never enters a phase spends no time in it; a launch that lacks the cell has no time at all.
        measured = np.isfinite(whole)
        found = {}
        for name in phases.names:
            pair = _pair(phases, here & (phases.name == name), treatment, against)
            found[name] = np.where(measured, np.nan_to_num(pair), np.nan)
        rest = whole - sum(found.values(), np.zeros_like(whole))
        total = of_mean(whole[:, 0] - whole[:, 1], confidence)
        told = total is not None and total.excludes(0.0)
        for name, pair in (*found.items(), (WHOLE, rest)):
            new, old, difference = (
                of_mean(values, confidence) for values in (pair[:, 0], pair[:, 1], pair[:, 0] - pair[:, 1])
            )
            if new is None or old is None or difference is None:
                continue
            share = difference.estimate / total.estimate if told and total is not None else None
            rows.append(PhaseRow(int(workers), treatment, against, name, new, old, difference, share))
    return tuple(rows)


def _pair(phases: Phases, among: Bools, treatment: int, against: int) -> Floats:
    """Mean seconds per call in each launch that the run has, shape (L, 2): treatment and reference."""
    launches = np.unique(phases.launch)
    out = np.full((launches.size, 2), np.nan)
    for column, chosen in enumerate((treatment, against)):
        mask = among & (phases.treatment == chosen)
        numbers, means = over_blocks(phases.launch[mask], phases.seconds[mask])
        out[np.searchsorted(launches, numbers), column] = means
    return out
