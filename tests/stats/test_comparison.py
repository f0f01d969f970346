"""Comparisons: verdicts by margin, the A/A control, families, order."""

from __future__ import annotations

import math

import numpy as np
import pytest

from knee.plan.cell import CONTROL
from knee.stats.comparison import Comparison, Row, compare
from knee.stats.machines import Machine, palindromes, reps_of
from knee.stats.reps import Reps

QUIET = Machine("quiet", noise=0.005)


def run(
    effects: tuple[float, ...],
    machine: Machine = QUIET,
    launches: int = 10,
    counts: tuple[int, ...] = (1, 2),
    reps: int = 4,
    seed: int = 5,
) -> Reps:
    """Treatments that take ``1 + effect`` times as long as nothing."""
    rng = np.random.default_rng(seed)
    order = palindromes(rng, (1, launches, 1, len(counts)), len(effects), reps)
    base = np.log1p(np.array(effects))[:, None] * np.ones(len(counts))
    return reps_of(machine.log_times(rng, order, counts, base)[0], order[0], counts)


def only(found: Comparison, workers: int | None, treatment: int = 1) -> Row:
    (row,) = [row for row in found.rows if (row.workers, row.treatment) == (workers, treatment)]
    return row


@pytest.mark.parametrize(
    ("effect", "verdict"),
    [(0.1, "slower"), (-0.1, "faster"), (0.0, "same"), (0.005, "same"), (0.02, "cannot-tell")],
)
def test_the_verdict_is_by_margin_at_each_count_and_for_the_whole(effect: float, verdict: str) -> None:
    found = compare(run((0.0, effect)), "threads", margin=0.02)
    assert [row.workers for row in found.rows] == [1, 2, None]
    assert {row.verdict for row in found.rows} == {verdict}
    assert only(found, None).ratio.estimate == pytest.approx(1 + effect, abs=0.005)
    assert found.settled == (verdict != "cannot-tell")


def test_what_the_pool_drew_cancels() -> None:
    """Times are 1.7 apart from launch to launch, the ratio is not."""
    lottery = Machine("lottery", noise=0.005, slow=1.7, odds=0.5)
    row = only(compare(run((0.0, 0.1), lottery), "threads"), 2)
    assert row.time is not None
    assert row.time.width_relative > 0.2
    assert row.ratio.width_relative < 0.03
    assert row.verdict == "slower"


def test_too_little_to_tell_says_what_it_would_take() -> None:
    noisy = only(compare(run((0.0, 0.05), Machine("noisy", noise=0.06), launches=6), "threads"), 2)
    assert noisy.verdict == "cannot-tell"
    assert noisy.needed is not None
    assert noisy.needed > 0


def test_one_launch_cannot_tell_anything() -> None:
    row = only(compare(run((0.0, 0.5), launches=1), "threads"), 2)
    assert (row.verdict, row.needed, row.ratio.bounded) == ("cannot-tell", None, False)


def test_a_twin_is_the_control_and_no_treatment() -> None:
    found = compare(run((0.0, 0.1, 0.0)), "threads", twin=2)
    assert {row.treatment for row in found.rows} == {1}
    assert found.control.ratio is not None
    assert found.control.ratio.estimate == pytest.approx(1, abs=0.005)
    assert found.control.verdict == "same"


def test_without_a_twin_the_references_own_reps_are_the_control() -> None:
    found = compare(run((0.0, 0.1)), "threads")
    assert found.control.ratio is not None
    assert not found.control.ratio.excludes(1.0)


def test_a_failed_control_makes_every_claim_suspect() -> None:
    """The twin comes out 10 % slower than itself: whatever the treatment shows may be the same artefact."""
    found = compare(run((0.0, 0.1, 0.1)), "threads", twin=2)
    assert found.control.failed
    assert {row.verdict for row in found.rows} == {"suspect"}
    assert not found.settled
    assert {row.verdict for row in compare(run((0.0, 0.0, 0.1)), "threads", twin=2).rows} == {"suspect"}


def test_a_bias_inside_the_margin_spoils_only_effects_of_its_size() -> None:
    biased = run((0.0, 0.2, 0.015), launches=40, reps=8)
    assert compare(biased, "threads", twin=2).control.biased
    assert only(compare(biased, "threads", twin=2), 2).verdict == "slower"
    alike = run((0.0, 0.015, 0.015), launches=40, reps=8)
    assert only(compare(alike, "threads", twin=2, margin=0.001), 2).verdict == "suspect"


def test_more_treatments_widen_the_intervals() -> None:
    """All against the first: the error rate is that of the family."""
    two = run((0.0, 0.0))
    family = run((0.0, 0.0, 0.0, 0.0, 0.0))
    alone = family.where(np.isin(family.treatment, [0, 1]))
    assert (
        only(compare(family, "threads"), 2).ratio.width_relative
        > only(compare(alone, "threads"), 2).ratio.width_relative
    )
    assert len(compare(two, "threads").rows) == 3
    assert len(compare(family, "threads").rows) == 12


def test_native_control_reps_are_not_compared() -> None:
    reps = run((0.0, 0.1))
    reps.treatment[reps.treatment == 1] = CONTROL
    assert compare(reps, "threads").rows == ()


def test_it_stops_only_at_looks_and_with_every_verdict() -> None:
    found = compare(run((0.0, 0.1)), "threads")
    assert found.decide(10).reason == "decided"
    assert not found.decide(11).stop
    assert not found.decide(4).stop
    unsettled = compare(run((0.0, 0.02)), "threads")
    assert not unsettled.decide(10).stop
    assert unsettled.decide(10, affordable=False).reason == "budget"


def test_treatments_in_processes_of_their_own_are_paired_by_launch_and_block() -> None:
    """Adjacent processes carry one launch number; the order of the reps shows which came first."""
    rng = np.random.default_rng(2)
    order = np.repeat([0, 1], 4)[None, None, None, None] * np.ones((1, 12, 1, 1, 8), np.int64)
    order[:, ::2] = 1 - order[:, ::2]
    log = QUIET.log_times(rng, order, [2], np.array([[0.0], [math.log(1.1)]]))
    found = compare(reps_of(log[0], order[0], (2,)), "threads")
    assert only(found, 2).verdict == "slower"
    assert found.position.follows == "treatment"


@pytest.mark.parametrize(
    ("effect", "second", "answer"), [(0.1, 0.0, "treatment"), (0.0, 0.1, "position"), (0.1, 0.1, "both")]
)
def test_an_effect_follows_the_treatment_or_its_position(effect: float, second: float, answer: str) -> None:
    """Whatever runs second in its pair is slowed: the treatment's own effect comes out beside it."""
    reps = run((0.0, effect), launches=20)
    late = reps.position % 2 == 1
    slowed = np.where(late, 1 + second, 1.0)
    reps.time[:] = reps.time * slowed
    found = compare(reps, "threads").position
    assert found.follows == answer
    assert found.second is not None
    assert found.second.estimate == pytest.approx(1 + second, abs=0.01)
    assert found.treatment is not None
    assert found.treatment.estimate == pytest.approx(1 + effect, abs=0.01)
