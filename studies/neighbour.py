"""A process that comes and goes on one CPU: the neighbour that makes identical code look different.

    python studies/neighbour.py [--cpu 1] [--on 6] [--off 6] [--seed 0]

It computes on one CPU for a while, sleeps for a while, each time drawn between half and one and a half times the mean,
and ends with the process that started it or by a signal. On a machine whose cores are alike it makes one that is
not: whoever runs while it computes has, on that CPU, half a core.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cpu", type=int, default=1, help="the CPU that it slows")
    parser.add_argument("--on", type=float, default=6.0, help="mean seconds of computing")
    parser.add_argument("--off", type=float, default=6.0, help="mean seconds of sleep")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    os.sched_setaffinity(0, {options.cpu})
    draw = random.Random(options.seed)
    parent = os.getppid()
    time.sleep(options.off * draw.uniform(0.0, 1.5) * (draw.random() < 0.5))  # it may be away at first
    while os.getppid() == parent:
        end = time.monotonic() + options.on * draw.uniform(0.5, 1.5)
        while time.monotonic() < end:
            sum(range(10_000))
        time.sleep(options.off * draw.uniform(0.5, 1.5))


@contextmanager
def neighbour(cpu: int, on: float, off: float, seed: int) -> Iterator[None]:
    """Have the neighbour around while the block runs."""
    words = ["--cpu", str(cpu), "--on", str(on), "--off", str(off), "--seed", str(seed)]
    process = subprocess.Popen([sys.executable, __file__, *words])
    try:
        yield
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
