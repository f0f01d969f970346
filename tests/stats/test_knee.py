"""The knee: where the reference story puts it, and where reason does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from knee.stats.knee import knee

REFERENCE = {1: 1.00, 2: 1.47, 3: 1.88, 4: 2.24, 5: 2.39, 6: 2.54, 8: 2.84, 10: 2.92}
"""The ladder of the reference story on four fast and six slow cores."""


def ladders(curve: dict[int, float], launches: int = 12, noise: float = 0.02, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    log = np.log(list(curve.values())) + noise * rng.normal(size=(launches, len(curve)))
    log[:, 0] = 0
    return log


def test_the_reference_ladder_has_its_knee_at_the_fast_cores() -> None:
    found = knee(ladders(REFERENCE, 1, 0.0), np.array(list(REFERENCE)))
    assert found is not None
    assert (found.workers, found.reached) == (4, True)
    assert "worker 5 adds only 0.15" in found.why


def test_the_interval_holds_the_knee_under_noise() -> None:
    for seed in range(20):
        found = knee(ladders(REFERENCE, seed=seed), np.array(list(REFERENCE)))
        assert found is not None
        assert found.low <= 4 <= found.high <= 5


def test_a_straight_line_has_no_knee_before_its_end() -> None:
    counts = {n: float(n) for n in (1, 2, 4, 8)}
    found = knee(ladders(counts), np.array(list(counts)))
    assert found is not None
    assert (found.workers, found.reached) == (8, False)


@pytest.mark.parametrize("second", [0.6, 1.0, 1.3])
def test_a_second_worker_worth_under_half_does_not_pay(second: float) -> None:
    found = knee(ladders({1: 1.0, 2: second}), np.array([1, 2]))
    assert found is not None
    assert found.workers == 1
    assert found.why.startswith("one worker is best")


@pytest.mark.parametrize("serial", [0.05, 0.1, 0.2])
def test_under_amdahls_law_the_knee_is_where_half_is_serial(serial: float) -> None:
    """S²/n of Amdahl's law is largest at n = (1 - s) / s, where half of the time is serial."""
    counts = np.arange(1, 41)
    found = knee(np.log(1 / (serial + (1 - serial) / counts))[None], counts)
    assert found is not None
    assert found.workers == round((1 - serial) / serial)


def test_one_worker_count_has_no_knee() -> None:
    assert knee(np.zeros((5, 1)), np.array([1])) is None
    assert knee(np.array([[0.0, math.nan]]), np.array([1, 2])) is None
