"""Isolated CPUs: the scheduler never balances threads onto them."""

from __future__ import annotations

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown

ID = "isolation"


def read(place: Place) -> Reading:
    """Isolated CPUs among those that this process may use."""
    if "isolated" in place.limits.unknown:
        return unknown(place.limits.unknown["isolated"])
    if place.system != "linux":
        return unknown("only Linux isolates CPUs")
    allowed = set(place.cpus)
    return {"isolated": sorted(allowed & set(place.limits.isolated)), "allowed": len(allowed)}


def before(first: Reading, _place: Place) -> Hazard | None:
    """Threads that may run on isolated CPUs pile up."""
    isolated = first["isolated"]
    if not isolated:
        return None
    return Hazard(
        ID,
        f"{len(isolated)} of the {first['allowed']} CPUs allowed are isolated: threads stay on the CPU where "
        "they start, so several workers pile up on one and scaling looks absent.",
        "Run without the isolated CPUs in the affinity mask (`taskset`), or let Knee pin each worker to its "
        "own.",
        "/sys/devices/system/cpu/isolated and the affinity mask",
    )


def after(_first: Reading, _last: Reading, _place: Place) -> Hazard | None:
    """Nothing new after a run."""
    return None
