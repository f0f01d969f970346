"""Simulated machines, to choose and to test estimators with: what a machine does to the time of a rep."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.signal import lfilter

from knee.plan.cell import Law
from knee.stats.reps import Floats, Ints, Reps


@dataclass(frozen=True)
class Machine:
    """What disturbs log times; every effect is off at its default. Shares and times are ratios unless said.

    Attributes:
        noise: standard deviation inside a launch, of log times.
        uneven: standard deviation between launches of the log of that noise (a machine busy now and then).
        tail: degrees of freedom of Student's t for that noise, scaled to ``noise``; infinite is normal.
        launch: standard deviation of a whole launch.
        slow: time on a slow core over time on a fast one.
        odds: chance of each worker after the first to land on a slow core.
        lottery: when placement is drawn: once a ``launch`` (for each worker count), or for each ``pool``.
        layout: standard deviation of a treatment's own luck with addresses, drawn once per launch and
            treatment.
        drift: standard deviation of a first-order autoregression over reps in order of time (thermal state).
        memory: correlation of the drift from one rep to the next.
        neighbour: time with a busy neighbour over time without, for pools of more than one worker.
        comes: chance per rep that the neighbour comes.
        goes: chance per rep that it goes.
        mode: time in the slow mode over time in the fast one, for pools of more than one worker.
        mode_share: share of launches in the slow mode.
    """

    name: str
    noise: float = 0.02
    uneven: float = 0.0
    tail: float = math.inf
    launch: float = 0.0
    slow: float = 1.0
    odds: float = 0.0
    lottery: Literal["launch", "pool"] = "pool"
    layout: float = 0.0
    drift: float = 0.0
    memory: float = 0.98
    neighbour: float = 1.0
    comes: float = 0.02
    goes: float = 0.05
    mode: float = 1.0
    mode_share: float = 0.5

    def log_times(self, rng: np.random.Generator, order: Ints, counts: ArrayLike, log_base: Floats) -> Floats:
        """Draw the log time of every rep.

        Args:
            order: shape (runs, launches, blocks, W, reps), the treatment of each rep; reps run in index
                order, runs know nothing of each other.
            counts: shape (W,), worker counts.
            log_base: shape (treatments, W), log time of each treatment on a machine that disturbs nothing.

        Returns:
            an array of the shape of ``order``.
        """
        n = np.asarray(counts)
        runs, launches, _, width, _ = order.shape
        many = n > 1
        log = np.take_along_axis(
            np.broadcast_to(log_base.T[None, None, None], (*order.shape[:4], log_base.shape[0])),
            order,
            axis=-1,
        )
        log = log + self.noise * self._unevenness(rng, (runs, launches)) * self._standard(rng, order.shape)
        log += self.launch * rng.normal(size=(runs, launches, 1, 1, 1))
        if self.odds:
            drawn = (runs, launches, order.shape[2] if self.lottery == "pool" else 1, width)
            hit = rng.random(drawn) < self.slow_chance(n)
            log += math.log(self.slow) * hit[..., None]
        if self.layout:
            luck = self.layout * rng.normal(size=(runs, launches, 1, 1, log_base.shape[0]))
            log += np.take_along_axis(
                np.broadcast_to(luck, (*order.shape[:4], luck.shape[-1])), order, axis=-1
            )
        if self.drift:
            log += self.drift * self._drift(rng, order.shape)
        if self.neighbour != 1:
            log += math.log(self.neighbour) * self._neighbour(rng, order.shape) * many[:, None]
        if self.mode != 1:
            slow = rng.random((runs, launches, 1, 1, 1)) < self.mode_share
            log += math.log(self.mode) * slow * many[:, None]
        return log

    def slow_chance(self, counts: ArrayLike) -> Floats:
        """The chance that a pool has at least one worker on a slow core, which then decides the time of the
        rep."""
        return np.asarray(1 - (1 - self.odds) ** (np.asarray(counts) - 1))

    def expected_log(self, counts: ArrayLike) -> Floats:
        """The mean over infinitely many launches of what the machine adds to a log time, shape of
        ``counts``."""
        n = np.asarray(counts)
        busy = self.comes / (self.comes + self.goes)
        extra = busy * math.log(self.neighbour) + self.mode_share * math.log(self.mode)
        return np.asarray(math.log(self.slow) * self.slow_chance(n) + np.where(n > 1, extra, 0.0))

    def _unevenness(self, rng: np.random.Generator, shape: tuple[int, int]) -> Floats | float:
        """The noise of each launch over ``noise``, shape (runs, launches, 1, 1, 1)."""
        return np.exp(self.uneven * rng.normal(size=(*shape, 1, 1, 1))) if self.uneven else 1.0

    def _standard(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        if math.isinf(self.tail):
            return rng.normal(size=shape)
        return rng.standard_t(self.tail, size=shape) / math.sqrt(self.tail / (self.tail - 2))

    def _drift(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        """A stationary autoregression along time, of unit variance."""
        shocks = rng.normal(size=(shape[0], math.prod(shape[1:]))) * math.sqrt(1 - self.memory**2)
        shocks[:, 0] /= math.sqrt(1 - self.memory**2)
        return np.asarray(lfilter([1.0], [1.0, -self.memory], shocks, axis=1)).reshape(shape)

    def _neighbour(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        """1 while the neighbour is there, 0 while not: a two-state Markov chain along time."""
        steps = math.prod(shape[1:])
        chance = rng.random((shape[0], steps))
        there = np.empty(chance.shape, np.bool_)
        state = chance[:, 0] < self.comes / (self.comes + self.goes)
        for step in range(steps):
            if step:
                state = np.where(state, chance[:, step] >= self.goes, chance[:, step] < self.comes)
            there[:, step] = state
        return there.reshape(shape).astype(np.float64)


MACHINES = (
    Machine("homogeneous"),
    Machine("placement lottery", slow=1.7, odds=0.5, drift=0.01),
    Machine("address layout", layout=0.02),
    Machine("drift", drift=0.05),
    Machine("neighbour", neighbour=1.6),
    Machine("heavy tails", noise=0.04, tail=3),
    Machine("two modes", mode=1.5),
    Machine("uneven launches", uneven=1.0),
)
"""The machines on which estimators are chosen (docs/statistics.md)."""


def palindromes(
    rng: np.random.Generator, shape: tuple[int, int, int, int], treatments: int, reps: int
) -> Ints:
    """Orders as ``knee.plan.design`` draws them: A B B A, each palindrome from a fresh permutation.

    Args:
        shape: runs, launches, blocks and worker counts.
        reps: per treatment and pool, even.

    Returns:
        shape (*shape, treatments * reps), numbers of treatments.
    """
    there = rng.random((*shape, reps // 2, treatments)).argsort(axis=-1)
    return np.concatenate([there, there[..., ::-1]], axis=-1).reshape(*shape, treatments * reps)


def reps_of(
    log_times: Floats, order: Ints, counts: Sequence[int], *, calls: int = 100, law: Law = "scaled"
) -> Reps:
    """One simulated run as ``Reps``.

    Args:
        log_times: shape (launches, blocks, W, reps).
        order: the same shape, the treatment of each rep (``CONTROL`` included).
        calls: per worker.
    """
    launch, block, column, _ = (axis.reshape(-1) for axis in np.indices(log_times.shape))
    workers = np.asarray(counts)[column]
    per_launch = log_times[0].size
    return Reps(
        launch=launch,
        block=block,
        position=np.tile(np.arange(per_launch), len(log_times)),
        treatment=order.reshape(-1),
        kind=np.full(launch.size, "threads"),
        workers=workers,
        warmup=np.zeros(launch.size, np.bool_),
        time=np.exp(log_times.reshape(-1)),
        calls=(calls * workers if law == "scaled" else np.full(launch.size, calls)).astype(np.float64),
        law=law,
    )
