"""Hazards of a run: those that the machine showed, and those that its samples show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from knee.analysis.report import Hazard, InterpreterReport
from knee.store.database import Store
from knee.store.record import LaunchRecord, Moment


def gather(
    store: Store, run: int, interpreter: InterpreterReport | None, launches: Sequence[LaunchRecord]
) -> tuple[Hazard, ...]:
    """All hazards of a run, each once, with the moments it was seen at."""
    found: dict[tuple[str, str], Hazard] = {}
    stored = store.hazards_of(run)
    for moment, data in stored:
        _add(found, Hazard(data["id"], data["text"], data.get("advice", ""), data.get("seen", "")), moment)
    known = {hazard.id for hazard in found.values()}
    for hazard in _derived(store, run, interpreter, launches):
        if hazard.id not in known:
            _add(found, hazard, "during")
    return tuple(found.values())


def _add(found: dict[tuple[str, str], Hazard], hazard: Hazard, moment: Moment) -> None:
    key = (hazard.id, hazard.text)
    moments = found[key].moments if key in found else ()
    found[key] = replace(hazard, moments=tuple(dict.fromkeys((*moments, moment))))


def _derived(
    store: Store, run: int, interpreter: InterpreterReport | None, launches: Sequence[LaunchRecord]
) -> Iterator[Hazard]:
    """What the samples themselves show, also of a run that was killed before it could look back."""
    if interpreter is not None and interpreter.free_threaded and interpreter.gil:
        loaded = f" Extension modules loaded: {', '.join(interpreter.culprits)}." * bool(interpreter.culprits)
        yield Hazard(
            "gil",
            f"The GIL was on after the workload ran, in a free-threaded build: threads take turns.{loaded}",
            "Find a version of the module that switched it on which supports free threading, or force the GIL off with "
            "--env PYTHON_GIL=0 to see what that would give.",
            "sys._is_gil_enabled() in the target",
        )
    printed, reps = store.printed(run)
    if printed:
        yield Hazard(
            "prints",
            f"The workload printed {printed} bytes while it was timed, in {reps} reps: workers queue for the stream's "
            "lock, and the curve shows that queue.",
            "Print after the timed part, or not at all.",
            "the captured output of the launches",
        )
    # A command has no version: it is timed as a whole process, and its workers are its own to start.
    spoken = [launch.interpreter for launch in launches if "version" in (launch.interpreter or {})]
    reasons = sorted({str(facts["native"]) for facts in spoken if facts and "native" in facts})
    if reasons:
        yield Hazard(
            "start",
            f"Workers were released without the native barrier ({'; '.join(reasons)}): they start tens of microseconds "
            "apart, and the speed of the cores is unknown.",
            "Make reps longer (--min-time), and leave --no-native away where Knee's native part can be built.",
            "what the launches said at their start",
        )
