"""A slot for each thread, padded to less than a line: which neighbours a thread has decides how fast it is.

    python studies/slots.py [--workers 2] [--rounds 15] [--pads 32,64]

Re-enacts the story of the 64-byte pad on the 128-byte line, at half its size: threads of a native program
(slots.c) count in slots that are dealt out in the order in which they start, padded to 32 bytes where the line has
64. An idle thread between two workers takes the slot that would have been the neighbour's. Controls: as many idle
threads before, or after, which leaves the workers side by side; processes, which share no slots; slots padded to
the line.

Every round runs each setting once, in an order drawn afresh. Prints the median, and the range, of what the workers do
together over what one does alone in the same round.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "examples" / "planted"))

import compiled  # noqa: E402

SETTINGS = {
    "workers alone": (),
    "idle threads before": ("--idle", "before"),
    "idle threads after": ("--idle", "after"),
    "idle threads between": ("--idle", "between"),
    "processes": ("--processes",),
}


def seconds(program: Path, *words: str) -> float:
    """Run the program once."""
    return float(subprocess.run([str(program), *words], check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Run all settings, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--pads", default="32,64")
    options = parser.parse_args()
    program = compiled.program((HERE / "slots.c").read_text(encoding="utf-8"))
    pads = options.pads.split(",")
    cells = [(setting, pad) for setting in SETTINGS for pad in pads]
    seen: dict[tuple[str, str], list[float]] = {cell: [] for cell in cells}
    for _ in range(options.rounds):
        alone = seconds(program, "--threads", "1")
        for setting, pad in random.sample(cells, len(cells)):
            words = ("--threads", str(options.workers), "--pad", pad, *SETTINGS[setting])
            seen[setting, pad].append(alone / seconds(program, *words))
    print(f"{options.workers} workers over one, {options.rounds} rounds: median (lowest to highest)")
    print(" " * 22 + "".join(f"{f'padded to {pad}':>22}" for pad in pads))
    for setting in SETTINGS:
        print(f"{setting:22}" + "".join(f"{summary(seen[setting, pad]):>22}" for pad in pads))


def summary(ratios: list[float]) -> str:
    """Median and range in a few characters."""
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


if __name__ == "__main__":
    main()
