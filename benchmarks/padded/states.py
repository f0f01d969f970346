"""A small Python object for each worker, made one after the other: as they come, and on lines of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from knee.padded import padded_states

from .counters import median
from .measure import Loop, Side, loop_of, nanoseconds, ratio


class State:
    """What a worker counts in."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


def as_they_come(threads: int) -> list[State]:
    """The last of many: the first fill holes in the heap, wherever these are."""
    return [State() for _ in range(500)][-threads:]


def own(name: str, make: Callable[[int], list[State]]) -> Side:
    def loops(threads: int) -> list[Loop]:
        return [loop_of("it.count = (it.count + 1) & 127", it=state) for state in make(threads)]

    return Side(name, loops)


def report(threads: int, rounds: int) -> list[str]:
    sides = [own("as they come", as_they_come), own("padded_states", partial(padded_states, State))]
    n = 400_000
    alone = nanoseconds(sides, 1, n, rounds)
    together = nanoseconds(sides, threads, n, rounds)
    lines = [
        f"{'ns an update of the own state, median':44}{'1 thread':>10}{f'{threads} threads':>12}  slower by"
    ]
    for side in sides:
        both = ratio(together[side.name], alone[side.name])
        lines.append(
            f"{side.name:44}{median(alone[side.name]):10.1f}{median(together[side.name]):12.1f}  {both}"
        )
    over = ratio(together["as they come"], together["padded_states"])
    return [*lines, f"as they come over padded, {threads} threads: {over}"]
