"""Thermal or power throttling while measuring."""

from __future__ import annotations

import re

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown

ID = "throttling"
FOLDER = "sys/devices/system/cpu"


def read(place: Place) -> Reading:
    """Counts of throttle events (Linux, Intel), or the speed limit in per cent (macOS)."""
    if place.system == "macos":
        match = re.search(r"CPU_Speed_Limit\s*=\s*([0-9]{1,3})\b", place.output("pmset", "-g", "therm"))
        return {"limit": int(match[1])} if match else unknown("pmset -g therm states no CPU_Speed_Limit")
    if place.system != "linux":
        return unknown("only Linux and macOS tell")
    files = [
        f"{FOLDER}/cpu{number}/thermal_throttle/{name}_throttle_count"
        for number in place.cpus
        for name in ("core", "package")
    ]
    counts = [count for file in files if (count := place.tree.integer(file)) is not None]
    return (
        {"events": sum(counts)}
        if counts
        else unknown(place.tree.why(files[0]) if files else "no CPU is known")
    )


def before(first: Reading, _place: Place) -> Hazard | None:
    """macOS limits the speed already."""
    return _limited(first["limit"], "now") if first.get("limit", 100) < 100 else None


def after(first: Reading, last: Reading, _place: Place) -> Hazard | None:
    """Events were counted, or the limit fell."""
    if last.get("limit", 100) < 100:
        return _limited(last["limit"], "after the run")
    events = last.get("events", 0) - first.get("events", 0)
    if events <= 0:
        return None
    return Hazard(
        ID,
        f"The processor throttled for heat or power {events} times during the run: later cells are slower "
        "than earlier ones, and cells with more workers slower than their code.",
        "Cool the machine or lower its clock (turbo off), then measure again.",
        f"/{FOLDER}/cpu*/thermal_throttle before and after",
    )


def _limited(limit: int, when: str) -> Hazard:
    return Hazard(
        ID,
        f"The system holds the processor at {limit} % of its speed {when}, for heat: every time is longer by "
        "that.",
        "Let the machine cool, then measure again.",
        "pmset -g therm",
    )
