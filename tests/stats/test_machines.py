"""Simulated machines do what they say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from knee.stats.dependence import dependent
from knee.stats.machines import MACHINES, Machine, palindromes, reps_of

COUNTS = (1, 2, 4)


def drawn(machine: Machine, runs: int = 400, seed: int = 9) -> np.ndarray:
    order = palindromes(np.random.default_rng(seed), (runs, 6, 2, 3), 2, 2)
    return machine.log_times(np.random.default_rng(seed), order, COUNTS, np.zeros((2, 3)))


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_the_expected_log_is_the_mean_of_many_draws(machine: Machine) -> None:
    assert drawn(machine).mean(axis=(0, 1, 2, 4)) == pytest.approx(machine.expected_log(COUNTS), abs=0.02)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_the_same_seed_draws_the_same(machine: Machine) -> None:
    assert np.array_equal(drawn(machine, 3), drawn(machine, 3))


def test_a_lottery_per_pool_is_constant_inside_the_pool_and_one_per_launch_inside_the_launch() -> None:
    pool = drawn(Machine("pool", noise=0, slow=1.7, odds=0.5))
    launch = drawn(Machine("launch", noise=0, slow=1.7, odds=0.5, lottery="launch"))
    assert np.ptp(pool, axis=4).max() == 0
    assert np.ptp(pool, axis=2).max() == pytest.approx(math.log(1.7))
    assert np.ptp(launch, axis=(2, 4)).max() == 0
    assert np.mean(launch[:, :, 0, 1, 0] > 0) == pytest.approx(0.5, abs=0.05)
    assert launch[:, :, :, 0].max() == 0


def test_drift_and_neighbours_stay_for_a_while_and_noise_does_not() -> None:
    for machine, stays in ((Machine("d", noise=0.001, drift=0.05), True), (Machine("n"), False)):
        assert dependent(drawn(machine, 1)[0].reshape(-1)) == stays


def test_palindromes_hold_each_treatment_equally_often_and_read_the_same_from_behind() -> None:
    order = palindromes(np.random.default_rng(1), (5, 2, 1, 3), 3, 4)
    assert order.shape == (5, 2, 1, 3, 12)
    assert (np.sort(order, axis=-1) == np.repeat([0, 1, 2], 4)).all()
    assert (order[..., :6] == order[..., 5::-1]).all()


def test_reps_carry_shape_order_and_calls() -> None:
    order = np.broadcast_to([0, 1], (2, 3, 2, 2))
    reps = reps_of(np.zeros((2, 3, 2, 2)), order, (1, 4), calls=10)
    assert len(reps) == 24
    assert reps.position[:12].tolist() == list(range(12))
    assert set(zip(reps.workers.tolist(), reps.calls.tolist(), strict=True)) == {(1, 10.0), (4, 40.0)}
