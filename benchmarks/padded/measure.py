"""Sides measured beside each other: every round runs each of them once, in an order drawn afresh."""

from __future__ import annotations

import os
import random
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Loop = Callable[[int], object]
"""Does its work n times."""


@dataclass(frozen=True)
class Side:
    """Something to measure: makes a loop for each thread, called in the main thread before the threads start.

    Where it ``begins``, what it makes is called in its thread first and returns the loop: for handles of the thread.
    """

    name: str
    make: Callable[[int], Sequence[Loop]]
    begins: bool = False


def pin(index: int) -> None:
    """Each thread on a core of its own, as far as there are cores."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(allowed)
        os.sched_setaffinity(0, {cores[index % len(cores)]})


allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))


def once(side: Side, threads: int, n: int) -> float:
    """Seconds from the first thread's start to the last one's end."""
    loops = side.make(threads)
    meet = threading.Barrier(threads)
    begins, ends = [0.0] * threads, [0.0] * threads
    errors: list[BaseException] = []

    def work(index: int) -> None:
        try:
            pin(index)
            loop = loops[index]
            if side.begins:
                loop = loop(0)  # type: ignore[assignment]
            loop(100)
            meet.wait()
            begins[index] = time.perf_counter()
            loop(n)
            ends[index] = time.perf_counter()
        except BaseException as error:
            errors.append(error)
            meet.abort()

    workers = [threading.Thread(target=work, args=(index,)) for index in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if errors:
        raise RuntimeError(f"{side.name} failed") from errors[0]
    return max(ends) - min(begins)


def nanoseconds(sides: Sequence[Side], threads: int, n: int, rounds: int) -> dict[str, list[float]]:
    """Nanoseconds per iteration (of one thread) in each round, by side."""
    return by_threads(sides, (threads,), n, rounds)[threads]


def by_threads(
    sides: Sequence[Side], counts: Sequence[int], n: int, rounds: int
) -> dict[int, dict[str, list[float]]]:
    """The same by number of threads: every round runs each side with each number."""
    found: dict[int, dict[str, list[float]]] = {
        threads: {side.name: [] for side in sides} for threads in counts
    }
    for _ in range(rounds):
        for threads in random.sample(counts, len(counts)):
            for side in random.sample(sides, len(sides)):
                found[threads][side.name].append(once(side, threads, n) / n * 1e9)
    return found


@dataclass(frozen=True)
class Ratio:
    """One side's time over another's: the median over the rounds, and the quartiles."""

    low: float
    median: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.low:.2f} to {self.high:.2f})"


def ratio(over: Sequence[float], under: Sequence[float]) -> Ratio:
    """Round by round, since a round's sides stand beside each other in time."""
    each = sorted(a / b for a, b in zip(over, under, strict=True))
    low, _, high = statistics.quantiles(each, n=4)
    return Ratio(low, statistics.median(each), high)


def loop_of(statement: str, **names: object) -> Loop:
    """``for n times: statement``, with the names as local variables, as a busy loop of a user has them."""
    source = (
        f"def outer(repeat, {', '.join(names)}):\n"
        f"    def loop(n{''.join(f', {name}={name}' for name in names)}):\n"
        f"        for _ in repeat(None, n):\n"
        f"            {statement}\n"
        f"    return loop\n"
    )
    from itertools import repeat

    space: dict[str, Callable[..., Loop]] = {}
    exec(source, space)
    return space["outer"](repeat, *names.values())
