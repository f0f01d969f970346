"""Placement as a covariate: what the core-speed probe says of the workers of a rep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from knee.stats.reps import Floats, Ints

SLOWER = 1.25
"""Probes of one core differ by a few per cent; a core that is this many times slower is another kind, or shared."""


@dataclass(frozen=True)
class Placement:
    """How evenly the cores served the workers, at one worker count.

    Attributes:
        workers: the count.
        reps: with a probe of every worker.
        uneven: share of reps in which the slowest worker's core was more than ``SLOWER`` times slower than the fastest
            core that the run saw.
        factor: how many times slower, median of those reps; 1 without any.
        explained: share of the variance of log rep times that the slowest core's speed explains (R², 0 to 1); None
            where speeds or times do not vary.
        waited: share of the workers' time spent waiting for a CPU (run-queue delay); None where unknown.
        delayed: share of that variance which the slowest worker's waiting for a CPU explains; None likewise. A core
            that is shared by turns of some milliseconds runs the probe at full speed or not at all, and shows here.
    """

    workers: int
    reps: int
    uneven: float
    factor: float
    explained: float | None
    waited: float | None
    delayed: float | None = None

    def to_json(self) -> dict[str, Any]:
        """The entry of ``placement``."""
        return dict(vars(self))


def placement(
    rep: Ints, workers: Ints, time: Floats, speed: Floats, wait: Floats, among: Ints | None = None
) -> tuple[Placement, ...]:
    """Relate each rep's time to the speed of its slowest core.

    All arguments have one entry per worker and rep.

    Args:
        rep: number of the rep.
        workers: its worker count.
        time: the worker's seconds in it.
        speed: iterations per second of the probes around it, NaN if unknown.
        wait: seconds that the worker waited for a CPU, NaN if unknown.
        among: worker counts to report; all if None.
    """
    fastest = float(np.nanquantile(speed, 0.95)) if np.isfinite(speed).any() else float("nan")
    found = []
    for count in np.unique(workers) if among is None else among:
        mine = workers == count
        numbers, row = np.unique(rep[mine], return_inverse=True)
        slowest = np.full(numbers.size, np.inf)
        np.minimum.at(slowest, row, np.where(np.isfinite(speed[mine]), speed[mine], -np.inf))
        longest = np.zeros(numbers.size)
        np.maximum.at(longest, row, time[mine])
        last = time[mine] == longest[row]
        delay = np.full(numbers.size, np.nan)
        # By how much its waiting stretched the worker that decided the rep's time.
        delay[row[last]] = -np.log(np.maximum(1 - wait[mine][last] / time[mine][last], 1e-3))
        known = np.isfinite(slowest) & (slowest > 0) & (longest > 0)
        if not known.any():
            continue
        factors = fastest / slowest[known]
        slow = factors > SLOWER
        waited = float(np.nansum(wait[mine]) / time[mine].sum()) if np.isfinite(wait[mine]).any() else None
        found.append(
            Placement(
                workers=int(count),
                reps=int(known.sum()),
                uneven=float(slow.mean()),
                factor=float(np.median(factors[slow])) if slow.any() else 1.0,
                explained=_explained(-np.log(slowest[known]), np.log(longest[known])),
                waited=waited,
                delayed=_explained(delay[known], np.log(longest[known]))
                if np.isfinite(delay[known]).all()
                else None,
            )
        )
    return tuple(found)


def _explained(x: Floats, y: Floats) -> float | None:
    if x.size < 4 or x.std() < 1e-6 or y.std() < 1e-6:
        return None
    return float(np.corrcoef(x, y)[0, 1] ** 2)
