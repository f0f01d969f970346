"""A launch of a command line: each rep is one process of it, from start to exit."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence

from knee.launch.host import Facts, Lost, died_of
from knee.launch.sample import WorkerSample
from knee.plan.cell import Kind
from knee.plan.treatment import Treatment


class CommandHost:
    """Runs commands one at a time; the worker count goes to the command, which divides its work itself.

    Args:
        treatments: those of the launch, all commands.
        timeout: seconds that one may take.
        cpus: pin the whole command to these CPUs; empty leaves placement to the system.
    """

    def __init__(self, treatments: Sequence[Treatment], *, timeout: float, cpus: Sequence[int] = ()) -> None:
        self._treatments = treatments
        self._timeout = timeout
        self._cpus = set(cpus)
        self._workers = 1
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the launch

    def start(self) -> Facts:
        """Nothing to start: every rep is a process of its own."""
        return {"native": "a command is timed as a whole process"}

    def open(self, kind: Kind, workers: int, wanted: Sequence[int]) -> None:  # noqa: ARG002 - Host's interface
        """Remember the worker count."""
        self._workers = workers

    def rep(
        self,
        treatment: int,
        calls: int,
        *,
        probe: bool,
        shares: Sequence[int] | None = None,
        alone: int | None = None,
    ) -> tuple[tuple[WorkerSample, ...], int]:
        """Run the command once; its workers are its own: ``probe``, ``shares`` and ``alone`` do not apply."""
        del probe, shares, alone
        chosen = self._treatments[treatment]
        words = [word.replace("{workers}", str(self._workers)) for word in chosen.workload.argv]
        environment = dict(os.environ)
        for name, value in chosen.env.items():
            environment.pop(name, None)
            if value is not None:
                environment[name] = value
        printed = self._output.seek(0, os.SEEK_END)
        start = time.perf_counter_ns()
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._output,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise Lost("raised", f"{words[0]} cannot be run: {error.strerror}", where="start") from error
        if self._cpus:
            os.sched_setaffinity(process.pid, self._cpus)
        status, usage, late = self._wait(process)
        end = time.perf_counter_ns()
        size = self._output.seek(0, os.SEEK_END)
        if late:
            raise Lost(
                "timeout", f"no end within {self._timeout:g} s; the command was ended", traceback=self._tail()
            )
        if status < 0:
            raise Lost("crashed", f"the command died of {died_of(-status)}", traceback=self._tail())
        if status > 0:
            raise Lost(
                "raised", f"the command left with exit code {status}", traceback=self._tail(), where="rep"
            )
        sample = WorkerSample(
            worker=0,
            start=start,
            end=end,
            calls=calls,
            user=round(usage.ru_utime * 1e9),
            system=round(usage.ru_stime * 1e9),
            cpu=round((usage.ru_utime + usage.ru_stime) * 1e9),
            voluntary=usage.ru_nvcsw,
            involuntary=usage.ru_nivcsw,
            minor_faults=usage.ru_minflt,
            major_faults=usage.ru_majflt,
        )
        return (sample,), size - printed

    def outputs(self, wanted: Sequence[int]) -> Facts:
        """Commands may print anything, times among it: nothing is compared."""
        return {"digests": [None for _ in wanted], "same": [None for _ in wanted]}

    def close(self) -> Facts:
        """Nothing is open between reps."""
        return {}

    def stop(self) -> None:
        """Nothing runs between reps."""
        self._output.close()

    def _wait(self, process: subprocess.Popen[bytes]) -> tuple[int, resource.struct_rusage, bool]:
        """Reap with the usage of this process and its descendants alone; kill the session when it is late."""
        late = threading.Event()

        def end() -> None:
            late.set()
            self._kill(process)

        timer = threading.Timer(self._timeout, end)
        timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            self._kill(process)
            process.wait()
            raise
        finally:
            timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, usage, late.is_set()

    def _kill(self, process: subprocess.Popen[bytes]) -> None:
        with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
            os.killpg(process.pid, signal.SIGKILL)

    def _tail(self) -> str:
        size = self._output.seek(0, os.SEEK_END)
        self._output.seek(max(0, size - 4_000))
        return self._output.read().decode(errors="replace")
