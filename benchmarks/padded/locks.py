"""Locks made one after the other, one for each thread: padded against packed, the standard library, and C."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from knee.padded import Lock, RWLock, SpinLock, line_size
from knee.padded._core import _hammer

from .counters import median
from .measure import Loop, Side, loop_of, nanoseconds, ratio

PACKED = 16


def own(
    name: str, make: Callable[[], Any], call: str, side: Callable[[Any], Any] = lambda lock: lock
) -> Side:
    """A lock for each thread; an increment between acquire and release, of a variable of the thread's own."""

    def loops(threads: int) -> list[Loop]:
        locks = [make() for _ in range(threads)]
        return [lambda _, lock=lock: loop_of(call, it=side(lock), count=0) for lock in locks]

    return Side(name, loops, begins=True)


def local(lock: Any) -> Any:
    return lock.local()


def kernel(name: str, make: Callable[[], Any]) -> Side:
    """The type's own loop in C: lock, increment, unlock."""

    def loops(threads: int) -> list[Loop]:
        return [lambda n, lock=lock: _hammer(lock, n) for lock in [make() for _ in range(threads)]]

    return Side(name, loops)


WITH = "\n            ".join(["with it:", "    count += 1"])
CALLS = "it.acquire(); count += 1; it.release()"
KINDS: dict[str, Callable[..., Any]] = {"SpinLock": SpinLock, "Lock": Lock}


def report(threads: int, rounds: int) -> list[str]:
    lines = []
    sides = []
    for name, make in KINDS.items():
        for line in (line_size(), PACKED):
            sides.append(
                kernel(f"{name} in C, {line} bytes apart", lambda make=make, line=line: make(line=line))
            )
    found = nanoseconds(sides, threads, 2_000_000, rounds)
    lines += _packed(found, "in C", threads)

    sides = []
    for name, make in KINDS.items():
        for line in (line_size(), PACKED):
            sides.append(
                own(
                    f"{name} in Python, {line} bytes apart",
                    lambda make=make, line=line: make(line=line),
                    CALLS,
                    local,
                )
            )
    sides += [
        own("RWLock.write in Python", RWLock, CALLS, lambda lock: lock.local().write),
        own("RWLock.read in Python", RWLock, CALLS, lambda lock: lock.local().read),
        own("threading.Lock", threading.Lock, CALLS),
    ]
    try:
        from ft_utils.synchronization import RWLock as FtRWLock

        sides.append(
            own("ft_utils.RWLock, writing", FtRWLock, "it.lock_write(); count += 1; it.unlock_write()")
        )
    except ImportError:
        lines.append("ft_utils is not installed")
    found = nanoseconds(sides, threads, 200_000, rounds)
    lines += ["", *_packed(found, "in Python", threads)]
    for side in sides[4:]:
        lines.append(f"{side.name:44}{median(found[side.name]):8.1f}")
    lines.append(
        f"threading.Lock's time over Lock's: "
        f"{ratio(found['threading.Lock'], found[f'Lock in Python, {line_size()} bytes apart'])}"
    )

    lines += ["", "uncontended, one thread, one lock"]
    alone = [
        own(f"{name}, {how}", make, call)
        for name, make in (("Lock", Lock), ("SpinLock", SpinLock), ("threading.Lock", threading.Lock))
        for how, call in (("acquire and release", CALLS), ("with", WITH))
    ]
    found = nanoseconds(alone, 1, 200_000, rounds)
    for side in alone:
        lines.append(f"{side.name:44}{median(found[side.name]):8.1f}")
    for how in ("acquire and release", "with"):
        over = ratio(found[f"Lock, {how}"], found[f"threading.Lock, {how}"])
        lines.append(f"Lock's time over threading.Lock's, {how}: {over}")
    return [*lines, "", *limit(threads, rounds)]


def _packed(found: dict[str, list[float]], where: str, threads: int) -> list[str]:
    lines = [f"{f'ns for lock + increment + unlock {where}, {threads} threads':44}{'median':>8}"]
    for name in found:
        if "apart" in name:
            lines.append(f"{name:44}{median(found[name]):8.1f}")
    for kind in KINDS:
        packed, padded = (found[f"{kind} {where}, {line} bytes apart"] for line in (PACKED, line_size()))
        lines.append(f"{kind}: packed over padded {ratio(packed, padded)}")
    return lines


def limit(threads: int, rounds: int) -> list[str]:
    """POSIX locks in a C program, as close as they get and a line apart."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or sys.platform != "linux":
        return ["the limit in C: no compiler found, or not Linux"]
    n = 2_000_000
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "limit")
        source = str(Path(__file__).with_name("limit.c"))
        subprocess.run([compiler, "-O2", "-pthread", source, "-o", program], check=True)
        for _ in range(rounds):
            for stride in (0, line_size()):
                command = [program, str(threads), str(n), str(stride)]
                for row in subprocess.run(
                    command, check=True, capture_output=True, text=True
                ).stdout.splitlines():
                    kind, seconds = row.split()
                    name = f"pthread {kind}, {'a line each' if stride else 'packed'}"
                    found.setdefault(name, []).append(float(seconds) / n * 1e9)
    lines = [f"the limit, POSIX locks in C, {threads} threads"]
    lines += [f"{name:44}{median(values):8.1f}" for name, values in found.items()]
    for kind in ("spin", "mutex"):
        over = ratio(found[f"pthread {kind}, packed"], found[f"pthread {kind}, a line each"])
        lines.append(f"pthread {kind}: packed over padded {over}")
    return lines
