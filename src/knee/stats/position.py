"""Does an effect follow the treatment, or its position in the order?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from knee.stats.interval import Interval, of_difference, of_ratio
from knee.stats.pairs import midmeans, pairs
from knee.stats.reps import Floats, Reps

Follows = Literal["treatment", "position", "both", "neither", "unknown"]


@dataclass(frozen=True)
class Position:
    """Answer from the recorded order.

    Attributes:
        second: time of whichever came second in a pair over time of whichever came first; None when every
            pair of every launch had the same order.
        treatment: new over old, with the effect of position taken out; of the treatment that differs most.
        follows: which of the two excludes 1.
    """

    second: Interval | None
    treatment: Interval | None
    follows: Follows

    def to_json(self) -> dict[str, Any]:
        """Both ratios and the answer."""
        return {
            "second": None if self.second is None else self.second.to_json(),
            "treatment": None if self.treatment is None else self.treatment.to_json(),
            "follows": self.follows,
        }


def position(reps: Reps, against: int, rivals: Sequence[int], confidence: float) -> Position:
    """Split the log ratio of each pair by which of the two came first.

    In each pool the i-th rep of the reference is paired with the i-th rep of the rival. With m1 the mean log
    ratio of pairs where the rival came second and m2 where it came first, the treatment's effect is (m1 + m2)
    / 2 and that of position (m1 - m2) / 2: the two-period crossover design (Jones and Kenward, Design and
    Analysis of Cross-Over Trials, section 2). Inferred over launches.
    """
    seconds: list[Interval] = []
    treatments: list[Interval] = []
    for rival in rivals:
        found = pairs(reps, rival, against)
        launches, row = np.unique(found.launch, return_inverse=True)
        means = [
            midmeans(row[side], found.log_ratio[side], launches.size)
            for side in (found.rival_second, ~found.rival_second)
        ]
        second, treatment = _split(means[0], means[1], confidence)
        if second is not None and treatment is not None:
            seconds.append(second)
            treatments.append(treatment)
    if not seconds:
        return Position(None, None, "unknown")
    largest = max(range(len(treatments)), key=lambda i: abs(math.log(treatments[i].estimate)))
    second, treatment = seconds[largest], treatments[largest]
    follows: Follows = "neither"
    if treatment.excludes(1.0) and second.excludes(1.0):
        follows = "both"
    elif treatment.excludes(1.0):
        follows = "treatment"
    elif second.excludes(1.0):
        follows = "position"
    return Position(second, treatment, follows)


def _split(
    rival_second: Floats, rival_first: Floats, confidence: float
) -> tuple[Interval | None, Interval | None]:
    """Effects of position and of the treatment from the log ratios of each launch under either order."""
    both = np.isfinite(rival_second) & np.isfinite(rival_first)
    if both.any():
        return (
            of_ratio((rival_second - rival_first) / 2, confidence),
            of_ratio((rival_second + rival_first) / 2, confidence),
        )
    # Processes apart: each launch has one order, so launches of either order are compared.
    if not np.isfinite(rival_second).any() or not np.isfinite(rival_first).any():
        return None, None
    return (
        of_difference(rival_second / 2, rival_first / 2, confidence).exp(),
        of_difference(rival_second / 2, -rival_first / 2, confidence).exp(),
    )
