"""A background or nice class, which gives way to everything else."""

from __future__ import annotations

import os
import re

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown
from knee.machine.linux import groups

ID = "priority"
BATCH, IDLE = 3, 5
"""SCHED_BATCH and SCHED_IDLE (sched(7))."""


def read(place: Place) -> Reading:
    """Nice value, scheduling policy, and whether a control group is of the idle class."""
    if place.system != "linux":
        try:
            return {"nice": os.getpriority(os.PRIO_PROCESS, 0)}
        except (AttributeError, OSError):
            return unknown("the system has no nice value")
    words = (place.tree.text("proc/self/stat") or "").rpartition(") ")[2].split()
    # Fields 19 (nice) and 41 (policy) of proc_pid_stat(5); field 3 is the first here.
    if (
        len(words) < 39
        or not re.fullmatch(r"-?[0-9]{1,4}", words[16])
        or not re.fullmatch(r"[0-9]{1,4}", words[38])
    ):
        return unknown(
            place.tree.why("proc/self/stat") if not words else "/proc/self/stat has too few fields"
        )
    idle = any(
        place.tree.integer(f"{folder}/cpu.idle") == 1 for _, folder in groups.folders(place.tree, "cpu")
    )
    return {"nice": int(words[16]), "policy": int(words[38]), "idle": idle}


def before(first: Reading, place: Place) -> Hazard | None:
    """Anything that makes this process give way."""
    reasons = []
    if first["nice"] > 0:
        reasons.append(f"nice {first['nice']}")
    if first.get("policy") in (BATCH, IDLE):
        reasons.append("SCHED_BATCH" if first["policy"] == BATCH else "SCHED_IDLE")
    if first.get("idle"):
        reasons.append("a control group with cpu.idle")
    if not reasons:
        return None
    return Hazard(
        ID,
        f"Knee runs as background work ({', '.join(reasons)}): workers stand still whenever anything else "
        "wants a CPU.",
        "Start Knee from a plain shell, not from a build task, a job queue or under `nice`.",
        "/proc/self/stat and the control groups" if place.system == "linux" else "getpriority",
    )


def after(first: Reading, last: Reading, place: Place) -> Hazard | None:
    """Demoted during the run."""
    return before(last, place) if before(first, place) is None else None
