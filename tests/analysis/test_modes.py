"""Launches that split have no single number, and each mode has times of its own."""

from __future__ import annotations

import pytest

from knee.analysis.run import analyse
from knee.stats.ladder import MODES
from knee.store.database import Store
from tests.synthetic import Synthetic, perfect


def test_each_mode_has_the_times_of_its_own_launches(store: Store) -> None:
    made = Synthetic(
        curves={"threads": perfect},
        workers=(1, 2),
        launches=12,
        between=0.003,
        within=0.003,
        lottery=lambda launch: 1.0 if launch % 3 else 0.5,
    )
    (kind,) = analyse(store, made.into(store)).kinds
    assert kind.ladder is not None
    assert kind.ladder.rows[1].flags == (MODES,)
    slow, fast = kind.modes(2)
    assert (slow.launches, fast.launches) == (4, 8)
    assert slow.share == pytest.approx(1 / 3)
    for mode, speedup in ((slow, 1.0), (fast, 2.0)):
        assert mode.speedup is not None
        assert mode.efficiency is not None
        assert mode.speedup.estimate == pytest.approx(speedup, rel=0.02)
        assert mode.efficiency.estimate == pytest.approx(speedup / 2, rel=0.02)
        assert mode.time.estimate == pytest.approx(0.1 * 2 / speedup, rel=0.02)
        assert mode.throughput.estimate == pytest.approx(10_000 * speedup, rel=0.02)
    assert kind.modes(1) == ()


def test_launches_that_agree_have_no_modes(store: Store) -> None:
    (kind,) = analyse(store, Synthetic(launches=12).into(store)).kinds
    assert [kind.modes(workers) for workers in (1, 2, 4)] == [(), (), ()]
