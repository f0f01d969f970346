"""What must hold around a planted workload: variables, packages, affinity, a busy neighbour, a quota.

    # knee: env NAME=VALUE     an environment variable of the target
    # knee: with PACKAGE==X    a package in the target's environment
    # knee: cpus 0,1           the CPUs that Knee and everything it starts may use
    # knee: beside busy        another program, which keeps all but the first of the CPUs busy
    # knee: quota 1.25         the CPUs' worth of time that Knee and everything it starts may use
    # knee: needs bandwidth    a machine where two cores have little more of it than one, at the moment

All but ``with`` hold for ``operation`` only, so that the twin runs without them.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from planting.case import Case

_SPINNERS = 3
"""Busy programs for each CPU: a worker that shares it gets a quarter."""

_PERIOD = 20_000
"""Microseconds over which a quota is counted: short against a rep, so that each rep meets it."""

_SPIN = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"

_MOST_GAIN = 1.6
"""Bandwidth of two cores over one: above it too little is lost to be told from noise."""

_GAIN = """
import importlib.util, os, sys, threading, time
sys.path.insert(0, os.path.dirname(sys.argv[1]))
spec = importlib.util.spec_from_file_location("workload", sys.argv[1])
workload = importlib.util.module_from_spec(spec)
spec.loader.exec_module(workload)
states = [workload.setup_worker(index, 2) for index in range(2)]

def seconds(workers):
    threads = [threading.Thread(target=workload.operation, args=(state,)) for state in states[:workers]]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begun

best = {1: 1e9, 2: 1e9}
for _ in range(15):
    for workers in best:
        best[workers] = min(best[workers], seconds(workers))
print(2 * best[1] / best[2])
"""


class NotHereError(Exception):
    """This machine cannot give a condition; the text says why."""


@dataclass(frozen=True)
class Conditions:
    """How to start Knee so that they hold.

    Attributes:
        arguments: for Knee's command line.
        enter: called in the child before Knee starts.
    """

    arguments: tuple[str, ...]
    enter: Callable[[], None]


@contextlib.contextmanager
def holding(case: Case) -> Iterator[Conditions]:
    """Make the conditions of a case hold, and undo them.

    Raises:
        NotHereError: one cannot hold on this machine.
    """
    arguments: list[str] = []
    entries: list[Callable[[], None]] = []
    with contextlib.ExitStack() as stack:
        for word, value in case.conditions:
            if word in ("env", "with"):
                arguments += [f"--{word}", value]
            elif word == "cpus":
                entries.append(_affinity(value))
            elif word == "beside":
                stack.enter_context(_neighbour())
            elif word == "quota":
                entries.append(stack.enter_context(_quota(float(value))))
            elif word == "needs":
                _bandwidth(case)

        def enter() -> None:
            for entry in entries:
                entry()

        yield Conditions(tuple(arguments), enter)


def _affinity(value: str) -> Callable[[], None]:
    if not hasattr(os, "sched_setaffinity"):
        raise NotHereError("this system has no CPU affinity")
    cpus = {int(cpu) for cpu in value.split(",")}
    if not cpus <= os.sched_getaffinity(0):
        raise NotHereError(f"this process may not use CPU {value}")
    return lambda: os.sched_setaffinity(0, cpus)


@contextlib.contextmanager
def _neighbour() -> Iterator[None]:
    if not hasattr(os, "sched_setaffinity"):
        raise NotHereError("this system has no CPU affinity")
    spinners = [
        subprocess.Popen([sys.executable, "-c", _SPIN, str(cpu)])
        for cpu in sorted(os.sched_getaffinity(0))[1:]
        for _ in range(_SPINNERS)
    ]
    try:
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()


def _bandwidth(case: Case) -> None:
    """Refuse a machine whose cores have ways to memory of their own.

    A virtual machine's two CPUs may lie on one cluster of the processor or on two, and be moved between runs.
    """
    answer = subprocess.run(
        [sys.executable, "-c", _GAIN, str(case.path)], capture_output=True, text=True, check=True
    )
    gain = float(answer.stdout)
    if gain > _MOST_GAIN:
        raise NotHereError(f"two cores have {gain:.2f} times the memory bandwidth of one at the moment")


@contextlib.contextmanager
def _quota(cpus: float) -> Iterator[Callable[[], None]]:
    parent, version = _controller()
    group = parent / f"knee-planted-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        raise NotHereError(f"no control group can be made in {parent}: {error.strerror}") from error
    try:
        if version == 1:
            (group / "cpu.cfs_period_us").write_text(str(_PERIOD))
            (group / "cpu.cfs_quota_us").write_text(str(round(cpus * _PERIOD)))
        else:
            (group / "cpu.max").write_text(f"{round(cpus * _PERIOD)} {_PERIOD}")
        members = str(group / "cgroup.procs")

        def enter() -> None:
            with open(members, "w") as file:
                file.write(str(os.getpid()))

        yield enter
    finally:
        for _ in range(50):
            try:
                group.rmdir()
                break
            except OSError:  # something that Knee started has not ended yet
                time.sleep(0.1)


def _controller() -> tuple[Path, int]:
    """Return this process's control group that has the CPU controller, and the version of its interface."""
    if not Path("/proc/self/cgroup").exists():
        raise NotHereError("this system has no control groups")
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for _, place, kind, options, *_ in mounts:
            folder = Path(place) / path.lstrip("/")
            if kind == "cgroup" and "cpu" in controllers.split(",") and "cpu" in options.split(","):
                return folder, 1
            if kind == "cgroup2" and not controllers:
                enabled = folder / "cgroup.subtree_control"
                if enabled.exists() and "cpu" in enabled.read_text().split():
                    return folder, 2
    raise NotHereError("no control group with the CPU controller can be used")
