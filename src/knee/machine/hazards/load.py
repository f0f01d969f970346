"""Other load: processes that take cores from the workers."""

from __future__ import annotations

import os
import re

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown

ID = "load"
BUSY = 0.1
"""CPUs used by others during a run above which it is worth a word."""


def read(place: Place) -> Reading:
    """Ticks used by everyone and by this process with its descendants, pressure, and the load average."""
    if place.system != "linux":
        try:
            return {"load": os.getloadavg()[0]}
        except (AttributeError, OSError):
            return unknown("the system has no load average")
    tree = place.tree
    match = re.match(r"cpu +([0-9 ]{1,300})", tree.text("proc/stat") or "")
    ticks = [int(field) for field in match[1].split()] if match else []
    loads = re.match(r"([0-9]{1,9}\.[0-9]{1,9}) ", tree.text("proc/loadavg") or "")
    pressure = re.search(
        r"^some avg10=([0-9]{1,3}\.[0-9]{1,9})", tree.text("proc/pressure/cpu") or "", re.MULTILINE
    )
    if len(ticks) < 7 and loads is None and pressure is None:
        return unknown(tree.why("proc/stat"))
    return {
        # user, nice, system, irq, softirq: not idle, not waiting for a disk.
        "busy": ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] if len(ticks) >= 7 else None,
        "own": _own(place),
        "load": float(loads[1]) if loads else None,
        "pressure": float(pressure[1]) if pressure else None,
    }


def _own(place: Place) -> int | None:
    """Ticks of this process, its living descendants and all it has waited for (proc_pid_stat(5))."""
    tree = place.tree
    fields: dict[str, list[str]] = {}
    for name in tree.names("proc"):
        if name.isascii() and name.isdigit():
            # The command is in parentheses and may hold any character, also spaces and parentheses.
            after = (tree.text(f"proc/{name}/stat") or "").rpartition(") ")[2].split()
            if len(after) > 15 and all(
                re.fullmatch(r"-?[0-9]{1,20}", word) for word in (after[1], *after[11:15])
            ):
                fields[name] = after
    self_text = tree.text("proc/self/stat") or ""
    family = {self_text.partition(" ")[0]}
    grown = True
    while grown:
        more = {name for name, words in fields.items() if words[1] in family} - family
        family |= more
        grown = bool(more)
    members = [fields[name] for name in family if name in fields]
    return sum(int(word) for words in members for word in words[11:15]) if members else None


def before(first: Reading, _place: Place) -> Hazard | None:
    """Tasks wait for a CPU, or some ran in the last minute."""
    pressure, load = first.get("pressure"), first.get("load")
    if pressure is not None and pressure >= 5:
        return _hazard(f"tasks waited for a CPU in {pressure:.0f} % of the last 10 s", "/proc/pressure/cpu")
    if load is not None and load >= 0.5:
        return _hazard(f"{load:.1f} tasks were runnable on average over the last minute", "the load average")
    return None


def after(first: Reading, last: Reading, _place: Place) -> Hazard | None:
    """CPU time that others used during the run."""
    known = [first.get("busy"), last.get("busy"), first.get("own"), last.get("own")]
    if None in known or last["seconds"] <= 0.05:
        return None
    ticks = (last["busy"] - first["busy"]) - (last["own"] - first["own"])
    cpus = ticks / os.sysconf("SC_CLK_TCK") / last["seconds"]
    if cpus < BUSY:
        return None
    return _hazard(
        f"other processes used {cpus:.2f} CPUs during the run",
        "/proc/stat less this process and its children",
    )


def _hazard(words: str, seen: str) -> Hazard:
    return Hazard(
        ID,
        f"Other work runs on this machine: {words}. Workers lose their core to it, most where they are as "
        "many as the cores.",
        "Stop it (see `top`), or measure with fewer workers than cores.",
        seen,
    )
