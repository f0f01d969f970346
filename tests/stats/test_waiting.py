"""Waiting for a CPU is left out where others caused it, and only there."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from knee.plan.cell import CONTROL
from knee.stats.comparison import compare
from knee.stats.machines import Machine, palindromes, reps_of
from knee.stats.reps import Reps
from knee.stats.waiting import leave_out

COUNTS = (1, 2, 4)


def run(waits: dict[int, float], seed: int = 1, launches: int = 10, effect: float = 0.05) -> Reps:
    """Treatments 0, 1 and the A/A copy 2, and the control; each waits about this share of its undisturbed time."""
    rng = np.random.default_rng(seed)
    order = palindromes(rng, (1, launches, 1, len(COUNTS)), 4, 4)
    base = np.log1p(np.array([0.0, effect, 0.0, 0.0]))[:, None] * np.ones(len(COUNTS))
    log = Machine("quiet", noise=0.005).log_times(rng, order, COUNTS, base)
    reps = reps_of(log[0], np.where(order[0] == 3, CONTROL, order[0]), COUNTS)
    share = np.vectorize(waits.__getitem__, otypes=[float])(reps.treatment)
    wait = reps.time * share * rng.exponential(size=len(reps))
    return dataclasses.replace(reps, time=reps.time + wait, wait=wait, cpus=2)


EXTERNAL = {CONTROL: 0.4, 0: 0.4, 1: 0.4, 2: 0.4}


def test_what_others_took_is_left_out_at_counts_with_a_cpu_for_each_worker() -> None:
    reps = run(EXTERNAL)
    spared, waiting = leave_out(reps, (1, 2), 0, 0.99)
    assert waiting.counts == (1, 2)
    assert waiting.share == pytest.approx(0.25, abs=0.05)
    few = reps.workers <= 2
    assert np.allclose(spared.time[few], (reps.time - reps.wait)[few])
    assert np.array_equal(spared.time[~few], reps.time[~few])


def test_it_makes_the_interval_many_times_narrower_and_keeps_absolute_times() -> None:
    reps = run(EXTERNAL)
    with_, without = (compare(r, "threads", twin=2) for r in (reps, dataclasses.replace(reps, cpus=None)))
    assert with_.rows[0].ratio.width_relative < without.rows[0].ratio.width_relative / 4
    assert with_.rows[0].verdict == "slower"
    assert with_.rows[0].time == without.rows[0].time


def test_waiting_that_a_treatment_causes_itself_stays_in() -> None:
    for waits in ({**EXTERNAL, 1: 1.2}, {CONTROL: 0.05, 0: 0.5, 1: 0.5, 2: 0.5}):
        spared, waiting = leave_out(run(waits), (1, 2), 0, 0.99)
        assert waiting.counts == ()
        assert waiting.culprit is not None
        assert np.array_equal(spared.time, run(waits).time)


@pytest.mark.parametrize("missing", ["control", "cpus", "load"])
def test_nothing_is_left_out_without_a_control_a_count_of_cpus_or_a_control_that_waits(missing: str) -> None:
    reps = run({**EXTERNAL, CONTROL: 0.001} if missing == "load" else EXTERNAL)
    if missing == "control":
        reps = reps.where(reps.treatment != CONTROL)
    if missing == "cpus":
        reps = dataclasses.replace(reps, cpus=None)
    spared, waiting = leave_out(reps, (1, 2), 0, 0.99)
    assert waiting.counts == ()
    assert np.array_equal(spared.time, reps.time)


def test_identical_treatments_are_told_apart_no_more_often() -> None:
    """With waiting left out, a difference without margin is claimed at the level that looks leave, under 5 %."""
    claims = 0
    for seed in range(150):
        found = compare(run(EXTERNAL, seed, 6, effect=0.0), "threads", twin=2, margin=1e-9)
        claims += any(row.verdict in ("faster", "slower") for row in found.rows)
    assert claims / 150 <= 0.06
