"""What a report says beside its causes."""

from __future__ import annotations

import pytest

from knee.causes.telling import settled, slowed
from knee.stats.interval import Interval


@pytest.mark.parametrize(
    ("speeds", "says"),
    [
        ([], ""),
        ([2.0, 2.1, 2.05, 2.2], ""),
        ([2.0, 2.1, 2.0, 2.0, 3.6], ""),
        ([2.0, 4.0, 4.0, 2.1], "In 2 of 4 launches a core ran at 50% of the best speed"),
    ],
)
def test_launches_on_slow_cores_are_told_where_they_are_many(speeds: list[float], says: str) -> None:
    assert slowed(speeds).startswith(says)
    assert bool(slowed(speeds)) is bool(says)


@pytest.mark.parametrize(
    ("estimate", "quiet", "slow"), [(0.02, True, True), (0.09, True, False), (0.2, False, False)]
)
def test_on_slow_cores_a_loss_must_be_smaller_to_be_called_none(
    estimate: float, quiet: bool, slow: bool
) -> None:
    loss = Interval(estimate - 0.1, estimate, estimate + 0.1)
    assert settled(loss, slow=False) is quiet
    assert settled(loss, slow=True) is slow
