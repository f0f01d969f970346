"""Memory pressure: little is left, or tasks stalled to get some."""

from __future__ import annotations

import re

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown

ID = "memory"
LEFT = 0.05
STALLED = 0.01


def read(place: Place) -> Reading:
    """Share of memory that is available, and seconds stalled for memory since boot (PSI)."""
    if place.system != "linux":
        try:
            import psutil

            memory = psutil.virtual_memory()
        except (ImportError, OSError, RuntimeError) as error:
            return unknown(f"memory cannot be read: {error}")
        return {"left": memory.available / max(1, memory.total), "stalled": None}
    text = place.tree.text("proc/meminfo") or ""
    fields = dict(re.findall(r"^(Mem\w+):\s+([0-9]{1,18}) kB$", text, re.MULTILINE))
    stalled = re.search(
        r"^some .*total=([0-9]{1,18})$", place.tree.text("proc/pressure/memory") or "", re.MULTILINE
    )
    total = int(fields.get("MemTotal", 0))
    if total == 0 or "MemAvailable" not in fields:
        return unknown(place.tree.why("proc/meminfo") if not text else "/proc/meminfo has no MemAvailable")
    return {
        "left": int(fields["MemAvailable"]) / total,
        "stalled": int(stalled[1]) / 1e6 if stalled else None,
    }


def before(first: Reading, place: Place) -> Hazard | None:
    """Little is left."""
    if first["left"] >= LEFT:
        return None
    return Hazard(
        ID,
        f"{100 * first['left']:.0f} % of memory is available: the system reclaims pages while workers run, "
        "in time that falls on whichever worker asks.",
        "Free memory, then measure.",
        "MemAvailable of /proc/meminfo" if place.system == "linux" else "available memory",
    )


def after(first: Reading, last: Reading, _place: Place) -> Hazard | None:
    """Tasks stalled during the run."""
    if first["stalled"] is None or last["stalled"] is None:
        return None
    share = (last["stalled"] - first["stalled"]) / max(last["seconds"], 0.05)
    if share < STALLED:
        return None
    return Hazard(
        ID,
        f"Tasks waited for memory in {100 * min(share, 1):.0f} % of the run: page reclaim, not the code, "
        "shaped those reps.",
        "Free memory or take a smaller workload, then measure again.",
        "/proc/pressure/memory before and after",
    )
