"""One worker: waits for commands, runs the workload from the common start, tells what it cost.

The same loop serves threads, subinterpreters and processes; only who hosts it and what it talks through differ.
"""

from __future__ import annotations

import importlib.machinery
import os
import sys
import traceback
from typing import Any

from knee import _phase
from knee.agent.channel import Message
from knee.agent.workload import Loaded, WorkloadError


class Seat:
    """One treatment as this worker runs it: the workload and the worker's own state."""

    def __init__(self, loaded: Loaded, state: Any) -> None:
        self.loaded = loaded
        self.state = state


class Worker:
    """A worker's side of the conversation.

    Args:
        index: from 0 in the pool.
        workers: how many the pool has.
        channel: with ``send`` and ``receive``.
        meter: a fresh meter of the worker's own thread.
    """

    def __init__(self, index: int, workers: int, channel: Any, meter: Any) -> None:
        self.index = index
        self.workers = workers
        self._channel = channel
        self._meter = meter
        self._seats: list[Seat | None] = []
        self._marks = _phase.record()

    def prepare(self, seats: list[Seat | None]) -> None:
        """Take the seats: one per treatment of the launch, None for those that this pool does not run."""
        self._seats = seats

    def serve(self) -> None:
        """Carry out commands until told to close or left alone."""
        try:
            while True:
                message = self._channel.receive()
                if message is None or message["do"] == "close":
                    break
                try:
                    self._channel.send(self._answer(message))
                except BaseException as error:
                    self._channel.send(raised(error, worker=self.index))
        finally:
            self._meter.close()
            _phase.forget()
        on = gil()
        self._channel.send(
            {
                "is": "closed",
                "worker": self.index,
                "gil": on,
                "used": _phase.used(),
                "modules": unsafe_modules() if on else [],
            }
        )

    def _answer(self, message: Message) -> Message:
        if message["do"] == "rep":
            return self._rep(message)
        return outputs([self._seat(treatment) for treatment in message["wanted"]])

    def _seat(self, treatment: int) -> Seat:
        seat = self._seats[treatment]
        if seat is None:
            raise LookupError(f"treatment {treatment} has no state in this pool")
        return seat

    def _rep(self, message: Message) -> Message:
        meter = self._meter
        calls: int = message["calls"]
        first: int = message["first"]
        share = range(first, first + calls)
        before = meter.speed() if message["probe"] else None
        if message["treatment"] < 0:
            meter.begin(message["start"], message["alone"])
            meter.control(calls)
            meter.end()
        else:
            seat = self._seat(message["treatment"])
            loop, operation, state = seat.loaded.loop, seat.loaded.operation, seat.state
            self._marks.clear()
            meter.begin(message["start"], message["alone"])
            loop(operation, state, calls, share)
            meter.end()
        after = meter.speed() if message["probe"] else None
        sample = meter.sample()
        sample.update(worker=self.index, calls=calls, speed_before=before, speed_after=after)
        if self._marks:
            sample["phases"] = _phase.total(self._marks)
        return {"is": "sample", "sample": sample}


def outputs(seats: list[Seat]) -> Message:
    """Call each operation once, untimed, and digest what it returns.

    Digests are for processes that never meet. Here each result is compared with the first: by ``same(a, b)`` of the
    first workload's file if it has one, else by ``==`` or equal digests (an object without ``__eq__``, NaN in a list);
    None where ``==`` has no answer (arrays).
    """
    results = [_result(seat) for seat in seats]
    digests = [digest(result) for result in results]
    same = seats[0].loaded.same
    if same is not None:
        alike: list[Any] = [same(results[0], result) for result in results]
    else:
        alike = [
            found["digest"] == digests[0]["digest"] or _equal(results[0], result)
            for result, found in zip(results, digests)
        ]
    return {"is": "outputs", "digests": digests, "same": alike}


def _equal(one: Any, other: Any) -> bool | None:
    try:
        return bool(one == other)
    except Exception:  # whatever a result's own __eq__ raises, arrays' ValueError among it
        return None


def _result(seat: Seat) -> Any:
    name = seat.loaded.loop.__name__
    if name == "_loop_inner":
        return None  # a statement returns nothing
    arguments = {"_loop_nothing": (), "_loop_state": (seat.state,), "_loop_share": (seat.state, range(1))}
    return seat.loaded.operation(*arguments[name])


def digest(result: Any) -> dict[str, str]:
    """Return the SHA-256 of a result, how it was turned into bytes, and the beginning of its ``repr``.

    It is pickled without a memo, so that equal results with other identities inside give equal bytes; what cannot be
    pickled so (cycles among it) is digested by its ``repr`` with addresses removed.
    """
    import hashlib
    import io
    import pickle
    import re

    try:
        text = re.sub(r"\b0x[0-9a-f]+", "0x", repr(result))
    except Exception as error:
        text = f"<{type(result).__name__}, whose repr raises {type(error).__name__}>"
    try:
        stream = io.BytesIO()
        pickler = pickle.Pickler(stream, protocol=4)
        pickler.fast = True
        pickler.dump(result)
        data, how = stream.getvalue(), "pickle"
    except Exception:  # unpicklable results raise anything, RecursionError among it
        data, how = text.encode(), "repr"
    return {"digest": hashlib.sha256(data).hexdigest(), "how": how, "repr": text[:200]}


def gil() -> bool | None:
    """Whether this interpreter's GIL is on now; None where the build has no say in it (it is)."""
    ask = getattr(sys, "_is_gil_enabled", None)
    return None if ask is None else bool(ask())


def unsafe_modules() -> list[str]:
    """Return the extension modules that are loaded: one of them switched the GIL back on.

    CPython names the culprit in a warning that the launch's output holds; this list is for when it was swallowed.
    """
    suffixes = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    return sorted(
        name
        for name, module in list(sys.modules.items())
        if str(getattr(module, "__file__", "") or "").endswith(suffixes)
        and "lib-dynload" not in str(module.__file__)
    )


def raised(error: BaseException, **where: Any) -> Message:
    """Describe an exception for Knee: its traceback without the agent's own frames."""
    trace = error.__traceback__
    here = os.path.dirname(os.path.abspath(__file__))
    while (
        trace is not None and trace.tb_frame.f_code.co_filename.startswith(here) and trace.tb_next is not None
    ):
        trace = trace.tb_next
    lines = traceback.format_exception(type(error), error, trace)
    kind = (
        "memory"
        if isinstance(error, MemoryError)
        else "exited"
        if isinstance(error, SystemExit)
        else "raised"
    )
    text = _line(error)
    return {"is": "raised", "kind": kind, "text": text, "traceback": "".join(lines), **where}


def _line(error: BaseException) -> str:
    """The type of an exception and what it says, on one line that is not too long for a list."""
    if isinstance(error, WorkloadError):
        return str(error)  # in Knee's own words already
    lines = "".join(traceback.format_exception_only(type(error), error)).strip().splitlines()
    # A syntax error tells its place first, in indented lines that the traceback has too.
    text = lines[-1] if isinstance(error, SyntaxError) else " ".join(line.strip() for line in lines)
    return text if len(text) <= 300 else f"{text[:297]}..."
