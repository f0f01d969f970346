"""All sides in one run: ``python -m benchmarks.padded`` (scripts/bench-padded makes the surroundings)."""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path

from knee.padded import line_size

from . import arenas, counters, locks, states


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.padded", description=__doc__)
    parser.add_argument("--threads", type=int, default=2, help="threads for locks and counters (default 2)")
    parser.add_argument(
        "--rounds", type=int, default=7, help="rounds of which the median is taken (default 7)"
    )
    parser.add_argument("--frees", type=int, default=10_000_000, help="blocks freed across threads")
    parser.add_argument(
        "--plot", type=Path, default=Path("build/padded-arenas.png"), help="where the plot goes"
    )
    parser.add_argument(
        "only", nargs="*", choices=["counters", "locks", "states", "arenas", []], help="only these parts"
    )
    options = parser.parse_args()
    parts = {
        "counters": lambda: counters.report(options.threads, options.rounds),
        "locks": lambda: locks.report(options.threads, options.rounds),
        "states": lambda: states.report(options.threads, options.rounds),
        "arenas": lambda: arenas.report(max(1, options.rounds // 3), options.plot, options.frees),
    }
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        print("The GIL is on: no two threads run at once, and nothing of this shows what padding gains.")
    print(f"CPython {sys.version.split()[0]} on {platform.machine()}, lines of {line_size()} bytes")
    for name in options.only or parts:
        print(f"\n== {name}")
        print("\n".join(parts[name]()), flush=True)


if __name__ == "__main__":
    main()
