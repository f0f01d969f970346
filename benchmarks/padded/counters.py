"""One counter for all threads: the sharded one, as users would use it, against one atomic word and against peers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from knee.padded import AtomicInt64, Counter

from .measure import Side, by_threads, loop_of, ratio


def shared(name: str, make: Callable[[], Any], call: str) -> Side:
    """All threads call a method of one object."""

    def loops(threads: int) -> list[Any]:
        it = make()
        return [loop_of(call, it=it) for _ in range(threads)]

    return Side(name, loops)


def handled(name: str, make: Callable[[], Any], handle: Callable[[Any], Any], call: str) -> Side:
    """Each thread calls what it got from one object."""

    def loops(threads: int) -> list[Any]:
        it = make()
        return [lambda _: loop_of(call, it=handle(it)) for _ in range(threads)]

    return Side(name, loops, begins=True)


OURS = [
    shared("Counter: counter.add(1)", Counter, "it.add(1)"),
    shared("Counter(immortal=True): counter.add(1)", lambda: Counter(immortal=True), "it.add(1)"),
    shared("Counter(immortal=True): counter(1)", lambda: Counter(immortal=True), "it(1)"),
    handled("Counter: add = counter.local(); add(1)", Counter, Counter.local, "it(1)"),
    shared("AtomicInt64: word.add(1)", AtomicInt64, "it.add(1)"),
    shared("AtomicInt64(immortal=True): word.add(1)", lambda: AtomicInt64(immortal=True), "it.add(1)"),
]


def peers() -> tuple[list[Side], list[str]]:
    """The peers that are installed, and what is missing."""
    found, missing = [], []
    try:
        from ft_utils.concurrency import AtomicInt64 as FtUtils

        found.append(shared("ft_utils.AtomicInt64: word.incr()", lambda: FtUtils(0), "it.incr()"))
    except ImportError:
        missing.append("ft_utils is not installed")
    try:
        from cereggii import AtomicInt64 as Cereggii

        call = "it.increment_and_get()"
        found.append(
            shared(
                "cereggii.AtomicInt64: word.increment_and_get()",
                lambda: Cereggii(0),
                call,
            )
        )
        found.append(
            handled(
                "cereggii.AtomicInt64: word.get_handle().increment_and_get()",
                lambda: Cereggii(0),
                lambda word: word.get_handle(),
                call,
            )
        )
    except ImportError:
        missing.append("cereggii is not installed")
    return found, missing


EMPTY = Side("an empty loop", lambda threads: [loop_of("pass", it=None) for _ in range(threads)])

SHARED_CORE = 1.25
"""Virtual CPUs may share a core, for seconds or hours, and nothing in the machine says so. An empty loop does: where
its threads are slower together than alone by more than this, a round was not run on cores of their own. A contended
word is cheap then, for its line is in the cache of both."""


def report(threads: int, rounds: int) -> list[str]:
    others, lines = peers()
    sides = [*OURS, *others, EMPTY]
    found = by_threads(sides, (1, threads), 400_000, 3 * rounds)
    alone, together = found[1], found[threads]
    lines.append(f"{'ns an increment, median':62}{'1 thread':>10}{f'{threads} threads':>12}  slower by")
    for side in sides:
        both = ratio(together[side.name], alone[side.name])
        lines.append(
            f"{side.name:62}{median(alone[side.name]):10.1f}{median(together[side.name]):12.1f}  {both}"
        )
    if others:
        cores: dict[bool, list[int]] = {True: [], False: []}
        for index, (two, one) in enumerate(zip(together[EMPTY.name], alone[EMPTY.name], strict=True)):
            cores[two <= SHARED_CORE * one].append(index)
        for own, which in cores.items():
            if len(which) > 1:
                where = "on cores of their own" if own else "that shared cores"
                lines += ["", f"{len(which)} of {3 * rounds} rounds, with {threads} threads {where}"]
                lines += against(
                    others, {name: [values[i] for i in which] for name, values in together.items()}
                )
    return lines


def against(others: list[Side], together: dict[str, list[float]]) -> list[str]:
    best = min(others, key=lambda side: median(together[side.name]))
    lines = [f"best peer: {best.name}; its time over"]
    for side in OURS[:4]:
        lines.append(f"    {side.name:58}{ratio(together[best.name], together[side.name])}")
    return lines


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
