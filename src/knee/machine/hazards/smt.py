"""SMT siblings: two workers on one core share its units."""

from __future__ import annotations

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown

ID = "smt"


def read(place: Place) -> Reading:
    """Hardware threads and cores that this process may use."""
    if not place.topology.cpus:
        return unknown("the topology is unknown")
    allowed = set(place.cpus)
    cores = {cpu.core for cpu in place.topology.cpus if cpu.number in allowed}
    return {"threads": len(allowed), "cores": len(cores)}


def before(first: Reading, place: Place) -> Hazard | None:
    """More workers than cores must share, fewer may."""
    threads, cores = first["threads"], first["cores"]
    if threads <= cores or place.workers == 1:
        return None
    if place.workers is not None and place.workers > cores:
        words = f"{place.workers} workers on {cores} cores: some must share a core with another"
    else:
        words = f"{threads} hardware threads share {cores} cores: two workers may be placed on one core"
    return Hazard(
        ID,
        f"{words}, and then each runs at 50 to 65 % of its speed alone.",
        f"Measure with at most {cores} workers, pinned to one thread a core, or switch SMT off.",
        "the CPUs' sibling lists",
    )


def after(first: Reading, _last: Reading, place: Place) -> Hazard | None:
    """Reps in which two workers were on one core."""
    core_of = {cpu.number: cpu.core for cpu in place.topology.cpus}
    reported = place.facts.get("cpus")
    reps = [
        [core_of[number] for number in rep if isinstance(number, int) and number in core_of]
        for rep in (reported if isinstance(reported, (list, tuple)) else ())
        if isinstance(rep, (list, tuple))
    ]
    shared = sum(len(set(cores)) < len(cores) for cores in reps)
    if not shared or first["threads"] <= first["cores"]:
        return None
    return Hazard(
        ID,
        f"In {100 * shared / len(reps):.0f} % of reps two workers were on one core: each then ran at 50 to "
        "65 % of its speed alone.",
        f"Measure with at most {first['cores']} workers, pinned to one thread a core.",
        "the CPU of each worker at the ends of each rep",
    )
