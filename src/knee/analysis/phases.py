"""The phases that a workload declares with ``knee.phase``, at each worker count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from knee.stats.interval import Interval, of_mean
from knee.stats.launches import over_blocks
from knee.stats.phases import WHOLE, Phases


@dataclass(frozen=True)
class PhaseReport:
    """One phase at one worker count.

    Attributes:
        name: as the workload calls it.
        workers: the count.
        time: seconds per call in it, averaged over workers, inferred over launches.
        share: of the whole call, 0 to 1; nested phases are part of those around them.
    """

    name: str
    workers: int
    time: Interval
    share: float

    def to_json(self) -> dict[str, Any]:
        """The entry of ``phases``."""
        return {"name": self.name, "workers": self.workers, "time": self.time.to_json(), "share": self.share}


def reports(phases: Phases, kind: str, treatment: int = 0) -> tuple[PhaseReport, ...]:
    """Every phase of a kind, the largest first, by ascending worker count."""
    mine = (phases.kind == kind) & (phases.treatment == treatment)
    counts = [int(count) for count in np.unique(phases.workers[mine])]
    whole = {count: _time(phases, mine, count, WHOLE) for count in counts}
    found = []
    for name in phases.names:
        for count in counts:
            time, all_of_it = _time(phases, mine, count, name), whole[count]
            if time is not None and all_of_it is not None and all_of_it.estimate > 0:
                found.append(PhaseReport(name, count, time, time.estimate / all_of_it.estimate))
    return tuple(found)


def _time(
    phases: Phases, among: np.ndarray[Any, np.dtype[np.bool_]], count: int, name: str
) -> Interval | None:
    cell = among & (phases.workers == count) & (phases.name == name)
    _, means = over_blocks(phases.launch[cell], phases.seconds[cell])
    return of_mean(means)
