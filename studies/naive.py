"""The benchmark that nearly everybody writes, and the winner that it finds between two names for the same work.

    python studies/naive.py [--tries 20] [--quiet-neighbour] [--reps 15] [--workers 1,2]

Re-enacts the story of a harness that was careful and wrong: 15 reps a cell, medians, a small spread inside every
cell, and a false finding, for each treatment ran its whole ladder in a pool of its own. Here ``a`` and ``b`` are
the same function. A try sweeps one and then the other, while a neighbour comes and goes on one CPU, and claims a
winner where the medians at the top of the ladder differ by more than 5 % and the quartiles do not overlap.

Run it with a free-threaded Python (``scripts/freethreaded`` prints one). The last line says in how many tries a winner
was claimed; ``knee compare`` on the same two names stands beside it in the README here.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

from neighbour import neighbour

MARGIN = 0.05


def work() -> int:
    """Some pure Python that shares nothing."""
    total = 0
    for i in range(300_000):
        total += i & 7
    return total


a = work
b = work


def sweep(operation: Callable[[], object], ladder: list[int], reps: int) -> dict[int, list[float]]:
    """Run one treatment's whole ladder, each worker count in a pool of its own; seconds per rep."""
    cells = {}
    for workers in ladder:
        barrier = threading.Barrier(workers)

        def rep(barrier: threading.Barrier = barrier) -> tuple[float, float]:
            barrier.wait()
            start = time.perf_counter()
            operation()
            return start, time.perf_counter()

        with ThreadPoolExecutor(workers) as pool:
            times = []
            for _ in range(reps + 1):
                spans = [future.result() for future in [pool.submit(rep) for _ in range(workers)]]
                times.append(max(end for _, end in spans) - min(start for start, _ in spans))
        cells[workers] = times[1:]  # the first warms up
    return cells


def claim(first: list[float], second: list[float]) -> str | None:
    """Return the winner that a careful reader of medians and quartiles would announce, if any."""
    low_1, median_1, high_1 = statistics.quantiles(first, n=4)
    low_2, median_2, high_2 = statistics.quantiles(second, n=4)
    if median_1 * (1 + MARGIN) < median_2 and high_1 < low_2:
        return "a"
    if median_2 * (1 + MARGIN) < median_1 and high_2 < low_1:
        return "b"
    return None


def median(times: list[float]) -> str:
    return f"{statistics.median(times) * 1e3:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--reps", type=int, default=15)
    parser.add_argument("--workers", default="1,2", help="the ladder")
    parser.add_argument("--cpu", type=int, default=1, help="the CPU on which the neighbour computes")
    parser.add_argument("--on", type=float, default=1.5, help="mean seconds for which it computes")
    parser.add_argument("--off", type=float, default=1.5, help="mean seconds for which it sleeps")
    parser.add_argument(
        "--quiet-neighbour", action="store_true", help="no neighbour: what the machine does alone"
    )
    options = parser.parse_args()
    ladder = [int(count) for count in options.workers.split(",")]
    claims = 0
    for number in range(options.tries):
        around = (
            nullcontext()
            if options.quiet_neighbour
            else neighbour(options.cpu, options.on, options.off, number)
        )
        with around:
            time.sleep(0.2)  # for the neighbour to arrive
            first, second = (sweep(operation, ladder, options.reps) for operation in (a, b))
        winner = claim(first[ladder[-1]], second[ladder[-1]])
        claims += winner is not None
        cells = "  ".join(
            f"{workers}: {median(first[workers])} / {median(second[workers])} ms" for workers in ladder
        )
        print(f"try {number + 1:2}: {cells}  {f'winner: {winner}' if winner else 'no winner'}", flush=True)
    print(f"a and b are one function; a winner was claimed in {claims} of {options.tries} tries")


if __name__ == "__main__":
    sys.exit(main())
