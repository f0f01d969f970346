"""Does an effect follow the treatment, or its position in the order?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from knee.stats.interval import Interval, of_ratio
from knee.stats.reps import Bools, Floats, Ints, Reps

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
        launch, log, rival_second = pairs(reps, rival, against)
        numbers, row = np.unique(launch, return_inverse=True)
        means = [_mean(row, log, side, numbers.size) for side in (rival_second, ~rival_second)]
        second = of_ratio((means[0] - means[1]) / 2, confidence)
        treatment = of_ratio((means[0] + means[1]) / 2, confidence)
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


def pairs(reps: Reps, rival: int, against: int) -> tuple[Ints, Floats, Bools]:
    """Pair the reps of two treatments inside their pools, in the order in which they ran.

    Returns:
        launch, log of new over old cost, and whether the rival ran second, one entry per pair.
    """
    sides = []
    for treatment in (rival, against):
        own = reps.select(treatment=treatment)
        own = own.where(np.lexsort((own.position, own.workers, own.block, own.launch)))
        pool = np.stack([own.launch, own.block, own.workers], axis=1)
        sides.append((own, np.column_stack([pool, _rank(pool)])))
    (new, new_keys), (old, old_keys) = sides
    keys, inverse = np.unique(np.concatenate([new_keys, old_keys]), axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    at = np.full((2, len(keys)), -1)
    at[0, inverse[: len(new)]] = np.arange(len(new))
    at[1, inverse[len(new) :]] = np.arange(len(old))
    i, j = at[:, (at >= 0).all(axis=0)]
    return new.launch[i], new.log_cost()[i] - old.log_cost()[j], new.position[i] > old.position[j]


def _rank(pool: Ints) -> Ints:
    """Number the rows of each run of equal rows from 0."""
    if len(pool) == 0:
        return np.empty(0, np.int64)
    starts = np.flatnonzero(np.r_[True, (pool[1:] != pool[:-1]).any(axis=1)])
    return np.arange(len(pool)) - np.repeat(starts, np.diff(np.r_[starts, len(pool)]))


def _mean(row: Ints, values: Floats, among: Bools, size: int) -> Floats:
    number = np.bincount(row[among], minlength=size)
    total = np.bincount(row[among], weights=values[among], minlength=size)
    mean = np.full(size, np.nan)
    np.divide(total, number, out=mean, where=number > 0)
    return mean
