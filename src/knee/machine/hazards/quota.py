"""CPU quota of the control groups: workers are stopped for the rest of each period."""

from __future__ import annotations

import re

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown
from knee.machine.linux import groups

ID = "quota"


def read(place: Place) -> Reading:
    """The quota in CPUs, and the periods throttled so far in every group that holds this process."""
    if place.system != "linux":
        return unknown("only Linux has control groups")
    throttled, seconds, files = 0, 0.0, 0
    for version, folder in groups.folders(place.tree, "cpu"):
        text = place.tree.text(f"{folder}/cpu.stat") or ""
        fields = dict(re.findall(r"^(\w+) ([0-9]{1,18})$", text, re.MULTILINE))
        if "nr_throttled" in fields:
            files += 1
            throttled += int(fields["nr_throttled"])
            # Version 1 counts nanoseconds in throttled_time, version 2 microseconds in throttled_usec.
            seconds += (
                int(fields.get("throttled_usec", 0)) / 1e6
                if version == 2
                else int(fields.get("throttled_time", 0)) / 1e9
            )
    if not files and "quota" in place.limits.unknown:
        return unknown(place.limits.unknown["quota"])
    return {"quota": place.limits.quota, "throttled": throttled, "throttled_seconds": seconds}


def before(first: Reading, place: Place) -> Hazard | None:
    """A quota below the CPUs, or below the workers."""
    quota = first["quota"]
    if quota is None or quota >= (place.workers or len(place.cpus) or 1):
        return None
    return Hazard(
        ID,
        f"The quota is {quota:g} CPUs: more workers than that are stopped for a part of each period, which "
        "looks like contention in the code.",
        f"Measure with at most {max(1, int(quota))} workers, or raise the quota (docker --cpus, the pod's "
        "CPU limit).",
        f"{place.limits.quota_from or 'cpu.max'}",
    )


def after(first: Reading, last: Reading, _place: Place) -> Hazard | None:
    """Periods in which the group was throttled."""
    periods = last["throttled"] - first["throttled"]
    if periods <= 0:
        return None
    seconds = last["throttled_seconds"] - first["throttled_seconds"]
    return Hazard(
        ID,
        f"The quota stopped the workers in {periods} periods during the run ({seconds:.2f} s in all): those "
        "reps measure the quota, not the code.",
        "Measure with fewer workers, or raise the quota.",
        "cpu.stat of the control groups before and after",
    )
