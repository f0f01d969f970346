"""Shares of a loss."""

from __future__ import annotations

import math

import numpy as np
import pytest

from knee.stats.attribution import ArmLaunches, attribute

RNG = np.random.default_rng(4)


def launches(efficiency: float, number: int = 8, noise: float = 0.02) -> np.ndarray:
    return math.log(efficiency) + noise * RNG.normal(size=number)


def test_an_arm_that_reaches_the_ceiling_gives_back_the_whole_loss() -> None:
    found = attribute(launches(0.5), [ArmLaunches("all", launches(0.96), launches(0.5))], launches(0.96))
    (share,) = found.shares
    assert found.lost
    assert found.loss.estimate == pytest.approx(1 - 0.5 / 0.96, abs=0.03)
    assert share.share is not None
    assert share.control_share is not None
    assert share.share.estimate == pytest.approx(1, abs=0.05)
    assert not share.control_share.excludes(0)
    assert share.found


def test_a_share_is_measured_in_time() -> None:
    """From 2 to 1.5 on the way to 1 is half of the loss, though efficiency rose by a third only."""
    (share,) = attribute(launches(0.5), [ArmLaunches("half", launches(2 / 3))]).shares
    assert share.share is not None
    assert share.share.estimate == pytest.approx(0.5, abs=0.05)


def test_an_arm_whose_control_does_the_same_is_not_found() -> None:
    found = attribute(launches(0.5), [ArmLaunches("shuffled", launches(0.9), launches(0.9))])
    assert not found.shares[0].found


def test_nothing_lost_nothing_shared() -> None:
    found = attribute(launches(0.97), [ArmLaunches("any", launches(0.98))], launches(0.97))
    assert not found.lost
    assert found.shares[0].share is None
    assert not found.shares[0].found


def test_an_arm_that_hurts_has_a_negative_share() -> None:
    (share,) = attribute(launches(0.5), [ArmLaunches("worse", launches(0.4))]).shares
    assert share.share is not None
    assert share.share.high < 0
    assert not share.found


def test_many_arms_raise_the_bar() -> None:
    """Benjamini-Hochberg: the same p is worth less among more arms."""
    base, one = launches(0.5), ArmLaunches("one", launches(0.53))
    alone = attribute(base, [one]).shares[0]
    among = attribute(base, [one, *(ArmLaunches(str(i), launches(0.5)) for i in range(9))]).shares[0]
    assert alone.p == among.p
    assert among.q > alone.q


def test_one_launch_is_no_evidence() -> None:
    (share,) = attribute(launches(0.5), [ArmLaunches("single", launches(0.9, number=1))]).shares
    assert share.share is not None
    assert not share.share.bounded
    assert not share.found
    assert not attribute(launches(0.5, number=1), []).lost


def test_no_arms_no_shares() -> None:
    assert attribute(launches(0.5), []).shares == ()
