"""Modes: found when there are two, not when there is one."""

from __future__ import annotations

import numpy as np
import pytest

from knee.stats.machines import MACHINES, Machine
from knee.stats.modes import modes
from tests.quality import samples, tables

pytestmark = pytest.mark.quality


@pytest.mark.parametrize("launches", [5, 8, 12, 20, 40])
def test_at_most_two_percent_of_single_mode_samples_are_split(launches: int) -> None:
    """Also of skewed, heavy-tailed and drifting ones."""
    rates = samples.mode_rates(launches, tables.SEED)
    print(launches, rates)
    rates.pop("**two modes, 1.5 apart**")
    # A standard error of 2,000 samples at 2 % is 0.3 %.
    assert max(rates.values()) <= 0.02 + 0.006


def test_two_modes_one_and_a_half_apart_are_found_with_twelve_launches() -> None:
    assert samples.mode_rates(12, tables.SEED)["**two modes, 1.5 apart**"] >= 0.95


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_whole_machines_split_where_they_have_modes_only(machine: Machine) -> None:
    """Speedups of 12 launches, each with 2 % noise inside; a placement drawn per pool is a mode of its launch."""
    runs, launches = 1000, 12
    order = np.zeros((runs, launches, 1, 2, 2), np.int64)
    log = machine.log_times(np.random.default_rng(tables.SEED), order, (1, 2), np.zeros((1, 2)))
    speedup = -np.diff(log.mean(axis=(2, 4)), axis=-1)[..., 0]
    share = np.mean([bool(modes(row)) for row in speedup])
    print(machine.name, share)
    if machine.name in ("two modes", "placement lottery"):
        assert share >= 0.95
    elif machine.name != "neighbour":  # whose launches have him or not: two modes in truth
        assert share <= 0.02
