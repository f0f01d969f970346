"""Simulated ladders under the real stopping rule."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from knee.stats.dependence import dependent
from knee.stats.machines import Machine
from knee.stats.stopping import LOOKS, Stopping

RUNS = 1000
MOST = 30
COUNTS = (1, 2)

TWO_SPEEDS = Machine(
    "two speeds, lottery per launch, drift", slow=1.7, odds=0.5, lottery="launch", drift=0.02
)
"""What the second worker's core does to the reference story's ladder, in half of the launches."""

MACHINES = (
    TWO_SPEEDS,
    Machine("homogeneous"),
    Machine("drift", drift=0.05),
    Machine("heavy tails", noise=0.04, tail=3),
    Machine("slow core in 3 launches of 10", slow=1.7, odds=0.3, lottery="launch"),
    Machine("slow core in 1 launch of 10", slow=1.7, odds=0.1, lottery="launch"),
    Machine("neighbour who stays for launches", neighbour=1.6),
)


@dataclass(frozen=True)
class Coverage:
    """Shares of runs: intervals that cover the truth, rows flagged DRIFT; and the mean number of launches."""

    speedup: float
    of_ceiling: float
    drift: float
    launches: float


def simulate(machine: Machine, seed: int, runs: int = RUNS, most: int = MOST) -> Coverage:
    """Add launches until the rule stops or the budget of ``most`` ends; look at the interval it leaves.

    A launch is as ``knee.plan.design`` makes it: one block, in each pool the control, two reps, the control.
    """
    order = np.broadcast_to([1, 0, 0, 1], (runs, most, 1, len(COUNTS), 4))
    log = machine.log_times(np.random.default_rng(seed), order, COUNTS, np.zeros((2, len(COUNTS))))[:, :, 0]
    scale = math.log(COUNTS[1] / COUNTS[0])
    own, control = (
        scale - np.diff(log[..., slots].mean(axis=-1), axis=-1)[..., 0] for slots in ([1, 2], [0, 3])
    )
    truth = math.exp(scale - np.diff(machine.expected_log(COUNTS))[0])
    rule = Stopping()
    covered, covered_ratio, drift, taken = (np.zeros(runs) for _ in range(4))
    for run in range(runs):
        # Between looks the rule only says that it has not looked.
        for launches in sorted({*(look for look in LOOKS if look < most), most}):
            if rule.decide(own[run, :launches], affordable=launches < most).stop:
                break
        speedup = rule.interval(own[run, :launches])
        ratio = rule.interval(own[run, :launches] - control[run, :launches])
        assert speedup is not None
        assert ratio is not None
        taken[run], drift[run] = launches, dependent(own[run, :launches])
        covered[run], covered_ratio[run] = not speedup.excludes(truth), not ratio.excludes(1.0)
    return Coverage(*(float(values.mean()) for values in (covered, covered_ratio, drift, taken)))
