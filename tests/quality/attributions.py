"""Simulated searches for a cause: how well the interval of a share covers it."""

from __future__ import annotations

import math

import numpy as np

from knee.stats.attribution import ArmLaunches, attribute
from knee.stats.dependence import dependent
from knee.stats.leveling import leveled

KINDS = ("normal", "two modes", "heavy tails")
RUNS = 1000
SHARE = 0.5
RESAMPLES = 499

_EFFICIENCY, _CEILING, _SPREAD = 0.6, 0.97, 0.05


def launches_of(kind: str, rng: np.random.Generator, efficiency: float, shape: tuple[int, ...]) -> np.ndarray:
    """Log efficiencies of launches around ``efficiency``."""
    noise = rng.normal(size=shape)
    if kind == "heavy tails":
        noise = rng.standard_t(3, shape) / math.sqrt(3)
    spread = _SPREAD * noise
    if kind == "two modes":
        spread = spread + 0.3 * ((rng.random(shape) < 0.5) - 0.5)
    return math.log(efficiency) + spread


def coverage(kind: str, launches: int, seed: int, runs: int = RUNS) -> tuple[float, float, float]:
    """Base and control have launches of the given kind, the arm (half of the loss removed) normal ones.

    Returns:
        shares of runs in which the delta method's interval and the percentile bootstrap's cover the true share, and
        in which the arm is found.
    """
    rng = np.random.default_rng(seed + launches)
    times = [
        float(np.exp(-launches_of(k, rng, e, (10**6,))).mean())
        for k, e in ((kind, _EFFICIENCY), ("normal", 1.0), ("normal", _CEILING))
    ]
    # The arm's mean time is half way from the base's to the ceiling's; its log is set back by what noise adds.
    arm_time = times[0] - SHARE * (times[0] - times[2])
    arm_efficiency = times[1] / arm_time
    shape = (runs, launches)
    base, control = (launches_of(kind, rng, _EFFICIENCY, shape) for _ in range(2))
    arm, top = launches_of("normal", rng, arm_efficiency, shape), launches_of("normal", rng, _CEILING, shape)
    delta, found = np.zeros(runs), np.zeros(runs)
    for run in range(runs):
        (share,) = attribute(base[run], [ArmLaunches("arm", arm[run], control[run])], top[run]).shares
        delta[run] = share.share is not None and not share.share.excludes(SHARE)
        found[run] = share.found
    return float(delta.mean()), float(_bootstrap(rng, base, arm, top).mean()), float(found.mean())


def false_discoveries(seed: int, arms: int = 12, launches: int = 6, runs: int = 500) -> float:
    """Share of searches over arms that all do nothing in which some arm is found."""
    rng = np.random.default_rng(seed)
    some = 0
    for _ in range(runs):
        drawn = [launches_of("normal", rng, _EFFICIENCY, (launches,)) for _ in range(2 * arms + 1)]
        pairs = [ArmLaunches(str(i), drawn[1 + 2 * i], drawn[2 + 2 * i]) for i in range(arms)]
        top = launches_of("normal", rng, _CEILING, (launches,))
        some += any(share.found for share in attribute(drawn[0], pairs, top).shares)
    return some / runs


MACHINES = ("steady", "a step", "a slope", "two speeds")
"""What contention costs while a search goes on: the same, suddenly more from some moment on, ever more, or by lot."""


def drifting(machine: str, leveling: bool, seed: int, runs: int = 500) -> tuple[float, float]:
    """A search of 72 launches: every fourth is the program as it is.

    One arm gives half back, eight give nothing. An arm has three launches, its control likewise; they stand close
    together or far apart by lot.

    Args:
        leveling: as ``Search`` does it; else no launch is held against those around it.

    Returns:
        shares of searches in which an arm that gives nothing is found, and in which the interval of the one that gives
        half back covers that.
    """
    rng = np.random.default_rng(seed)
    order = np.arange(72)
    base_at, others = order[::4], order[order % 4 != 0]
    wrong = covered = 0
    for _ in range(runs):
        cost = {
            "steady": np.full(72, 2.0),
            "a step": np.where(order < rng.integers(12, 60), 1.5, 2.5),
            "a slope": np.linspace(1.5, 2.5, 72),
            "two speeds": rng.choice([1.8, 2.2], 72),
        }[machine]
        noise = np.exp(rng.normal(0.0, _SPREAD, 72))
        places = others.reshape(3, 18).T if rng.random() < 0.5 else others.reshape(18, 3)
        sides = [np.sort(side) for side in rng.permutation(places)]
        base = cost[base_at] * noise[base_at]
        level = leveling and dependent(-np.log(base), level=0.05, fewest=6)

        def shown(at: np.ndarray, share: float) -> np.ndarray:
            slowdown = (cost[at] - share * (cost[at] - 1.0)) * noise[at]  # noqa: B023
            return leveled(slowdown, at, base, base_at, 1.0) if level else slowdown  # noqa: B023

        arms = [
            ArmLaunches(
                str(i), -np.log(shown(sides[2 * i], SHARE * (i == 0))), -np.log(shown(sides[2 * i + 1], 0.0))
            )
            for i in range(9)
        ]
        half, *idle = attribute(-np.log(base), arms, 0.0).shares
        wrong += any(share.found for share in idle)
        covered += half.share is not None and not half.share.excludes(SHARE)
    return wrong / runs, covered / runs


def _bootstrap(rng: np.random.Generator, base: np.ndarray, arm: np.ndarray, top: np.ndarray) -> np.ndarray:
    """Whether the percentile bootstrap over launches covers the true share, shape (runs,)."""
    n = base.shape[1]
    means = [
        np.exp(-side) @ (rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES).T / n)
        for side in (base, arm, top)
    ]
    share = np.full(len(base), SHARE)
    low, high = np.quantile((means[0] - means[1]) / (means[0] - means[2]), [0.025, 0.975], axis=1)
    return (low <= share) & (share <= high)
