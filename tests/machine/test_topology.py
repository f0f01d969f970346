"""Classes of core out of capacities."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from knee.machine.topology import classify


@given(st.dictionaries(st.integers(0, 200), st.floats(1, 2000), min_size=1))
def test_every_cpu_has_a_class_and_faster_cpus_never_a_slower_one(capacities: dict[int, float]) -> None:
    classes, kinds = classify(capacities)
    assert set(kinds) == set(capacities)
    assert classes[0].fast
    assert [kind.capacity for kind in classes] == sorted(
        (kind.capacity or 0 for kind in classes), reverse=True
    )
    order = sorted(capacities, key=lambda number: -capacities[number])
    assert [kinds[number] for number in order] == sorted(kinds[number] for number in order)


def test_a_prime_core_does_not_make_the_big_ones_slow() -> None:
    """One core at 1024, three at 800, four at 300: four are fast."""
    classes, kinds = classify({0: 1024, **dict.fromkeys((1, 2, 3), 800), **dict.fromkeys((4, 5, 6, 7), 300)})
    assert sum(classes[kind].fast for kind in kinds.values()) == 4


def test_turbo_bins_are_one_class() -> None:
    assert len(classify({0: 5.8, 1: 5.5, 2: 5.5})[0]) == 1
