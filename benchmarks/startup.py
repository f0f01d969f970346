"""How quick and small Knee itself is: its help, and analysis and table of a stored run of 100,000 samples.

    python benchmarks/startup.py

prints each figure beside its limit and ends with exit code 1 if one is passed. The help is timed as the shell would,
the median of several; the run is made up (``tests/synthetic.py``) and shown by a fresh process.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from tests.synthetic import Synthetic, amdahl  # noqa: E402

from knee.store.database import Store  # noqa: E402

REPEATS = 11
HELP_LIMIT = 0.2
SHOW_LIMIT = 1.0
MEMORY_LIMIT = 200.0

_MEASURED = f"""
import resource, sys, time
start = time.perf_counter()
from knee.cli import main
code = main(sys.argv[1:])
took = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_SELF)
sys.path.insert(0, {str(Path(__file__).parent)!r})
from startup import peak
print(took, used.ru_utime + used.ru_stime, peak(), file=sys.stderr)
sys.exit(code)
"""


def peak() -> float:
    """Largest resident memory of this process so far, MB.

    Linux's ``ru_maxrss`` starts with that of the process that forked; the high-water mark in ``/proc`` starts at exec.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return float(line.split()[1]) / 1e3
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1e6 if sys.platform == "darwin" else 1e3)


def help_time() -> float:
    """Median seconds of ``knee --help`` in a fresh process, interpreter and all."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "knee", "--help"], cwd=ROOT / "src", check=True, capture_output=True
        )
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def bare_time() -> float:
    """Median seconds of an interpreter that does nothing, for comparison."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", ""], check=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def store_of(samples: int, path: Path) -> int:
    """Make a store with one run of about as many samples; returns the exact number."""
    made = Synthetic(curves={"threads": amdahl(0.1)}, workers=(1, 2, 4, 8), launches=20, reps=4)
    each = sum(made.workers) * (made.reps + 2)
    made.blocks = -(-samples // (each * made.launches))
    with Store.open(path) as store:
        store._connection.execute("PRAGMA synchronous = OFF")
        return len(store.samples(made.into(store)))


def show(path: Path, *more: str) -> tuple[float, float, float]:
    """``knee show`` of the run in fresh processes: seconds from the first import to the end, CPU seconds, peak MB.

    The first two are medians; CPU seconds include the interpreter's own start, and hardly depend on other load.
    """
    figures = []
    for _ in range(REPEATS // 2):
        ended = subprocess.run(
            [sys.executable, "-c", _MEASURED, "show", "--store", str(path), *more],
            cwd=ROOT / "src",
            check=True,
            capture_output=True,
            text=True,
        )
        figures.append([float(word) for word in ended.stderr.split()])
    took, cpu, memory = zip(*figures, strict=True)
    return statistics.median(took), statistics.median(cpu), max(memory)


def main() -> int:
    """Print every figure with its limit; 1 if one is passed."""
    passed = False

    def line(what: str, value: float, unit: str, limit: float) -> None:
        nonlocal passed
        passed |= value > limit
        print(f"{what:<58} {value:8.3f} {unit:<3} limit {limit:g} {'PASSED OVER' if value > limit else ''}")

    line("knee --help", help_time(), "s", HELP_LIMIT)
    print(f"{'  of which an interpreter that does nothing':<58} {bare_time():8.3f} s")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "knee.db"
        samples = store_of(100_000, path)
        seconds, cpu, memory = show(path)
        line(f"analysis and table of {samples:,} samples, imports and all", seconds, "s", SHOW_LIMIT)
        print(f"{'  CPU time, which other load hardly changes':<58} {cpu:8.3f} s")
        line("  its memory", memory, "MB", MEMORY_LIMIT)
        seconds, cpu, memory = show(path, "--plot", str(Path(folder) / "out.png"))
        print(f"{'the same with a plot':<58} {seconds:8.3f} s   CPU {cpu:.3f} s")
        line("  its memory", memory, "MB", MEMORY_LIMIT)
    line("memory while samples are written and read", peak(), "MB", MEMORY_LIMIT)
    return int(passed)


if __name__ == "__main__":
    sys.exit(main())
