"""Variance components come back as they were simulated."""

from __future__ import annotations

import numpy as np
import pytest

from knee.stats.components import components
from knee.stats.machines import Machine, reps_of


def drawn(machine: Machine, launches: int, keep: float = 1.0):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(7)
    order = np.zeros((1, launches, 2, 2, 4), np.int64)
    reps = reps_of(machine.log_times(rng, order, [1, 2], np.zeros((1, 2)))[0], order[0], [1, 2])
    return reps.where(rng.random(len(reps)) < keep)


@pytest.mark.parametrize("keep", [1.0, 0.6])
def test_both_components_are_recovered_also_from_unequal_launches(keep: float) -> None:
    found = components(drawn(Machine("two levels", noise=0.02, launch=0.05), 400, keep))
    assert found is not None
    assert found.within == pytest.approx(0.02, rel=0.05)
    assert found.between == pytest.approx(0.05, rel=0.1)
    assert found.share_between == pytest.approx(0.05**2 / (0.05**2 + 0.02**2), abs=0.05)


def test_cells_of_different_speed_do_not_count_as_spread() -> None:
    """The means of the cells are their own; only what launches add to them is spread between launches."""
    reps = drawn(Machine("quiet", noise=0.01), 50)
    slower = reps.where(np.arange(len(reps)))
    slower.time[slower.workers == 2] *= 3
    found = components(slower)
    assert found is not None
    assert found.between < 0.003


def test_one_launch_tells_nothing_between() -> None:
    assert components(drawn(Machine("one"), 1)) is None
