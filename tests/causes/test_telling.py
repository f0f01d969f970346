"""What a report says beside its causes."""

from __future__ import annotations

import pytest

from knee.causes.telling import slowed


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
