"""How far apart workers start: Knee's native barrier against threading.Barrier.

    .venv/bin/python benchmarks/release.py [--python 3.13t]

Both release Python threads of the target interpreter; a start is the thread's own first look at the clock
afterwards. Workers come to the barrier up to 0.1 ms apart (all still spin), or up to 5 ms apart (most have gone
to sleep). Spread is the last start minus the first, in one round. Prints medians over rounds and their ratio; exits
1 when the ratio at 2 workers is below 20. Wants an idle machine: the share of CPU time that others took meanwhile is
printed, and above a twentieth there is no verdict (exit 3).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import knee.native

LAUNCHES = 5
WORKERS = (2, 8)
APART = {"0.1 ms": (1e-4, 200), "5 ms": (5e-3, 60)}
"""How far apart workers come: seconds, and rounds in each launch."""
PROMISED = 20
FOREIGN = 0.05


def spreads(workers: int, apart: float, rounds: int, wait: Callable[[int], Any]) -> list[int]:
    """Return the spread of starts in ns of each round; ``wait(index)`` is one worker's wait."""
    starts = [[0] * workers for _ in range(rounds)]

    def work(index: int) -> None:
        delays = random.Random(index)
        for row in starts:
            until = time.perf_counter() + delays.uniform(0, apart)
            if apart > 1e-3:
                time.sleep(max(until - time.perf_counter(), 0))
            while time.perf_counter() < until:
                pass
            wait(index)
            row[index] = time.perf_counter_ns()

    threads = [threading.Thread(target=work, args=(index,)) for index in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [max(row) - min(row) for row in starts]


def busy_seconds() -> float:
    """Return the CPU time that all processes of the machine have used since it started."""
    user, nice, system = map(int, Path("/proc/stat").read_text().split()[1:4])
    return (user + nice + system) / os.sysconf("SC_CLK_TCK")


def launch(library: str) -> list[dict[str, Any]]:
    """Measure every case once, in this process, the two barriers in drawn order."""
    native = knee.native.load(library)
    results = []
    for workers in WORKERS:
        for label, (apart, rounds) in APART.items():
            plain, ours = threading.Barrier(workers), native.barrier(workers)
            brackets = [native.bracket(ours) for _ in range(workers)]
            waits: list[tuple[str, Callable[[int], Any]]] = [
                ("threading", lambda _, plain=plain: plain.wait()),  # type: ignore[misc]
                ("native", lambda index, brackets=brackets: brackets[index].begin()),  # type: ignore[misc]
            ]
            random.shuffle(waits)
            case = {name: statistics.median(spreads(workers, apart, rounds, wait)) for name, wait in waits}
            results.append({"workers": workers, "apart": label, **case})
    return results


def main() -> int:
    """Launch the target interpreter a few times and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default="3.13t", help="the interpreter whose threads are released")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        print(json.dumps(launch(arguments.inside)))
        return 0

    from knee.launch import interpreter

    python = interpreter.find(arguments.python)
    library = knee.native.load().path
    start, busy, own = time.perf_counter(), busy_seconds(), os.times()
    launches = [
        json.loads(subprocess.check_output([python.path, __file__, "--inside", library]))
        for _ in range(LAUNCHES)
    ]
    used = os.times()
    mine = sum(used[:4]) - sum(own[:4])
    capacity = (time.perf_counter() - start) * (os.cpu_count() or 1)
    others = max(busy_seconds() - busy - mine, 0) / capacity
    print(f"Spread of starts, {python.label}, median of {LAUNCHES} launches (least to most)")
    print(f"{'workers':>7}  {'they come':>15}  {'threading.Barrier':>26}  {'native':>26}  {'tighter':>8}")
    kept = True
    for cases in zip(*launches, strict=True):
        first = cases[0]
        texts = []
        for name in ("threading", "native"):
            values = sorted(case[name] / 1000 for case in cases)
            texts.append(f"{statistics.median(values):.2f} µs ({values[0]:.2f} to {values[-1]:.2f})")
        ratio = statistics.median(case["threading"] / max(case["native"], 1) for case in cases)
        kept = kept and (first["workers"] != 2 or ratio >= PROMISED)
        print(
            f"{first['workers']:>7}  {'within ' + first['apart']:>15}  {texts[0]:>26}  {texts[1]:>26}  {ratio:>7.0f}x"
        )
    print(f"Other processes took {others:.1%} of the machine meanwhile.")
    if others > FOREIGN:
        print(f"Promised: {PROMISED}x at 2 workers on an idle machine. This one was not idle: no verdict.")
        return 3
    print(f"Promised: {PROMISED}x at 2 workers. {'Kept.' if kept else 'NOT KEPT.'}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
