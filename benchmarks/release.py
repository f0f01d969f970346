"""How far apart workers start: Knee's native barrier against threading.Barrier.

    .venv/bin/python benchmarks/release.py [--python 3.13t]

Both release Python threads of the target interpreter. Workers come to the barrier up to 0.1 ms apart (all still
spin), or up to 5 ms apart (most have gone to sleep). Spread is the last start minus the first, in one round. A start
is the thread's first look at the clock after its release: in Python for threading.Barrier; in the bracket, where a
rep's time begins, for the native one; and beside it, as "then Python", in Python too, after a sleep with cold caches.
Prints medians over rounds and their ratio; exits 1 when the ratio at 2 workers is below 20. Wants an idle machine:
the share of CPU time that others took meanwhile is printed, and above a twentieth there is no verdict (exit 3).
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


Wait = Callable[[int], Any]
"""One worker's wait; what it returns is its start in ns, or None."""


def spreads(workers: int, apart: float, rounds: int, wait: Wait) -> tuple[float, float]:
    """Return the median spread in ns of starts as ``wait`` tells them, and as Python sees them afterwards."""
    told = [[0] * workers for _ in range(rounds)]
    seen = [[0] * workers for _ in range(rounds)]

    def work(index: int) -> None:
        delays = random.Random(index)
        for round_told, round_seen in zip(told, seen, strict=True):
            until = time.perf_counter() + delays.uniform(0, apart)
            if apart > 1e-3:
                time.sleep(max(until - time.perf_counter(), 0))
            while time.perf_counter() < until:
                pass
            start = wait(index)
            now = time.perf_counter_ns()
            round_seen[index] = now
            round_told[index] = now if start is None else start

    threads = [threading.Thread(target=work, args=(index,)) for index in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    of_told, of_seen = (statistics.median(max(row) - min(row) for row in rows) for rows in (told, seen))
    return of_told, of_seen


def threading_wait(workers: int) -> Wait:
    """Wait at a ``threading.Barrier``."""
    barrier = threading.Barrier(workers)

    def wait(_: int) -> None:
        barrier.wait()

    return wait


def native_wait(native: knee.native.Native, workers: int) -> Wait:
    """Begin a bracket at the native barrier, and return where its clock started."""
    barrier = native.barrier(workers)
    brackets = [native.bracket(barrier) for _ in range(workers)]

    def wait(index: int) -> int:
        bracket = brackets[index]
        bracket.begin()
        return int(bracket.start.clock_ns)

    return wait


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
            case: dict[str, Any] = {"workers": workers, "apart": label}
            waits = {"threading": threading_wait(workers), "native": native_wait(native, workers)}
            for name in random.sample(sorted(waits), len(waits)):
                case[name], case[f"{name} seen"] = spreads(workers, apart, rounds, waits[name])
            results.append(case)
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
    print(
        f"{'workers':>7}  {'they come':>15}  {'threading.Barrier':>26}  {'native':>26}  {'tighter':>8}  then Python"
    )
    kept = True
    for cases in zip(*launches, strict=True):
        first = cases[0]
        texts = []
        for name in ("threading", "native"):
            values = sorted(case[name] / 1000 for case in cases)
            texts.append(f"{statistics.median(values):.2f} µs ({values[0]:.2f} to {values[-1]:.2f})")
        ratio = statistics.median(case["threading"] / max(case["native"], 1) for case in cases)
        later = statistics.median(case["native seen"] for case in cases) / 1000
        kept = kept and (first["workers"] != 2 or ratio >= PROMISED)
        print(
            f"{first['workers']:>7}  {'within ' + first['apart']:>15}  {texts[0]:>26}  {texts[1]:>26}  {ratio:>7.0f}x"
            f"  {later:>8.2f} µs"
        )
    print(f"Other processes took {others:.1%} of the machine meanwhile.")
    if others > FOREIGN:
        print(f"Promised: {PROMISED}x at 2 workers on an idle machine. This one was not idle: no verdict.")
        return 3
    print(f"Promised: {PROMISED}x at 2 workers. {'Kept.' if kept else 'NOT KEPT.'}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
