"""Rounds: every cell in each, in fresh orders, within the time."""

from __future__ import annotations

import random

from knee.machine.probes.rounds import measure


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_each_round_holds_every_cell_once_and_orders_differ() -> None:
    order: list[str] = []

    def once(cell: str) -> float:
        order.append(cell)
        return 1.0

    measure("abcd", once, rounds=10, seconds=1, draw=random.Random(1), clock=Clock())
    rounds = [order[at : at + 4] for at in range(0, 40, 4)]
    assert all(sorted(cells) == list("abcd") for cells in rounds)
    assert len({tuple(cells) for cells in rounds}) > 5


def test_a_cell_whose_values_are_rejected_is_measured_again() -> None:
    tries = {"a": 0, "b": 0}

    def once(cell: str) -> float | None:
        tries[cell] += 1
        return None if cell == "a" and tries[cell] % 2 else 1.0

    found = measure("ab", once, rounds=5, seconds=1, draw=random.Random(1), clock=Clock())
    assert tries == {"a": 10, "b": 5}
    assert found.rejected == {"a": 5, "b": 0}
    assert {cell: len(values) for cell, values in found.values.items()} == {"a": 5, "b": 5}


def test_time_ends_the_rounds_but_not_before_each_cell_was_measured() -> None:
    clock = Clock()

    def once(_: int) -> float:
        clock.now += 1
        return 1.0

    found = measure(range(4), once, rounds=100, seconds=2, draw=random.Random(1), clock=clock)
    assert {len(values) for values in found.values.values()} == {1}
    found = measure(range(4), once, rounds=100, seconds=9.5, draw=random.Random(1), clock=clock)
    assert sum(map(len, found.values.values())) == 10


def test_a_kernel_that_fails_leaves_its_reason() -> None:
    clock = Clock()

    def once(cell: int) -> float:
        clock.now += 0.1
        if cell == 1:
            raise OSError(1, "Operation not permitted")
        return 2.0

    shares: list[float] = []
    found = measure(
        [0, 1], once, rounds=3, seconds=1, draw=random.Random(1), clock=clock, progress=shares.append
    )
    assert found.values == {0: [2.0] * 3, 1: []}
    assert found.reasons == {1: "Operation not permitted"}
    assert shares[-1] == 1.0
    assert all(0 <= share <= 1 for share in shares)


def test_rounds_add_to_an_earlier_result() -> None:
    found = measure([0], lambda _: 1.0, rounds=2, seconds=1, draw=random.Random(1), clock=Clock())
    measure([0], lambda _: 2.0, rounds=3, seconds=1, draw=random.Random(1), clock=Clock(), found=found)
    assert found.values == {0: [1.0, 1.0, 2.0]}
