"""The GIL enabled again in a free-threaded build.

Facts: ``free_threaded``, ``gil_enabled``, ``gil_cause`` (the module whose import enabled it, if the agent
saw it).
"""

from __future__ import annotations

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown

ID = "gil"


def read(place: Place) -> Reading:
    """What the agent says."""
    if "free_threaded" not in place.facts or "gil_enabled" not in place.facts:
        return unknown("no interpreter has reported yet")
    cause = place.facts.get("gil_cause")
    return {
        "free_threaded": bool(place.facts["free_threaded"]),
        "enabled": bool(place.facts["gil_enabled"]),
        "cause": None if cause is None else str(cause),
    }


def before(first: Reading, _place: Place) -> Hazard | None:
    """A free-threaded build that runs with the GIL."""
    if not (first["free_threaded"] and first["enabled"]):
        return None
    by = f" by the import of {first['cause']}" if first["cause"] else ""
    return Hazard(
        ID,
        f"The GIL is enabled{by} in a free-threaded build: threads take turns, and no ladder of threads can "
        "rise.",
        "Find a version of the module that supports free threading, or force the GIL off with PYTHON_GIL=0 "
        "to see what it would give.",
        "sys._is_gil_enabled() in the target",
    )


def after(_first: Reading, last: Reading, place: Place) -> Hazard | None:
    """Known only after the first launch."""
    return before(last, place)
