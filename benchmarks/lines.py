"""What ``knee machine`` must show on a machine of two cores and more: lines, ratio, times.

    python benchmarks/lines.py [--calls 20]

prints each figure beside its limit and ends with exit code 1 if one is passed:

* the effective interference size in each of 20 calls of the line probe, alone: the line that the system
states; * the same beside one process that spins: that size or "cannot tell", never another;
* the cost of an atomic addition 8 bytes from another worker's over that at 64 bytes;
* seconds of ``knee machine``, without probes (median of 11) and with all of them.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src")]

from knee.machine import here  # noqa: E402
from knee.machine.probes import line  # noqa: E402
from knee.native import load  # noqa: E402

RATIO_LIMIT = 3.0
READ_LIMIT = 0.5
PROBE_LIMIT = 15.0
REPEATS = 11


def sizes(calls: int) -> tuple[Counter[int | None], list[float]]:
    """Sizes that so many calls of the line probe conclude, and each one's ratio of 8 to 64 bytes."""
    place, kernel = here.place(), load().probes.lines
    pairs = line.pairs_by_relation(place.topology, place.cpus)
    found: Counter[int | None] = Counter()
    ratios = []
    for _ in range(calls):
        concluded = line.probe(kernel, pairs, operations=("atomic",)).conclusion
        if concluded is None:
            sys.exit("no two cores: there is nothing to probe")
        found[concluded.size] += 1
        near, far = concluded.ratio(8), concluded.ratio(64)
        if near is not None and far is not None:
            ratios.append(near.estimate / far.estimate)
    return found, ratios


def seconds(*arguments: str) -> float:
    """How long ``knee machine`` takes, interpreter and all."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "knee",
            "machine",
            *arguments,
            "--json",
            os.path.join(folder, "machine.json"),
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> int:
    """Measure and print every figure; 1 if a limit is passed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=20)
    calls = parser.parse_args().calls
    stated = here.read()[0].line
    held = []

    def report(name: str, figure: str, limit: str, good: bool) -> None:
        held.append(good)
        print(f"{name:<44} {figure:<28} {limit:<30} {'' if good else 'NOT HELD'}".rstrip(), flush=True)

    alone, ratios = sizes(calls)
    report(
        "interference size, alone", _told(alone), f"{stated} in {calls} of {calls}", alone == {stated: calls}
    )
    spinning = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        time.sleep(0.5)
        beside, _ = sizes(calls)
    finally:
        spinning.kill()
        spinning.wait()
    wrong = set(beside) - {stated, None}
    report("interference size, beside a busy process", _told(beside), f"{stated} or cannot tell", not wrong)
    ratio = min(ratios, default=0.0)
    report(
        "atomic additions, 8 over 64 bytes, least",
        f"{ratio:.2f}",
        f"above {RATIO_LIMIT}",
        ratio > RATIO_LIMIT,
    )
    read = statistics.median(seconds() for _ in range(REPEATS))
    report("knee machine", f"{read:.2f} s", f"under {READ_LIMIT} s", read < READ_LIMIT)
    probed = seconds("--probe")
    report("knee machine --probe", f"{probed:.1f} s", f"under {PROBE_LIMIT:.0f} s", probed < PROBE_LIMIT)
    return 0 if all(held) else 1


def _told(found: Counter[int | None]) -> str:
    return ", ".join(
        f"{'cannot tell' if size is None else size}: {count}" for size, count in found.most_common()
    )


if __name__ == "__main__":
    sys.exit(main())
