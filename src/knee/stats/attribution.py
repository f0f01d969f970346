"""What each arm gives back of the loss, and whether that is more than chance and more than its control."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from knee.stats.interval import Interval, of_difference, satterthwaite
from knee.stats.reps import Floats


@dataclass(frozen=True)
class ArmLaunches:
    """The launches of one arm and of its control.

    Attributes:
        name: of the arm.
        efficiency: shape (launches,), log efficiency of each launch with the arm: log of n T1 / Tn within the
            arm.
        control: shape (launches,), the same with the arm's control; None for an arm that has none, which is
            then judged against the base program.
    """

    name: str
    efficiency: Floats
    control: Floats | None = None


@dataclass(frozen=True)
class Share:
    """What one arm gives back.

    Attributes:
        share: of the loss, 0 to 1 (more, or less, by noise); None when nothing is lost.
        control_share: what the control gives back; None when there is none.
        p: of the two-sided Welch test of the arm against its control, on log efficiency.
        q: Benjamini-Hochberg adjusted over all arms given.
        found: the arm gives back more than its control, with the false discovery rate kept, and its share's
            interval excludes its control's share and 0.
    """

    name: str
    share: Interval | None
    control_share: Interval | None
    p: float
    q: float
    found: bool


@dataclass(frozen=True)
class Attribution:
    """The loss and its shares.

    Attributes:
        loss: the share of the time of the base program that would go if it reached the ceiling.
        lost: whether that is more than ``least``, and more than chance.
        shares: one for each arm given, in the same order.
    """

    loss: Interval
    lost: bool
    shares: tuple[Share, ...]


def attribute(
    base: ArrayLike,
    arms: Sequence[ArmLaunches],
    ceiling: ArrayLike = 0.0,
    *,
    confidence: float = 0.95,
    discovery: float = 0.05,
    least: float = 0.05,
) -> Attribution:
    """Divide the loss among arms.

    Time per unit of work relative to one worker is t = Tn / (n T1) = 1/efficiency; the share of an arm is
    (t_base - t_arm) / (t_base - t_ceiling). Arms overlap, so that shares need not add to one.

    Args:
        base: shape (launches,), log efficiency of the program as it is.
        ceiling: log efficiency of the control kernel, one per launch; one number for a known ceiling (0:
            ideal).
        discovery: false discovery rate over the arms (Benjamini and Hochberg 1995).
        least: a loss under this share of the time is not called one.
    """
    whole = _clean(base)
    top = float(np.asarray(ceiling)) if np.ndim(ceiling) == 0 else _clean(ceiling)
    loss = _loss(whole, top, confidence)
    lost = loss.low > 0 and loss.estimate > least
    tested = [
        _against(_clean(arm.efficiency), whole if arm.control is None else _clean(arm.control))
        for arm in arms
    ]
    adjusted = stats.false_discovery_control(tested) if tested else np.empty(0)
    shares = []
    for arm, p, q in zip(arms, tested, adjusted, strict=True):
        values = _clean(arm.efficiency)
        own = _share(whole, values, top, confidence) if lost else None
        other = (
            _share(whole, _clean(arm.control), top, confidence) if lost and arm.control is not None else None
        )
        reference = 0.0 if other is None else other.estimate
        found = own is not None and float(q) <= discovery and own.low > max(reference, 0.0)
        shares.append(Share(arm.name, own, other, float(p), float(q), found))
    return Attribution(loss, lost, tuple(shares))


def _clean(values: ArrayLike) -> Floats:
    data = np.atleast_1d(np.asarray(values, dtype=np.float64))
    return data[np.isfinite(data)]


def _against(values: Floats, reference: Floats) -> float:
    """Two-sided Welch test; 1 where there are too few launches for one."""
    if values.size < 2 or reference.size < 2:
        return 1.0
    p = float(stats.ttest_ind(values, reference, equal_var=False).pvalue)
    return p if math.isfinite(p) else 1.0


def _loss(base: Floats, ceiling: Floats | float, confidence: float) -> Interval:
    """1 - t_ceiling / t_base, from the difference of logs."""
    difference = of_difference(base, ceiling, confidence).exp()
    return Interval(1 - difference.high, 1 - difference.estimate, 1 - difference.low)


def _share(base: Floats, arm: Floats, ceiling: Floats | float, confidence: float) -> Interval:
    """Interval of (t_base - t_arm) / (t_base - t_ceiling): delta method, degrees of freedom by Satterthwaite."""
    sides = [np.exp(-np.atleast_1d(values)) for values in (base, arm, ceiling)]
    if any(side.size < 2 for side in (sides if np.ndim(ceiling) else sides[:2])):
        b, a, c = (float(side.mean()) if side.size else math.nan for side in sides)
        return Interval(-math.inf, (b - a) / (b - c), math.inf)
    b, a, c = (float(side.mean()) for side in sides)
    share = (b - a) / (b - c)
    slopes = ((a - c) / (b - c) ** 2, -1 / (b - c), (b - a) / (b - c) ** 2)
    parts = [
        (slope**2 * float(side.var(ddof=1)) / side.size, side.size - 1)
        for slope, side in zip(slopes, sides, strict=True)
        if side.size > 1
    ]
    variance = sum(part for part, _ in parts)
    if variance == 0:
        return Interval.exactly(share)
    half = satterthwaite(parts, confidence) * math.sqrt(variance)
    return Interval(share - half, share, share + half)
