"""Allocations by number of threads and arenas, and ten million blocks freed by another thread than their own."""

from __future__ import annotations

import queue
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knee.padded import Arenas

from .measure import Side, once

THREADS = (1, 2, 3, 4, 6, 8, 12, 16)
ARENAS = (1, 2, 4, 8, 16)
BATCH = 64
SIZE = 30_000  # an image of 100 by 100 pixels


@dataclass(frozen=True)
class Cell:
    """What a number of threads did with a number of arenas."""

    threads: int
    arenas: int
    rate: float  # blocks a second, all threads
    contended: float  # waits in a thousand uses of an arena


def batches(arenas: Arenas) -> Any:
    """Allocates a batch of blocks, then lets go of all, n times."""

    def loop(n: int) -> None:
        allocate = arenas.local().allocate
        size = int(str(SIZE))  # the thread's own number: references to a shared one would be what is measured
        for _ in range(n):
            blocks = [allocate(size) for _ in range(BATCH)]
            blocks.clear()

    return loop


def cell(threads: int, count: int, blocks: int) -> Cell:
    arenas = Arenas(count)
    n = max(1, blocks // BATCH // threads)
    seconds = once(Side("arenas", lambda _: [batches(arenas) for _ in range(threads)]), threads, n)
    stats = arenas.stats()
    uses = sum(one.taken + one.given for one in stats)
    return Cell(
        threads,
        count,
        n * BATCH * threads / seconds,
        1000 * sum(one.contended for one in stats) / max(1, uses),
    )


def grid(rounds: int, blocks: int = 200_000) -> list[Cell]:
    """The median of the rounds by rate, for each cell."""
    found: dict[tuple[int, int], list[Cell]] = {}
    for _ in range(rounds):
        for threads in THREADS:
            for count in ARENAS:
                found.setdefault((threads, count), []).append(cell(threads, count, blocks))
    return [
        Cell(
            *key,
            sorted(one.rate for one in cells)[len(cells) // 2],
            sorted(one.contended for one in cells)[len(cells) // 2],
        )
        for key, cells in found.items()
    ]


def table(cells: list[Cell]) -> list[str]:
    lines = []
    for title, value in (
        ("million blocks a second", lambda one: one.rate / 1e6),
        ("contended waits in a thousand uses", lambda one: one.contended),
    ):
        lines.append(f"{title:36}" + "".join(f"{f'{count} arenas':>12}" for count in ARENAS))
        for threads in THREADS:
            row = [
                value(one)
                for count in ARENAS
                for one in cells
                if (one.threads, one.arenas) == (threads, count)
            ]
            lines.append(f"{f'{threads} threads':36}" + "".join(f"{each:12.3f}" for each in row))
    return lines


def plot(cells: list[Cell], target: Path) -> str:
    try:
        import matplotlib
    except ImportError:
        return "no plot: matplotlib is not installed"
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (rates, waits) = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    for count in ARENAS:
        chosen = [one for one in cells if one.arenas == count]
        at = [one.threads for one in chosen]
        rates.plot(at, [one.rate / 1e6 for one in chosen], marker="o", label=f"{count}")
        waits.plot(at, [one.contended for one in chosen], marker="o", label=f"{count}")
    rates.set(xlabel="threads", ylabel="million blocks a second", ylim=(0, None))
    waits.set(xlabel="threads", ylabel="contended waits in a thousand uses", ylim=(0, None))
    rates.legend(title="arenas")
    figure.suptitle(f"Blocks of {SIZE} bytes, CPython {sys.version.split()[0]}")
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target, dpi=120)
    return f"plot: {target}"


def crossing(frees: int, pairs: int) -> list[str]:
    """In each pair one thread allocates and the other frees; afterwards every arena must have its own blocks back."""
    arenas = Arenas(2 * pairs)
    each = frees // pairs
    dealt: list[int] = [0] * (2 * pairs)
    ready = threading.Barrier(2 * pairs)
    boxes: list[queue.Queue[Any]] = [queue.Queue(8) for _ in range(pairs)]
    batch = 1000

    def give(pair: int) -> None:
        dealt[pair] = arenas.mine
        ready.wait()
        allocate = arenas.local().allocate
        for _ in range(each // batch):
            boxes[pair].put([allocate(256) for _ in range(batch)])

    def free(pair: int) -> None:
        dealt[pairs + pair] = arenas.mine
        ready.wait()
        for _ in range(each // batch):
            for block in boxes[pair].get():
                block.release()

    threads = [threading.Thread(target=work, args=(pair,)) for work in (give, free) for pair in range(pairs)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - begin

    stats = arenas.stats()
    done = each // batch * batch
    for pair in range(pairs):
        home, other = stats[dealt[pair]], stats[dealt[pairs + pair]]
        right = (home.taken, home.given, home.foreign, other.given) == (done, done, done, 0)
        if (
            not right
            or home.kept != home.misses
            or arenas.system_bytes != sum(one.kept_bytes for one in stats)
        ):
            raise SystemExit(f"memory did not return to its arena: {stats}")
    return [
        f"{done * pairs:,} blocks freed by another thread in {seconds:.1f} s: each came back to its own arena"
    ]


def report(rounds: int, target: Path, frees: int) -> list[str]:
    cells = grid(rounds)
    return [*table(cells), plot(cells, target), "", *crossing(frees, 1)]
