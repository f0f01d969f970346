"""Tracing, coverage, a profiler or a debugger active while measuring.

Facts: ``tracing``, a list of what is active, such as ``sys.settrace``, ``sys.monitoring (coverage)``,
``tracemalloc``.
"""

from __future__ import annotations

import re

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown

ID = "tracing"


def read(place: Place) -> Reading:
    """What the agent says, and what traces this process (a debugger or strace)."""
    tracer = re.search(
        r"^TracerPid:[ \t]*([0-9]{1,10})$", place.tree.text("proc/self/status") or "", re.MULTILINE
    )
    reported = place.facts.get("tracing")
    if tracer is None and reported is None:
        return unknown("no interpreter has reported yet")
    names = [str(name) for name in reported] if isinstance(reported, (list, tuple)) else []
    return {"tracing": names, "tracer": int(tracer[1]) if tracer else 0}


def before(first: Reading, _place: Place) -> Hazard | None:
    """Anything that looks at each line, call or system call."""
    found = list(first["tracing"])
    if first["tracer"]:
        found.append(f"process {first['tracer']} by ptrace")
    if not found:
        return None
    return Hazard(
        ID,
        f"The workload is traced ({', '.join(found)}): every line or call costs more, and the tracer's own "
        "lock can be all that the curve shows.",
        "Run without coverage, profilers and debuggers.",
        "sys.gettrace, sys.getprofile and sys.monitoring in the target, TracerPid of /proc/self/status",
    )


def after(_first: Reading, last: Reading, place: Place) -> Hazard | None:
    """Known only after the first launch."""
    return before(last, place)
