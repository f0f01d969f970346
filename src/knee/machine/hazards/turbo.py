"""Turbo: a clock that falls as more cores are busy bends every ladder."""

from __future__ import annotations

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown

ID = "turbo"
NO_TURBO = "sys/devices/system/cpu/intel_pstate/no_turbo"
BOOST = "sys/devices/system/cpu/cpufreq/boost"


def read(place: Place) -> Reading:
    """Whether cores may clock above their base frequency."""
    off, boost = place.tree.integer(NO_TURBO), place.tree.integer(BOOST)
    if off is not None:
        return {"on": off == 0, "file": NO_TURBO}
    if boost is not None:
        return {"on": boost == 1, "file": BOOST}
    return unknown(
        f"{place.tree.why(NO_TURBO)}; {place.tree.why(BOOST)}"
        if place.system == "linux"
        else "only Linux tells"
    )


def before(first: Reading, _place: Place) -> Hazard | None:
    """Turbo is on."""
    if not first["on"]:
        return None
    return Hazard(
        ID,
        "Turbo is on: one busy core clocks higher than many, so speedup falls with workers even where "
        "nothing is shared (10 to 30 % is usual).",
        "Read efficiency against the ceiling (`knee machine --probe`), or switch turbo off while measuring.",
        f"/{first['file']}",
    )


def after(first: Reading, last: Reading, _place: Place) -> Hazard | None:
    """Only a change is new."""
    if first["on"] == last["on"]:
        return None
    return Hazard(
        ID,
        "Turbo was switched during the run: cells before and after cannot be compared.",
        "Measure again.",
        f"/{first['file']} before and after",
    )
