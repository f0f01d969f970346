"""What happened to a scaling curve when the code changed: did it fall because work was removed?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from knee.stats.interval import Interval, of_ratio
from knee.stats.launches import curve
from knee.stats.reps import Reps

Story = Literal["flattered", "unmasked"]


@dataclass(frozen=True)
class CurveChange:
    """A speedup that moved against the time it is made of.

    Attributes:
        workers: the largest count at which it is so.
        story: ``unmasked``: the speedup fell and the time fell too, as when work that ran well in parallel is
            removed; ``flattered``: the speedup rose and the time rose too, as when such work is added.
        speedup: of the treatment, geometric mean over launches.
        speedup_against: of the reference.
        change: new speedup over old.
        time: new time over old at that count.
    """

    treatment: int
    workers: int
    story: Story
    speedup: Interval
    speedup_against: Interval
    change: Interval
    time: Interval


def change(
    reps: Reps, kind: str, treatment: int, against: int, confidence: float = 0.95
) -> CurveChange | None:
    """Find the largest worker count at which speedup and time moved the same way, both told from nothing.

    Amdahl's law is a statement about a fraction: work that parallelises well raises the speedup of everything
    around it, whoever wants it or not, so that a better program can have the worse curve.
    """
    new = curve(reps.select(kind=kind, treatment=treatment))
    old = curve(reps.select(kind=kind, treatment=against))
    for workers in np.intersect1d(new.counts, old.counts)[:0:-1]:
        launches, i, j = np.intersect1d(new.launch, old.launch, return_indices=True)
        if launches.size < 2:
            return None
        column = int(np.flatnonzero(new.counts == workers)[0]), int(np.flatnonzero(old.counts == workers)[0])
        speedups = new.log_speedup[i, column[0]], old.log_speedup[j, column[1]]
        speedup = of_ratio(speedups[0] - speedups[1], confidence)
        time = of_ratio(new.log_time[i, column[0]] - old.log_time[j, column[1]], confidence)
        means = of_ratio(speedups[0], confidence), of_ratio(speedups[1], confidence)
        if speedup is None or time is None or means[0] is None or means[1] is None:
            continue
        if not (speedup.excludes(1.0) and time.excludes(1.0)):
            continue
        if (speedup.estimate < 1) == (time.estimate < 1):
            story: Story = "unmasked" if time.estimate < 1 else "flattered"
            return CurveChange(treatment, int(workers), story, means[0], means[1], speedup, time)
    return None
