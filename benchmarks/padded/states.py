"""A small Python object for each worker: neighbours that share a line, and each on lines of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

from knee.padded import padded_states

from .counters import median
from .measure import Loop, Side, loop_of, nanoseconds, ratio


class State:
    """What a worker counts in."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


def neighbours(threads: int) -> list[State]:
    """Made one after the other, and so that each ends on the line of 64 bytes on which the next begins.

    Not all neighbours do: of objects 48 bytes apart one in four does not. Which ones a program gets is chance.
    """
    states = [State() for _ in range(1000)]
    size = State.__basicsize__
    for first in range(len(states) - threads, -1, -1):
        row = states[first : first + threads]
        if all((id(a) + size - 1) // 64 == id(b) // 64 for a, b in pairwise(row)):
            return row
    return states[-threads:]


def own(name: str, make: Callable[[int], list[State]]) -> Side:
    def loops(threads: int) -> list[Loop]:
        return [loop_of("it.count = (it.count + 1) & 127", it=state) for state in make(threads)]

    return Side(name, loops)


def report(threads: int, rounds: int) -> list[str]:
    sides = [own("neighbours on one line", neighbours), own("padded_states", partial(padded_states, State))]
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
    over = ratio(together["neighbours on one line"], together["padded_states"])
    return [*lines, f"neighbours over padded, {threads} threads: {over}"]
