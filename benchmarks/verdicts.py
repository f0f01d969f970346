"""How often verdicts are wrong, on this machine, under whatever load it has.

    python benchmarks/verdicts.py same --count 100          # two names for one function, knee compare
    python benchmarks/verdicts.py same --count 100 --pyperf # and what pyperf's compare_to says, in the same hour
    python benchmarks/verdicts.py slower --count 50 --workers 1   # a true 5 % of extra work
    python benchmarks/verdicts.py same --count 20 --neighbour     # with a process that comes and goes on one CPU

Prints a line per comparison and, at the end, how many verdicts were false (``same``) or found (``slower``).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "studies"))

from neighbour import neighbour  # noqa: E402

WORKLOAD = """
def work(count):
    total = 0
    for i in range(count):
        total += i & 7
    return 0

def first():
    return work(4000)

def second():
    return work(4000)

def slower():
    return work(4200)
"""


def compared(folder: Path, rival: str, options: argparse.Namespace) -> tuple[list[str], float]:
    """Verdicts of one ``knee compare`` and how long it took."""
    began = time.monotonic()
    found = subprocess.run(
        [
            *(sys.executable, "-m", "knee", "compare", "twins.py:first", f"twins.py:{rival}", "--json", "-"),
            *("--workers", options.workers, "--budget", options.budget, "--store", "verdicts.db"),
            *(("--python", options.python) if options.python else ()),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        raise SystemExit(f"knee compare left with {found.returncode}: {found.stderr.strip()}")
    report = json.loads(found.stdout)
    rows = [row for row in report["rows"] if row["workers"] is not None]
    return [row["verdict"] for row in rows], time.monotonic() - began


def by_pyperf(folder: Path, rival: str) -> bool:
    """Whether pyperf's ``compare_to`` calls the difference significant, after about as long a measurement."""
    for name in ("first", rival):
        (folder / f"{name}.json").unlink(missing_ok=True)
        subprocess.run(
            [
                *(sys.executable, "-m", "pyperf", "timeit", "--quiet", "--processes", "5", "--values", "3"),
                *("--warmups", "1", "--min-time", "0.1", "-o", f"{name}.json"),
                *("-s", f"from twins import {name} as operation", "operation()"),
            ],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder)},
            check=True,
            capture_output=True,
        )
    words = [sys.executable, "-m", "pyperf", "compare_to", "first.json", f"{rival}.json"]
    told = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout
    return "not significant" not in told


def main() -> None:
    """Run the comparisons and count."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["same", "slower"])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--budget", default="10s")
    parser.add_argument("--python", default="")
    parser.add_argument("--pyperf", action="store_true")
    parser.add_argument("--neighbour", action="store_true")
    options = parser.parse_args()
    rival = "second" if options.what == "same" else "slower"
    verdicts: Counter[str] = Counter()
    hits = significant = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "twins.py").write_text(WORKLOAD)
        for number in range(options.count):
            with neighbour(1, 1.5, 1.5, number) if options.neighbour else nullcontext():
                found, took = compared(folder, rival, options)
                told = by_pyperf(folder, rival) if options.pyperf else None
            verdicts.update(found)
            hits += any(
                verdict == "slower" or (rival == "second" and verdict == "faster") for verdict in found
            )
            significant += bool(told)
            beside = "" if told is None else f"  pyperf: {'significant' if told else 'not significant'}"
            print(f"{number + 1:3}: {', '.join(found)}  ({took:.1f} s){beside}", flush=True)
    if rival == "second":
        print(f"false verdicts in {hits} of {options.count} comparisons of identical code ({dict(verdicts)})")
    else:
        print(f"a true 5 % found in {hits} of {options.count} comparisons ({dict(verdicts)})")
    if options.pyperf:
        print(f"pyperf compare_to called {significant} of {options.count} significant")


if __name__ == "__main__":
    main()
