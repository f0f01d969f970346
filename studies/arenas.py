"""Pillow's image benchmark by thread count, before and after it split its memory arena, with the GIL and without.

    python studies/arenas.py [--workers 1,2,4] [--budget 60s] [--plot arenas.png]

Re-enacts the review of Pillow's change to eight arenas: the author timed sixteen threads by hand on two builds and two
branches, a reviewer asked for the plot over thread counts, and it was pasted together in a spreadsheet. Here
``knee run`` measures each ladder, this script lays them into one table and one plot, and ``knee compare`` tells the
two releases apart. What was measured is in ``knee list``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "examples" / "images.py"
PYTHONS = ("3.13", "3.13t")
RELEASES = ("pillow==11.0.0", "pillow==12.2.0")


def knee(*words: str) -> dict[str, Any]:
    """Run Knee; returns its JSON."""
    command = [sys.executable, "-m", "knee", *words, "--json", "-"]
    answer = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    try:
        found: dict[str, Any] = json.loads(answer.stdout)
    except ValueError:
        sys.exit(f"{' '.join(command)} gave no figures")
    return found


def ladders(options: argparse.Namespace) -> dict[str, list[dict[str, Any]]]:
    """One ladder for each interpreter and release; prints each as it comes."""
    found = {}
    for python in PYTHONS:
        for release in RELEASES:
            words = (
                "--python",
                python,
                "--with",
                release,
                "--workers",
                options.workers,
                "--budget",
                options.budget,
            )
            (kind,) = knee("run", f"{TARGET}:operation", *words)["kinds"]
            label = f"CPython {python}, {release}"
            found[label] = kind["rows"]
            print(f"{label}:")
            for row in kind["rows"]:
                flags = " ".join(row["flags"])
                print(f"  {row['workers']:3} threads  speedup {text(row['speedup'])}  {flags}".rstrip())
    return found


def compared(options: argparse.Namespace) -> None:
    """The two releases on the free-threaded build, from the same launches on."""
    words = [word for release in RELEASES for word in ("--with", release)]
    words += ["--python", PYTHONS[-1], "--workers", options.workers, "--budget", options.budget]
    print(f"{RELEASES[1]} over {RELEASES[0]}, CPython {PYTHONS[-1]}:")
    for row in knee("compare", f"{TARGET}:operation", *words)["rows"]:
        print(f"  {row['workers']:3} threads  time {text(row['ratio'])}  {row['verdict']}")


def text(interval: dict[str, float | None]) -> str:
    """An interval in a few characters."""
    low, estimate, high = (
        "?" if interval[end] is None else f"{interval[end]:.2f}" for end in ("low", "estimate", "high")
    )
    return f"{estimate} ({low} to {high})"


def plotted(found: dict[str, list[dict[str, Any]]], path: str) -> None:
    """Speedup by thread count, a line for each ladder, with its intervals."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
    most = max(row["workers"] for rows in found.values() for row in rows)
    axes.plot([1, most], [1, most], color="0.8", label="ideal")
    for label, rows in found.items():
        counts = [row["workers"] for row in rows]
        middle = [row["speedup"]["estimate"] for row in rows]
        below = [row["speedup"]["estimate"] - (row["speedup"]["low"] or 0) for row in rows]
        above = [(row["speedup"]["high"] or 0) - row["speedup"]["estimate"] for row in rows]
        errors = [[max(0.0, size) for size in side] for side in (below, above)]
        axes.errorbar(counts, middle, yerr=errors, marker="o", capsize=3, label=label)
    axes.set(xlabel="threads", ylabel="images of all threads over those of one", ylim=(0, None))
    axes.legend()
    figure.savefig(path, dpi=150)
    print(f"plot: {path}")


def main() -> None:
    """Ladders, comparison, plot."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--plot", default="arenas.png")
    options = parser.parse_args()
    found = ladders(options)
    compared(options)
    plotted(found, options.plot)


if __name__ == "__main__":
    main()
