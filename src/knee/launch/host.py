"""Starting an agent, speaking to it, and outliving whatever the workload does to it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import psutil

from knee.launch.sample import LossKind, WorkerSample
from knee.plan.cell import Kind
from knee.plan.treatment import Treatment

Facts = Mapping[str, Any]

_GIL_SWITCHED = re.compile(r"The global interpreter lock \(GIL\) has been enabled to load module '([^']+)'")
_ENTRY = Path(__file__).parent.parent / "agent" / "__main__.py"
_SET_UP = 120.0
"""Seconds for starting an interpreter, loading the workload and its set-up: none of them is timed."""


class Lost(Exception):
    """A launch, or a rep of it, that gave no sample; the fields are those of ``Loss``."""

    def __init__(
        self,
        kind: LossKind,
        text: str,
        *,
        traceback: str = "",
        worker: int | None = None,
        where: str = "",
        fatal: bool = True,
    ) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text
        self.traceback = traceback
        self.worker = worker
        self.where = where
        self.fatal = fatal
        """Whether the launch is gone with it; an unavailable kind of worker leaves the rest of it alive."""


class Host(Protocol):
    """What a launch must be able to do for the runner; tests have one on a fake clock."""

    def start(self) -> Facts:
        """Start the target; returns the facts of its interpreter."""

    def open(self, kind: Kind, workers: int, wanted: Sequence[int]) -> None:
        """Build a fresh pool with a state for each wanted treatment (by its number in this launch)."""

    def rep(
        self,
        treatment: int,
        calls: int,
        *,
        probe: bool,
        shares: Sequence[int] | None = None,
        alone: int | None = None,
    ) -> tuple[tuple[WorkerSample, ...], int]:
        """Run one rep; returns a sample per worker and the bytes printed while it ran.

        With ``alone`` only that worker of the pool runs, and there is one sample.
        """

    def outputs(self, wanted: Sequence[int]) -> Facts:
        """Call treatments once, untimed; returns ``digests`` and whether each is the ``same`` as the first."""

    def close(self) -> Facts:
        """End the pool; returns what is known only after the workload ran."""

    def stop(self) -> None:
        """End the launch and everything that it started; never raises."""


class AgentHost:
    """A launch of a Python interpreter that runs the agent.

    Args:
        treatments: those that share the launch; equal ``process_key``.
        native: path of the native library, or None for the plain path.
        timeout: seconds that a rep may take.
        cpus: pin worker ``i`` to ``cpus[i % len(cpus)]``; empty leaves placement to the system.
    """

    def __init__(
        self, treatments: Sequence[Treatment], *, native: str | None, timeout: float, cpus: Sequence[int] = ()
    ) -> None:
        self._treatments = treatments
        self._native = native
        self._timeout = timeout
        self._cpus = list(cpus)
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the launch
        self._process: subprocess.Popen[bytes] | None = None
        self._buffer = b""

    def start(self) -> Facts:
        """Start the interpreter and hand the treatments over."""
        first = self._treatments[0]
        environment = dict(os.environ)
        for name, value in first.env.items():
            if value is None:
                environment.pop(name, None)
            else:
                environment[name] = value
        there_read, there_write = os.pipe()
        back_read, back_write = os.pipe()
        try:
            self._process = subprocess.Popen(
                [first.python, str(_ENTRY), "serve", str(there_read), str(back_write)],
                pass_fds=(there_read, back_write),
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._output,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            os.close(there_write)
            os.close(back_read)
            raise Lost("crashed", f"{first.python} does not start: {error.strerror}") from error
        finally:
            os.close(there_read)
            os.close(back_write)
        self._sink, self._source = there_write, back_read
        os.set_blocking(self._source, False)
        treatments = [
            {"workload": t.workload.to_json(), "loader": t.loader, "installed": bool(t.packages)}
            for t in self._treatments
        ]
        arm = None
        if first.arm is not None:
            arm = {"file": first.arm.file, "variant": first.arm.variant, "options": dict(first.arm.options)}
        answer = self._ask(
            {"do": "start", "treatments": treatments, "native": self._native, "arm": arm}, _SET_UP
        )
        facts: Facts = answer["facts"]
        return facts

    def open(self, kind: Kind, workers: int, wanted: Sequence[int]) -> None:
        """Build a pool."""
        self._ask(
            {"do": "open", "kind": kind, "workers": workers, "wanted": list(wanted), "cpus": self._cpus},
            _SET_UP,
        )

    def rep(
        self,
        treatment: int,
        calls: int,
        *,
        probe: bool,
        shares: Sequence[int] | None = None,
        alone: int | None = None,
    ) -> tuple[tuple[WorkerSample, ...], int]:
        """Run one rep."""
        message: dict[str, Any] = {"do": "rep", "treatment": treatment, "calls": calls, "probe": probe}
        if shares is not None:
            message["shares"] = list(shares)
        if alone is not None:
            message["alone"] = alone
        answer = self._ask(message, self._timeout)
        return _samples(answer), answer["printed"]

    def threads(self) -> int | None:
        """Return how many threads the target has, its main one and its workers among them; None if nobody can tell."""
        tasks = f"/proc/{self._process.pid}/task" if self._process is not None else ""
        return len(os.listdir(tasks)) if os.path.isdir(tasks) else None

    def watch(self, treatment: int, calls: int) -> tuple[tuple[WorkerSample, ...], Facts]:
        """Run one rep while the arm looks at it from outside; the samples show what ran, not how fast it is."""
        answer = self._ask(
            {"do": "rep", "treatment": treatment, "calls": calls, "probe": False, "watch": True},
            self._timeout,
        )
        return _samples(answer), answer["seen"]

    def outputs(self, wanted: Sequence[int]) -> Facts:
        """Digest the treatments' results."""
        return self._ask({"do": "outputs", "wanted": list(wanted)}, self._timeout)

    def close(self) -> Facts:
        """End the pool; a module that switched the GIL on is named as the interpreter's own warning does."""
        facts = self._ask({"do": "close"}, self._timeout)
        named = _GIL_SWITCHED.findall(self.printed()) if any(facts["gil"]) else []
        if named:
            facts["modules"] = list(dict.fromkeys(named))
        return facts

    def printed(self) -> str:
        """Return the last part of what the launch wrote to its standard output and error."""
        size = self._output.seek(0, os.SEEK_END)
        self._output.seek(max(0, size - 20_000))
        return self._output.read().decode(errors="replace")

    def stop(self) -> None:
        """Ask the agent to end, then end whatever is left of its session."""
        process = self._process
        if process is None:
            self._output.close()
            return
        with contextlib.suppress(OSError):
            os.write(self._sink, b'{"do":"stop"}\n')
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.5)
        self._end()
        os.close(self._sink)
        os.close(self._source)
        self._output.close()
        self._process = None

    def _end(self) -> None:
        """Kill the agent, its session and its descendants; a workload may have left the session."""
        process = self._process
        assert process is not None
        family: list[psutil.Process] = []
        with contextlib.suppress(psutil.Error):
            family = psutil.Process(process.pid).children(recursive=True)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        for child in family:
            with contextlib.suppress(psutil.Error):
                child.kill()
        process.wait()

    def _ask(self, message: dict[str, Any], timeout: float) -> dict[str, Any]:
        try:
            os.write(self._sink, json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise self._gone() from error
        answer = self._receive(timeout)
        if answer["is"] == "raised":
            raise Lost(
                answer["kind"],
                answer["text"],
                traceback=answer["traceback"],
                worker=answer.get("worker"),
                where=answer.get("where", ""),
            )
        if answer["is"] == "unavailable":
            raise Lost("unavailable", answer["text"], traceback=answer["traceback"], fatal=False)
        return answer

    def _receive(self, timeout: float) -> dict[str, Any]:
        deadline = time.monotonic() + timeout
        with selectors.DefaultSelector() as selector:
            selector.register(self._source, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    self._end()
                    raise Lost("timeout", f"no answer within {timeout:g} s; the launch was ended")
                data = os.read(self._source, 1 << 20)
                if not data:
                    raise self._gone()
                self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        try:
            answer: dict[str, Any] = json.loads(line)
        except ValueError as error:
            raise Lost("protocol", f"the agent said {line[:80]!r}") from error
        return answer

    def _gone(self) -> Lost:
        """Say how the agent ended, with the last lines of what it wrote."""
        process = self._process
        assert process is not None
        try:
            code = process.wait(5)
        except subprocess.TimeoutExpired:
            self._end()
            return Lost("protocol", "the agent closed its pipe and went on; it was ended")
        trace = self.printed()
        if code == -signal.SIGKILL:
            return Lost(
                "memory", "the launch was killed (SIGKILL), most likely for want of memory", traceback=trace
            )
        if code < 0:
            return Lost("crashed", f"the launch died of {died_of(-code)}", traceback=trace)
        return Lost(
            "exited", f"the launch left with exit code {code} in the middle of its work", traceback=trace
        )


def died_of(number: int) -> str:
    """A signal's name; real-time signals have none but a number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _samples(answer: Mapping[str, Any]) -> tuple[WorkerSample, ...]:
    samples = []
    for found in answer["samples"]:
        found["phases"] = {name: tuple(pair) for name, pair in found.get("phases", {}).items()}
        samples.append(WorkerSample(**found))
    return tuple(samples)
