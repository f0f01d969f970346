"""Uncontended locks that malloc put side by side: what each kind loses, natively and through ctypes.

    python studies/locks.py [--workers 2] [--rounds 15] [--python 3.13t]

Re-enacts FreeBSD PR 272238: pthread rwlocks and spinlocks, each used by one thread only, lost most of their
speed because the heap had put them on common cache lines; the patch that rounded the allocations up to the line
gained 4.5 and 11.2 times on four CPUs. Here locks.c does the same with glibc, and
examples/planted/false_sharing_native_*.py do it from Python threads, under ``knee compare``.

Prints, for each kind, calls per second with one and with all workers, packed and aligned, as the median over
rounds whose order is drawn afresh, and how many times faster aligned is.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLANTED = HERE.parent / "examples" / "planted"
sys.path.insert(0, str(PLANTED))

import compiled  # noqa: E402

KINDS = ("rwlock", "spinlock")
PLACES = ("packed", "aligned")


def native(workers: int, rounds: int) -> None:
    """The C program: one line for each kind."""
    program = compiled.program((HERE / "locks.c").read_text(encoding="utf-8"))
    cells = [(kind, place, count) for kind in KINDS for place in PLACES for count in (1, workers)]
    seen: dict[tuple[str, str, int], list[float]] = {cell: [] for cell in cells}
    for _ in range(rounds):
        for kind, place, count in random.sample(cells, len(cells)):
            words = ["--threads", str(count), "--kind", kind, "--place", place]
            answer = subprocess.run([str(program), *words], check=True, capture_output=True, text=True)
            seen[kind, place, count].append(float(answer.stdout))
    print(f"C program, million calls per second, median of {rounds} rounds (lowest to highest)")
    print(f"{'':10}{'placed':10}{'1 worker':>24}{f'{workers} workers':>24}{'over 1':>8}")
    for kind in KINDS:
        for place in PLACES:
            one, many = seen[kind, place, 1], seen[kind, place, workers]
            ratio = statistics.median(many) / statistics.median(one)
            print(f"{kind:10}{place:10}{summary(one):>24}{summary(many):>24}{ratio:8.2f}")
        gains = [
            a / p for a, p in zip(seen[kind, "aligned", workers], seen[kind, "packed", workers], strict=True)
        ]
        gain = statistics.median(gains)
        print(f"{kind:10}aligned is {gain:.1f} times faster ({min(gains):.1f} to {max(gains):.1f})")


def from_python(workers: int, python: str) -> None:
    """The same through ctypes, under Knee: one line for each kind."""
    print(f"Through ctypes, knee compare --python {python}, time packed over aligned")
    for kind in KINDS:
        target = PLANTED / f"false_sharing_native_{kind}s.py"
        words = [f"{target}:fixed", f"{target}:operation", "--workers", f"1,{workers}", "--python", python]
        answer = subprocess.run(
            [sys.executable, "-m", "knee", "compare", *words, "--json", "-"],
            check=False,
            capture_output=True,
            text=True,
        )
        try:
            rows = json.loads(answer.stdout)["rows"]
        except ValueError:
            sys.exit(f"knee compare gave no figures: {answer.stderr.strip()}")
        for row in rows:
            ratio = row["ratio"]
            interval = f"{ratio['estimate']:.2f} ({ratio['low']:.2f} to {ratio['high']:.2f})"
            print(f"{kind:10}{row['workers']} workers  {interval}, {row['verdict']}")


def summary(rates: list[float]) -> str:
    """Median and range in millions."""
    return f"{statistics.median(rates) / 1e6:.1f} ({min(rates) / 1e6:.1f} to {max(rates) / 1e6:.1f})"


def main() -> None:
    """Both."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--python", default="3.13t")
    options = parser.parse_args()
    native(options.workers, options.rounds)
    from_python(options.workers, options.python)


if __name__ == "__main__":
    main()
