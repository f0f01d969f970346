"""Time that workers waited for a CPU which other programs had: left out of ratios where it was not their own
doing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from knee.plan.cell import CONTROL
from knee.stats.interval import of_mean
from knee.stats.launches import Grid, over_blocks
from knee.stats.reps import Floats, Reps

LEAST = 0.02
"""Share of its time that the control must have waited before anything is left out."""

OWN = 0.1
"""How much more than the control, as a share of its time, a treatment may wait before it counts as its own
doing."""


@dataclass(frozen=True)
class Waiting:
    """What was done about waiting for a CPU.

    Attributes:
        share: of the control's time that it waited, at counts that have a CPU for each worker; None where no
            control ran or the number of CPUs is not known.
        counts: worker counts whose ratios leave waiting out.
        culprit: a treatment for which waiting stayed in although the control waited too, because it waits more
            than the control or the reference does; None if there is none.
    """

    share: float | None = None
    counts: tuple[int, ...] = ()
    culprit: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Share, counts and treatment."""
        return {"share": self.share, "left_out_at": list(self.counts), "culprit": self.culprit}


def leave_out(reps: Reps, treatments: Sequence[int], against: int, confidence: float) -> tuple[Reps, Waiting]:
    """Take the time that workers waited for a CPU out of every rep, if others made them wait.

    The control shares nothing and has a CPU for each worker, so that what it waits for is other programs (or
    a quota). The kernel's run-queue delay is then a covariate that is known exactly and that no treatment
    decides: subtracting it is an analysis of covariance with a known slope of 1 (Fisher 1932). It is not done
        where a
    treatment waits more than the control, or the treatments differ in how much they wait: that may be their
    own doing (too many threads of their own), and then it belongs to the ratio.

    Args:
        reps: of one kind, warm-up left out, control included.
        treatments: those compared with ``against``.

    Returns:
        the reps with shorter times at some counts, and what was done.
    """
    control = reps.select(treatment=CONTROL)
    if reps.cpus is None or len(control) == 0:
        return reps, Waiting()
    control = control.where(control.workers <= reps.cpus)
    if len(control) == 0:
        return reps, Waiting()
    overall = float(np.mean(control.wait / control.time))
    counts: list[int] = []
    culprit: int | None = None
    for workers in control.counts:
        cell = reps.select(workers=workers)
        idle = _shares(cell, CONTROL)
        if np.nanmean(idle) < LEAST:
            continue
        reference = _shares(cell, against)
        for treatment in (against, *treatments):
            own = _shares(cell, treatment)
            more, differs = of_mean(own - idle, confidence), of_mean(own - reference, confidence)
            by_itself = more is not None and more.low > OWN
            if by_itself or (treatment != against and differs is not None and differs.excludes(0.0)):
                culprit = treatment
                break
        else:
            counts.append(workers)
    if not counts:
        return reps, Waiting(overall, (), culprit)
    spared = np.where(np.isin(reps.workers, counts), reps.time - reps.wait, reps.time)
    return replace(reps, time=spared), Waiting(overall, tuple(counts), culprit)


def _shares(cell: Reps, treatment: int) -> Floats:
    """Mean share of time waited in each launch of the cell, shape (L,); NaN where the treatment did not
    run."""
    grid = Grid.of(cell)
    share = grid.mean(cell.wait / cell.time, cell.treatment == treatment)
    return over_blocks(grid.launch, share)[1][:, 0]
