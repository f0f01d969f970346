"""Why the scalability law is refused on short ladders."""

from __future__ import annotations

import numpy as np
import pytest

from knee.stats import usl
from tests.quality import tables

pytestmark = pytest.mark.quality

CONTENTION, COHERENCY = 0.05, 0.002


def curves(counts: np.ndarray, launches: int, runs: int, noise: float = 0.03) -> np.ndarray:
    rng = np.random.default_rng(tables.SEED)
    law = -np.log1p(CONTENTION * (counts - 1) + COHERENCY * counts * (counts - 1))
    return law + noise * rng.normal(size=(runs, launches, counts.size))


def test_four_worker_counts_pin_a_parameter_at_its_bound_in_a_fifth_of_fits() -> None:
    """One sweep of 1, 2, 4 and 8 workers at 3 % noise: which parameter explains the loss is left to chance."""
    counts = np.array([1, 2, 4, 8])
    fits = np.array([usl._fit(run.mean(axis=0), counts) for run in curves(counts, 1, 500)])
    pinned = (fits[:, 1:] < 1e-6).any(axis=1).mean()
    print(f"pinned {pinned:.1%}, contention {np.quantile(fits[:, 1], [0.025, 0.975])}")
    assert pinned > 0.20


def test_eight_counts_and_twelve_launches_tell_both_and_cover_them() -> None:
    counts = np.array([1, 2, 3, 4, 6, 8, 12, 16])
    found = [usl.fit(run, counts) for run in curves(counts, 12, 40)]
    told = [fit for fit in found if isinstance(fit, usl.Usl)]
    covered = np.mean(
        [[not f.contention.excludes(CONTENTION), not f.coherency.excludes(COHERENCY)] for f in told]
    )
    print(f"told {len(told)} of 40, covered {covered:.1%}")
    assert len(told) >= 36
    assert covered >= 0.90
