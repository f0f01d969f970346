"""What the bracket costs inside a timed part, as a share of a 10 ms rep.

    .venv/bin/python benchmarks/overhead.py [--python 3.13t]

The bracket around nothing is timed by its own clock: that is all that it adds to a rep. Beside it, the CPU time that
it counts for itself, and what it takes outside of the timed part. Prints medians over calls; exits 1 when the
cost is above 0.1 % of 10 ms.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import knee.native

LAUNCHES = 5
CALLS = 2000
REP_NS = 10_000_000
PROMISED = 0.001


def launch(library: str) -> dict[str, Any]:
    """Time an empty bracket in this process; ns, medians over calls, and the 99th hundredth."""
    native = knee.native.load(library)
    native.counters()
    bracket = native.bracket(native.barrier(1))
    inside, counted, outside = [], [], []
    for _ in range(CALLS):
        before = time.perf_counter_ns()
        bracket.begin()
        bracket.end()
        after = time.perf_counter_ns()
        sample = bracket.sample()
        start, end, cpu = sample["start_ns"], sample["end_ns"], sample["cpu_ns"]
        assert start is not None
        assert end is not None
        assert cpu is not None
        inside.append(end - start)
        counted.append(cpu)
        outside.append(after - before - (end - start))
    return {
        "inside": statistics.median(inside),
        "inside, 99th of 100": statistics.quantiles(inside, n=100)[98],
        "CPU time counted": statistics.median(counted),
        "outside": statistics.median(outside),
    }


def main() -> int:
    """Launch the target interpreter a few times and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default="3.13t", help="the interpreter whose threads are timed")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        print(json.dumps(launch(arguments.inside)))
        return 0

    from knee.launch import interpreter

    python = interpreter.find(arguments.python)
    library = knee.native.load().path
    launches = [
        json.loads(subprocess.check_output([python.path, __file__, "--inside", library]))
        for _ in range(LAUNCHES)
    ]
    print(f"The bracket around nothing, {python.label}, medians of {LAUNCHES} launches; share of a 10 ms rep")
    for name in launches[0]:
        value = statistics.median(one[name] for one in launches)
        print(f"{name:>20}  {value / 1000:7.2f} µs  {value / REP_NS:8.4%}")
    share = statistics.median(one["inside"] for one in launches) / REP_NS
    kept = share < PROMISED
    print(f"Promised: inside below {PROMISED:.1%}. {'Kept.' if kept else 'NOT KEPT.'}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
