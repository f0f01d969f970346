"""A demoted launch context, or slow cores, seen by the speed probe.

macOS clamps a thread silently under a background task policy (``taskpolicy -b``): asking for its class of
service still gives what was requested, at 3.4 to 3.7 times the time. So the probe's time is compared with
what this machine once did, and workers with each other.
"""

from __future__ import annotations

import statistics

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown

ID = "demotion"
SLOWER = 1.5
"""Times slower than the machine's own record; turbo and heat explain less."""
ENOUGH = 3


def read(place: Place) -> Reading:
    """Median of this run's speed probes, and the best median of earlier runs, seconds."""
    speeds = [value for value in place.speeds if value > 0]
    return (
        {
            "now": statistics.median(speeds) if speeds else None,
            "fastest": min(speeds, default=None),
            "slow": sum(value > SLOWER * min(speeds) for value in speeds),
            "probes": len(speeds),
            "record": min((value for value in place.earlier if value > 0), default=None),
        }
        if speeds or place.earlier
        else unknown("no speed probe was run yet")
    )


def before(first: Reading, _place: Place) -> Hazard | None:
    """Slower than this machine's own record, or some probes slower than others."""
    now, record = first["now"], first["record"]
    if now is None or first["probes"] < ENOUGH:
        return None
    if record is not None and now > SLOWER * record:
        return Hazard(
            ID,
            f"The speed probe takes {now / record:.1f} times as long as in earlier runs on this machine: "
            "this launch is confined to slow cores, throttled, or shares them with other work, and every "
            "number is longer by that.",
            "Start Knee from a plain terminal (not from an IDE task, a launchd or CI job, or `taskpolicy "
            "-b`), plugged in.",
            f"median of {first['probes']} speed probes against the store's best",
        )
    if first["slow"] >= max(2, 0.05 * first["probes"]):
        share = first["slow"] / first["probes"]
        return Hazard(
            ID,
            f"In {100 * share:.0f} % of probes the worker ran on a core more than {SLOWER} times slower than "
            "the fastest: a slow core, a shared one, or one that was taken away.",
            "Compare inside one pool, measure with at most the number of fast cores, or pin to them.",
            f"{first['probes']} speed probes against their fastest",
        )
    return None


def after(_first: Reading, last: Reading, place: Place) -> Hazard | None:
    """By the probes of the whole run."""
    return before(last, place)
