"""The frequency governor: cores that speed up only once work has begun."""

from __future__ import annotations

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown

ID = "governor"
FOLDER = "sys/devices/system/cpu"


def read(place: Place) -> Reading:
    """Governors in use, and the driver."""
    files = [f"{FOLDER}/cpu{number}/cpufreq/scaling_governor" for number in place.cpus]
    found = {text for file in files if (text := place.tree.text(file))}
    if not found:
        return unknown(place.tree.why(files[0]) if files and place.system == "linux" else "only Linux tells")
    number = place.cpus[0]
    return {
        "governors": sorted(found),
        "driver": place.tree.text(f"{FOLDER}/cpu{number}/cpufreq/scaling_driver"),
        "preference": place.tree.text(f"{FOLDER}/cpu{number}/cpufreq/energy_performance_preference"),
    }


def before(first: Reading, _place: Place) -> Hazard | None:
    """Anything but ``performance`` changes the clock with the load."""
    governors = first["governors"]
    if governors == ["performance"]:
        return None
    preference = f", preference {first['preference']}" if first.get("preference") else ""
    return Hazard(
        ID,
        f"The frequency governor is {' and '.join(governors)}{preference}: a core raises its clock only "
        "after work has begun, so short reps and cells with few workers look slower than they are.",
        "Use `cpupower frequency-set -g performance` while measuring, or make reps longer than 100 ms.",
        f"/{FOLDER}/cpu*/cpufreq/scaling_governor (driver {first.get('driver') or 'unknown'})",
    )


def after(first: Reading, last: Reading, _place: Place) -> Hazard | None:
    """Only a change of governor is new."""
    if first["governors"] == last["governors"]:
        return None
    return Hazard(
        ID,
        f"The frequency governor changed from {' and '.join(first['governors'])} to "
        f"{' and '.join(last['governors'])} during the run: cells before and after cannot be compared.",
        "Find what changes it (a power daemon, a plug), then measure again.",
        f"/{FOLDER}/cpu*/cpufreq/scaling_governor before and after",
    )
