"""Address space layout randomisation off: every launch draws the same layout."""

from __future__ import annotations

import re

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown

ID = "aslr"
NO_RANDOMIZE = 0x0040000
"""ADDR_NO_RANDOMIZE (personality(2))."""


def read(place: Place) -> Reading:
    """Whether the kernel randomises, and whether this process is exempt."""
    if place.system != "linux":
        return unknown("only Linux lets it be switched off for a launch")
    level = place.tree.integer("proc/sys/kernel/randomize_va_space")
    if level is None:
        return unknown(place.tree.why("proc/sys/kernel/randomize_va_space"))
    own = place.tree.text("proc/self/personality") or ""
    exempt = bool(re.fullmatch(r"[0-9a-f]{1,16}", own)) and bool(int(own, 16) & NO_RANDOMIZE)
    return {"level": level, "exempt": exempt}


def before(first: Reading, _place: Place) -> Hazard | None:
    """Layouts do not vary between launches."""
    if first["level"] != 0 and not first["exempt"]:
        return None
    return Hazard(
        ID,
        "Address layout is not randomised: every launch repeats one layout, so its luck (which objects share "
        "a line) looks like a property of the code and intervals are too tight.",
        "Switch it on: `sysctl kernel.randomize_va_space=2`, and start Knee without `setarch -R` or a "
        "debugger.",
        "/proc/self/personality" if first["exempt"] else "/proc/sys/kernel/randomize_va_space",
    )


def after(_first: Reading, _last: Reading, _place: Place) -> Hazard | None:
    """Nothing new after a run."""
    return None
