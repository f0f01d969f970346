"""Prints while timed: every worker waits for one stream.

Facts: ``printed``, bytes that the workload wrote to its standard streams inside timed parts.
"""

from __future__ import annotations

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown

ID = "prints"


def read(place: Place) -> Reading:
    """Bytes that the agent captured."""
    if "printed" not in place.facts:
        return unknown("no interpreter has reported yet")
    return {"bytes": place.count("printed")}


def before(_first: Reading, _place: Place) -> Hazard | None:
    """Nothing was timed yet."""
    return None


def after(_first: Reading, last: Reading, _place: Place) -> Hazard | None:
    """The workload printed."""
    if last["bytes"] <= 0:
        return None
    return Hazard(
        ID,
        f"The workload printed {last['bytes']} bytes while it was timed: workers queue for the stream's "
        "lock, and the curve shows that queue.",
        "Print after the timed part, or not at all.",
        "the captured output of the launch",
    )
