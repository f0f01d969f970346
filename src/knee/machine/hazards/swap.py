"""Swap: pages written out or read back while measuring."""

from __future__ import annotations

import re

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown

ID = "swap"


def read(place: Place) -> Reading:
    """Pages swapped in and out since boot."""
    if place.system == "linux":
        fields = dict(
            re.findall(r"^(pswp\w+) ([0-9]{1,18})$", place.tree.text("proc/vmstat") or "", re.MULTILINE)
        )
        if "pswpin" not in fields or "pswpout" not in fields:
            return unknown(
                place.tree.why("proc/vmstat") if not fields else "/proc/vmstat does not count swapping"
            )
        return {"pages": int(fields["pswpin"]) + int(fields["pswpout"])}
    if place.system == "macos":
        counts = re.findall(r"^Swap(?:ins|outs):\s+([0-9]{1,18})\.$", place.output("vm_stat"), re.MULTILINE)
        return {"pages": sum(map(int, counts))} if counts else unknown("vm_stat prints no swap counts")
    return unknown("only Linux and macOS tell")


def before(_first: Reading, _place: Place) -> Hazard | None:
    """What happened since boot says nothing of this run."""
    return None


def after(first: Reading, last: Reading, place: Place) -> Hazard | None:
    """Pages moved during the run."""
    pages = last["pages"] - first["pages"]
    if pages <= 0:
        return None
    return Hazard(
        ID,
        f"{pages} pages were swapped during the run: a worker that touches one waits for the disk, thousands "
        "of times a memory access.",
        "Free memory or take a smaller workload, then measure again.",
        "/proc/vmstat before and after" if place.system == "linux" else "vm_stat before and after",
    )
