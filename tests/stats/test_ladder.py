"""The ladder: rows, gains, ceilings, and the flags that keep a row from being believed."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from knee.plan.cell import CONTROL
from knee.stats import ladder as module
from knee.stats.ladder import Ladder, ladder
from knee.stats.machines import Machine, reps_of
from knee.stats.reps import Reps

COUNTS = (1, 2, 4)


def run(
    workload: tuple[float, ...],
    control: tuple[float, ...] = (1.0, 1.0, 1.0),
    machine: Machine = Machine("quiet", noise=0.005),  # noqa: B008 (frozen)
    launches: int = 12,
    seed: int = 3,
) -> Reps:
    """Time per rep of the workload and of the control at 1, 2 and 4 workers, two reps of each per pool."""
    order = np.broadcast_to([0, 1, 1, 0], (1, launches, 1, 3, 4))
    log = machine.log_times(np.random.default_rng(seed), order, COUNTS, np.log([workload, control]))
    return reps_of(log[0], np.where(order[0] == 1, CONTROL, 0), COUNTS)


def flags(of: Ladder, workers: int) -> tuple[str, ...]:
    row = of.row(workers)
    assert row is not None
    return row.flags


def test_speedup_gain_and_efficiency_are_those_of_scaled_work() -> None:
    """With 1.25 and 2 times the time for 2 and 4 times the work, speedups are 1.6 and 2."""
    found = ladder(run((1.0, 1.25, 2.0)), "threads")
    one, two, four = found.rows
    assert one.speedup is not None
    assert (one.speedup.low, one.speedup.high, one.gain) == (1.0, 1.0, None)
    assert two.speedup is not None
    assert two.gain is not None
    assert two.efficiency is not None
    assert four.gain is not None
    assert two.speedup.estimate == pytest.approx(1.6, rel=0.01)
    assert two.gain.estimate == pytest.approx(0.6, abs=0.02)
    assert two.efficiency.estimate == pytest.approx(0.8, rel=0.01)
    assert four.gain.estimate == pytest.approx((2 - 1.6) / 2, abs=0.02)
    assert not two.speedup.excludes(1.6)
    assert found.knee is not None
    assert found.knee.workers == 2


def test_under_a_fixed_total_the_same_times_are_no_speedup() -> None:
    row = ladder(run((1.0, 0.8, 0.8)), "threads", "fixed").row(2)
    assert row is not None
    assert row.speedup is not None
    assert row.speedup.estimate == pytest.approx(1.25, rel=0.01)


def test_the_ceiling_is_the_controls_own_speedup_and_cancels_what_both_met() -> None:
    """A machine that slows both alike moves the ceiling and leaves the ratio to it where it was."""
    found = ladder(
        run((1.0, 2.0, 2.0), (1.0, 1.6, 1.6), Machine("lottery", slow=1.7, odds=0.5)), "threads"
    ).row(2)
    assert found is not None
    assert found.ceiling is not None
    assert found.of_ceiling is not None
    assert found.ceiling.width_relative > 0.2
    assert found.of_ceiling.estimate == pytest.approx(0.8, rel=0.02)
    assert found.of_ceiling.width_relative < 0.05


def test_no_control_no_ceiling() -> None:
    reps = run((1.0, 1.0, 1.0))
    row = ladder(reps.where(reps.treatment != CONTROL), "threads").row(2)
    assert row is not None
    assert (row.ceiling, row.of_ceiling) == (None, None)


def test_a_row_slower_in_all_launches_while_the_control_scales_is_the_codes_doing() -> None:
    found = ladder(run((1.0, 2.5, 2.5)), "threads")
    assert flags(found, 2) == (module.CONFIRMED_CODE,)
    assert "20% slower than with 1 worker in all 12 launches" in found.rows[1].note


def test_it_is_the_machines_doing_where_the_control_falls_too() -> None:
    found = ladder(run((1.0, 2.5, 2.5), (1.0, 2.5, 2.5)), "threads")
    assert flags(found, 2) == (module.CONFIRMED_MACHINE,)


def test_without_a_control_nobody_is_blamed() -> None:
    reps = run((1.0, 2.5, 2.5))
    assert flags(ladder(reps.where(reps.treatment != CONTROL), "threads"), 2) == (module.SUSPECT,)


def test_it_stays_suspect_while_launches_disagree_or_are_few() -> None:
    noisy = Machine("noisy", noise=0.01, mode=2.0)
    assert module.SUSPECT in flags(ladder(run((1.0, 1.6, 1.6), machine=noisy), "threads"), 2)
    assert module.SUSPECT in flags(ladder(run((1.0, 2.5, 2.5), launches=3), "threads"), 2)


def test_a_plateau_is_not_suspect() -> None:
    for seed in range(10):
        assert flags(ladder(run((1.0, 1.0, 2.0), seed=seed), "threads"), 4) == ()


def test_modes_are_carried_by_the_row() -> None:
    row = ladder(run((1.0, 1.0, 1.0), machine=Machine("two", noise=0.01, mode=1.5)), "threads").row(2)
    assert row is not None
    assert module.MODES in row.flags
    speedups = [mode.to_json()["speedup"]["estimate"] for mode in row.modes]
    assert speedups == pytest.approx([2 / 1.5, 2], rel=0.03)


def test_few_launches_are_said() -> None:
    assert module.FEW_LAUNCHES in flags(ladder(run((1.0, 1.0, 1.0), launches=4), "threads"), 1)
    assert module.FEW_LAUNCHES not in flags(ladder(run((1.0, 1.0, 1.0), launches=5), "threads"), 1)


def test_one_launch_gives_estimates_with_unknown_ends() -> None:
    row = ladder(run((1.0, 1.0, 1.0), launches=1), "threads").row(2)
    assert row is not None
    assert row.to_json()["speedup"] == {"low": None, "estimate": pytest.approx(2, rel=0.02), "high": None}


def test_a_kind_that_never_ran_has_no_rows() -> None:
    found = ladder(run((1.0, 1.0, 1.0)), "processes")
    assert (found.rows, found.knee, found.variance) == ((), None, None)


def test_a_ladder_that_starts_above_one_worker_refers_to_its_first_row() -> None:
    reps = run((1.0, 1.0, 1.0))
    found = ladder(reps.where(reps.workers > 1), "threads")
    assert found.base == 2
    row = found.row(4)
    assert row is not None
    assert row.speedup is not None
    assert row.efficiency is not None
    assert row.speedup.estimate == pytest.approx(2, rel=0.02)
    assert row.efficiency.estimate == pytest.approx(1, rel=0.02)


def test_warmup_reps_do_not_count() -> None:
    reps = run((1.0, 1.0, 1.0))
    cold = dataclasses.replace(reps, time=reps.time * 5, warmup=np.ones(len(reps), np.bool_))
    both = Reps(
        **{
            f.name: np.concatenate([getattr(reps, f.name), getattr(cold, f.name)])
            for f in dataclasses.fields(reps)
            if f.name not in ("law", "cpus")
        }
    )
    assert ladder(both, "threads").rows == ladder(reps, "threads").rows


def test_rows_are_json() -> None:
    row = ladder(run((1.0, 1.0, 1.0)), "threads").rows[1].to_json()
    assert set(row) >= {
        "workers",
        "launches",
        "time",
        "throughput",
        "speedup",
        "gain",
        "efficiency",
        "modes",
        "flags",
    }
    assert math.isfinite(row["gain"]["low"])
