"""A laptop on battery: the system lowers clocks and prefers slow cores."""

from __future__ import annotations

from knee.machine.hazards.hazard import Hazard, Place, Reading, unknown

ID = "battery"
FOLDER = "sys/class/power_supply"


def read(place: Place) -> Reading:
    """Whether a battery feeds the machine."""
    if place.system == "linux":
        names = place.tree.names(FOLDER)
        batteries = [
            name
            for name in names
            if place.tree.text(f"{FOLDER}/{name}/type") == "Battery"
            # A mouse or a headset has scope Device.
            and place.tree.text(f"{FOLDER}/{name}/scope") != "Device"
        ]
        states = [place.tree.text(f"{FOLDER}/{name}/status") for name in batteries]
        return {"battery": bool(batteries), "on": "Discharging" in states}
    if place.system == "macos":
        text = place.output("pmset", "-g", "batt")
        return (
            {"battery": "InternalBattery" in text, "on": "'Battery Power'" in text}
            if text
            else unknown("pmset prints nothing")
        )
    try:
        import psutil

        sensor = psutil.sensors_battery()
    except (ImportError, OSError, RuntimeError, AttributeError) as error:
        return unknown(f"the battery cannot be read: {error}")
    return {"battery": sensor is not None, "on": sensor is not None and sensor.power_plugged is False}


def before(first: Reading, place: Place) -> Hazard | None:
    """On battery now."""
    if not first["on"]:
        return None
    return Hazard(
        ID,
        "The machine runs on battery: the system lowers clocks and prefers slow cores, more as the charge "
        "falls.",
        "Plug it in, then measure.",
        {"linux": f"/{FOLDER}", "macos": "pmset -g batt"}.get(place.system, "the power status"),
    )


def after(first: Reading, last: Reading, place: Place) -> Hazard | None:
    """Unplugged during the run."""
    return before(last, place) if not first["on"] else None
