"""The verdict of each treatment against the first one, blocked by launch, block and pool."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from knee.stats.interval import Interval, of_ratio
from knee.stats.launches import Grid, over_blocks
from knee.stats.modes import Mode, modes
from knee.stats.pairs import by_launch, pairs, rank
from knee.stats.position import Position, position
from knee.stats.reps import Reps
from knee.stats.stopping import Decision, is_look, look_confidence
from knee.stats.told import Told, average
from knee.stats.verdict import Verdict, judge
from knee.stats.waiting import Waiting, leave_out


@dataclass(frozen=True)
class Row:
    """One treatment against the reference at one worker count.

    Attributes:
        workers: the count; None for the whole ladder (mean over counts of the log ratio in each launch).
        ratio: time of the treatment over time of the reference, per unit of work: below 1 is faster.
        verdict: the ratio's interval lies beyond the margin (``faster``, ``slower``), inside it (``same``),
            or neither; ``suspect`` when the A/A control failed, or is biased and could explain the claim.
        time: seconds per rep of the treatment, geometric mean over launches; None for the whole ladder.
        time_against: the same of the reference.
        launches: that measured both.
        needed: launches more, as predicted, for a verdict; 0 where there is one, None when no number would
            do, because the estimate lies at the margin itself or too few launches tell the spread.
        modes: of the ratio over launches; empty when one number describes it.
    """

    workers: int | None
    treatment: int
    against: int
    ratio: Interval
    verdict: Verdict
    time: Interval | None
    time_against: Interval | None
    launches: int
    needed: int | None
    modes: tuple[Mode, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The row of the ``compare`` schema; treatments as their numbers."""
        return {
            "workers": self.workers,
            "treatment": self.treatment,
            "against": self.against,
            "ratio": self.ratio.to_json(),
            "verdict": self.verdict,
            "time": None if self.time is None else self.time.to_json(),
            "time_against": None if self.time_against is None else self.time_against.to_json(),
            "launches": self.launches,
            "needed": self.needed,
            "modes": [{"share": m.share, "ratio": m.value.exp().to_json()} for m in self.modes],
        }


@dataclass(frozen=True)
class Control:
    """The A/A control: the reference against itself, in the same pools.

    Attributes:
        ratio: the noise floor with all its systematic parts; None when nothing tells it.
        verdict: ``same`` or ``cannot-tell`` where all is well; ``faster`` or ``slower``: the comparison is
            suspect.
        biased: the ratio's interval excludes 1, be it inside the margin or not.
    """

    ratio: Interval | None
    verdict: Verdict
    biased: bool

    @property
    def failed(self) -> bool:
        """Whether identical code came out faster or slower: then the comparison is suspect as a whole."""
        return self.verdict in ("faster", "slower")

    def to_json(self) -> dict[str, Any]:
        """The control of the ``compare`` schema."""
        return {"ratio": None if self.ratio is None else self.ratio.to_json(), "verdict": self.verdict}


@dataclass(frozen=True)
class Comparison:
    """All rows of one kind of worker.

    Attributes:
        rows: per treatment and worker count, then the whole ladder of each treatment if it has two counts or
            more.
        control: the A/A control.
        position: whether effects follow the treatment or its position.
        waiting: at which counts ratios leave out the time that workers waited for a CPU which other programs had.
        margin: differences within it are ``same``; 0.02 is 2 %.
        confidence: kept over all looks and over the family of treatments.
    """

    kind: str
    rows: tuple[Row, ...]
    control: Control
    position: Position
    waiting: Waiting
    margin: float
    confidence: float

    @property
    def settled(self) -> bool:
        """Whether every row has a verdict; a suspect one waits for more launches, as long as the budget lasts."""
        return all(row.verdict not in ("cannot-tell", "suspect") for row in self.rows)

    @property
    def needed(self) -> int | None:
        """Launches still needed for every verdict, None when some row can never have one."""
        each = [row.needed for row in self.rows]
        return None if any(n is None for n in each) else max((n for n in each if n is not None), default=0)

    def decide(self, launches: int, *, minimum: int = 5, affordable: bool = True) -> Decision:
        """Whether to stop after this many launches: settled at a planned look, or out of budget."""
        width = max((row.ratio.width_relative for row in self.rows), default=math.inf)
        if self.settled and launches >= minimum and is_look(launches):
            return Decision(True, "decided", 0, width)
        if not affordable and launches >= minimum:
            return Decision(True, "budget", self.needed, width)
        return Decision(False, "", self.needed, width)


def compare(
    reps: Reps,
    kind: str,
    *,
    against: int = 0,
    twin: int | None = None,
    margin: float = 0.02,
    confidence: float = 0.95,
) -> Comparison:
    """Compare every treatment with the reference.

    Reps are paired inside their pools, the log ratios of the pairs are reduced to one number per launch and worker
    count (``pairs.by_launch``), and the mean over launches has its interval (``told.Told.interval``): the estimator
    was chosen by simulation, docs/statistics.md. Its level is raised for repeated looks
    (``stopping.look_confidence``) and for the number of treatments (Šidák 1967).

    Args:
        reps: of a whole run.
        against: the reference treatment.
        twin: the treatment that is the reference once more (the A/A control); without one, the reference's
            own reps in each pool are split in two, alternately.
        margin: 0.02 calls differences of up to 2 % ``same``.
    """
    chosen = reps.select(kind=kind)
    rivals = [t for t in chosen.treatments if t not in (against, twin)]
    level = look_confidence(confidence ** (1 / max(1, len(rivals))))
    spared, waiting = leave_out(
        chosen, [t for t in chosen.treatments if t != against], against, look_confidence(confidence)
    )
    control = _control(spared, against, twin, margin, look_confidence(confidence))
    rows: list[Row] = []
    whole: list[Row] = []
    for rival in rivals:
        told = by_launch(pairs(spared, rival, against))
        for workers, launches in told.items():
            cell = chosen.select(workers=workers)
            times = _time(cell, rival, confidence), _time(cell, against, confidence)
            rows += _row(workers, rival, against, launches, times, margin, level, control)
        if len(told) > 1:
            whole += _row(
                None, rival, against, average(list(told.values())), (None, None), margin, level, control
            )
    return Comparison(
        kind,
        tuple(rows + whole),
        control,
        position(spared, against, rivals, level),
        waiting,
        margin,
        confidence,
    )


def _row(
    workers: int | None,
    treatment: int,
    against: int,
    told: Told,
    times: tuple[Interval | None, Interval | None],
    margin: float,
    level: float,
    control: Control,
) -> list[Row]:
    """The row, or none when no launch has both treatments."""
    found = judge(told, margin, level)
    if found is None:
        return []
    ratio, verdict, launches, needed = found
    claim = verdict in ("faster", "slower")
    biased = control.biased and control.ratio is not None and ratio.overlaps(control.ratio)
    if verdict != "cannot-tell" and (control.failed or (claim and biased)):
        verdict = "suspect"
    return [Row(workers, treatment, against, ratio, verdict, *times, launches, needed, modes(told.value))]


def _control(reps: Reps, against: int, twin: int | None, margin: float, level: float) -> Control:
    found_pairs = (
        pairs(reps, twin, against)
        if twin is not None
        else pairs(_halves(reps.select(treatment=against)), 1, 0)
    )
    told = by_launch(found_pairs)
    found = judge(average(list(told.values())), margin, level) if told else None
    if found is None:
        return Control(None, "cannot-tell", False)
    return Control(found[0], found[1], found[0].excludes(1.0))


def _halves(reps: Reps) -> Reps:
    """The reps of one treatment as two: within a pool the first, fourth, fifth, eighth... and the others
    (ABBA)."""
    ordered = reps.where(np.lexsort((reps.position, reps.workers, reps.block, reps.launch)))
    place = rank(np.stack([ordered.launch, ordered.block, ordered.workers], axis=1))
    # Two reps in a pool would always give the same order: the block's number turns it around.
    half = ((place + 1) // 2 + ordered.block + ordered.launch) % 2
    return replace(ordered, treatment=half)


def _time(reps: Reps, treatment: int, confidence: float) -> Interval | None:
    own = reps.select(treatment=treatment)
    if len(own) == 0:
        return None
    grid = Grid.of(own)
    return of_ratio(over_blocks(grid.launch, grid.mean(np.log(own.time)))[1][:, 0], confidence)
