"""Simulated comparisons: Knee's blocked design, and the naive one that users have today."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from knee.stats.machines import Machine, palindromes
from knee.stats.stopping import LOOKS, look_confidence
from tests.quality.estimators import Ends, weighted_midmeans

RUNS = 2000
BLOCKS = 1
PAIRS = 10
MARGIN = 0.02
EFFECT = 0.03


def blocked(
    machine: Machine, effect: float, launches: int, seed: int, runs: int = RUNS
) -> tuple[np.ndarray, np.ndarray]:
    """Log times of both treatments at two workers, one pool per block, ABBA inside it, shape (runs, L, B, pairs)."""
    rng = np.random.default_rng(seed)
    order = palindromes(rng, (runs, launches, BLOCKS, 1), 2, PAIRS)
    log = machine.log_times(rng, order, [2], np.array([[0.0], [math.log1p(effect)]]))
    shape = (runs, launches, BLOCKS, PAIRS)
    return log[order == 0].reshape(shape), log[order == 1].reshape(shape)


def naive(machine: Machine, effect: float, seed: int, runs: int = RUNS) -> np.ndarray:
    """Log times of the design of the reference story: each treatment its own process and full sweep of 15 reps.

    Returns:
        shape (runs, 2 treatments, counts 1, 2 and 4, 15 reps).
    """
    rng = np.random.default_rng(seed)
    order = np.broadcast_to(np.arange(2)[None, :, None, None, None], (runs, 2, 1, 3, 15))
    base = np.array([[0.0] * 3, [math.log1p(effect)] * 3])
    return machine.log_times(rng, order, [1, 2, 4], base)[:, :, 0]


def naive_claims(log: np.ndarray) -> np.ndarray:
    """Whether the naive design claims a winner at some count: medians over 2 % apart, and Mann-Whitney below 5 %."""
    p = stats.mannwhitneyu(log[:, 0], log[:, 1], axis=-1).pvalue
    apart = np.abs(np.diff(np.median(log, axis=-1), axis=1)[:, 0]) > math.log1p(MARGIN)
    return ((p < 0.05) & apart).any(axis=1)


@dataclass(frozen=True)
class Outcome:
    """What Knee's rule said: verdict of each run (-1 faster, 0 same, 1 slower, 2 cannot tell) and its launches."""

    verdict: np.ndarray
    launches: np.ndarray
    ends: Ends

    def share(self, verdict: int) -> float:
        """Share of the runs with this verdict."""
        return float((self.verdict == verdict).mean())


def sequential(a: np.ndarray, b: np.ndarray, margin: float = MARGIN) -> Outcome:
    """Knee's rule: look at the planned launch counts and stop at the first verdict, or at the last launch."""
    runs, most = a.shape[:2]
    level, edge = look_confidence(0.95), math.log1p(margin)
    verdict, taken = np.full(runs, 2), np.full(runs, most)
    low, high = np.empty(runs), np.empty(runs)
    for look in sorted({*(n for n in LOOKS if n <= most), most}):
        open_ = verdict == 2
        ends = weighted_midmeans(a[open_, :look], b[open_, :look], level)
        equal = weighted_midmeans(a[open_, :look], b[open_, :look], 1 - 2 * (1 - level))
        low[open_], high[open_] = ends
        said = np.full(int(open_.sum()), 2)
        said[(equal[0] > -edge) & (equal[1] < edge)] = 0
        said[ends[0] > edge] = 1
        said[ends[1] < -edge] = -1
        taken[open_] = look
        verdict[open_] = said
    return Outcome(verdict, taken, (low, high))
