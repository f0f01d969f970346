"""Steal: time that the hypervisor gave to other machines."""

from __future__ import annotations

import re

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown

ID = "steal"
SHARE = 0.01
"""Steal above this share of CPU time is worth a word."""


def read(place: Place) -> Reading:
    """Clock ticks stolen, and all ticks, since boot (proc_stat(5))."""
    if place.system != "linux":
        return unknown("only Linux tells")
    match = re.match(r"cpu +([0-9 ]{1,300})", place.tree.text("proc/stat") or "")
    ticks = [int(field) for field in match[1].split()] if match else []
    if len(ticks) < 8:
        return unknown(place.tree.why("proc/stat") if match is None else "/proc/stat has no steal field")
    return {"steal": ticks[7], "all": sum(ticks[:8])}


def before(first: Reading, _place: Place) -> Hazard | None:
    """Much was stolen since boot."""
    share = first["steal"] / max(1, first["all"])
    return _hazard(share, "since boot") if share > SHARE else None


def after(first: Reading, last: Reading, _place: Place) -> Hazard | None:
    """Some was stolen during the run."""
    share = (last["steal"] - first["steal"]) / max(1, last["all"] - first["all"])
    return _hazard(share, "during the run") if share > SHARE else None


def _hazard(share: float, when: str) -> Hazard:
    return Hazard(
        ID,
        f"The hypervisor gave {100 * share:.1f} % of CPU time to other machines {when}: a worker stands "
        "still without the system showing it as waiting.",
        "Measure on a host of one's own, or at another time; trust paired comparisons, not absolute times.",
        "the steal field of /proc/stat",
    )
