"""The estimator of comparisons on every simulated machine, 2,000 comparisons each."""

from __future__ import annotations

import numpy as np
import pytest

from knee.stats.comparison import compare
from knee.stats.machines import MACHINES, Machine, palindromes, reps_of
from tests.quality import designs, tables

pytestmark = pytest.mark.quality

BY_NAME = {machine.name: machine for machine in MACHINES}
# Two standard errors of 2,000 comparisons beside the nominal 5 and 95 %.
NOISE = 0.01


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_the_rule_makes_no_false_claim_on_any_machine(machine: Machine) -> None:
    """Identical treatments: at most 5 % faster or slower; and a true effect is never turned around."""
    found = tables.verdicts(machine)
    print(machine.name, found)
    assert found["false"] <= 0.05
    assert found["wrong"] <= 0.001
    assert found["same 3"] <= 0.05


def test_three_percent_are_found_within_twenty_launches_on_a_homogeneous_machine() -> None:
    assert tables.verdicts(BY_NAME["homogeneous"])["found 3"] >= 0.90


def test_the_naive_design_claims_winners_on_the_placement_lottery() -> None:
    assert tables.verdicts(BY_NAME["placement lottery"])["naive"] > 0.30


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_the_chosen_estimator_keeps_its_level_and_no_candidate_that_does_finds_more(machine: Machine) -> None:
    """Level and coverage by themselves, without margin; power against every other candidate that keeps the level."""
    found = tables.estimators(machine)
    false, covered, power = found["weighted midmeans"]
    print(machine.name, found)
    assert false <= 0.05 + NOISE
    assert covered >= 0.95 - NOISE
    rivals = [p for name, (f, c, p) in found.items() if f <= 0.05 + NOISE and c >= 0.95 - NOISE]
    # Where nothing can be gained from robustness, it costs under 5 points.
    assert power >= max(rivals) - 0.05


def test_the_simulated_estimator_is_the_real_one() -> None:
    """The vectorised interval equals that of ``compare`` on the same reps."""
    machine = BY_NAME["neighbour"]
    for seed in range(5):
        a, b = designs.blocked(machine, designs.EFFECT, 10, seed, runs=1)
        rng = np.random.default_rng(seed)
        order = palindromes(rng, (1, 10, designs.BLOCKS, 1), 2, designs.PAIRS)
        log = machine.log_times(rng, order, [2], np.array([[0.0], [np.log1p(designs.EFFECT)]]))
        (row,) = compare(reps_of(log[0], order[0], (2,)), "threads").rows
        outcome = designs.sequential(a, b)
        if outcome.launches[0] == 10:
            assert np.log([row.ratio.low, row.ratio.high]) == pytest.approx(
                [outcome.ends[0][0], outcome.ends[1][0]]
            )
        low, high = designs.weighted_midmeans(a, b, designs.look_confidence(0.95))
        assert np.log([row.ratio.low, row.ratio.high]) == pytest.approx([low[0], high[0]])


def test_a_family_of_treatments_keeps_its_error_rate_and_the_control_stays_quiet() -> None:
    """Three identical treatments, a twin, a ladder of two counts: some row claims something in at most 5 %."""
    rng = np.random.default_rng(tables.SEED)
    runs, claims, failed, biased = 400, 0, 0, 0
    order = palindromes(rng, (runs, 10, 1, 2), 4, 4)
    log = BY_NAME["placement lottery"].log_times(rng, order, (1, 2), np.zeros((4, 2)))
    for run in range(runs):
        # Without a margin every difference would be claimed: the strictest case.
        found = compare(reps_of(log[run], order[run], (1, 2)), "threads", twin=3, margin=1e-9)
        claims += any(row.verdict in ("faster", "slower") for row in found.rows)
        failed += found.control.failed
        biased += found.control.biased
    print(f"any claim {claims / runs:.1%}, control failed {failed / runs:.1%}, biased {biased / runs:.1%}")
    assert claims / runs <= 0.05
    assert failed / runs <= 0.05
