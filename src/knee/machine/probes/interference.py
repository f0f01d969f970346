"""The effective interference size out of a curve of times by distance: pure, so that simulations test it.

Two workers bump counters some bytes apart. Where the counters share what the machine moves between cores, a
bump costs more. The size is the least distance from which on every distance costs the same as a far one,
provided that every lesser one costs more; anything less clear is "cannot tell", never a number.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from knee.machine.probes.median import Median, median

DISTANCES = (8, 16, 32, 64, 128, 256, 512, 1024)
"""Bytes between the two counters. The last two are far: no known machine moves more than 256 at once."""

MARGIN = 0.15
"""Distances whose cost differs by less than this share do not interfere; sharing a line costs 100 % and more."""

CONFIDENCE = 0.98
"""Of each distance's interval. A wrong size needs two neighbouring distances to err, and the same way."""

ENOUGH = 8
"""Fewest values a distance: below that no interval has the confidence."""

Verdict = Literal["interferes", "clear", "unclear"]


@dataclass(frozen=True)
class Point:
    """One distance: time of a bump in seconds, its ratio to far distances, and what that means."""

    distance: int
    time: Median
    ratio: Median
    verdict: Verdict

    def to_json(self) -> dict[str, Any]:
        """A point of the curve."""
        return {
            "distance": self.distance,
            "time": self.time.to_json(),
            "ratio": self.ratio.to_json(),
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class Interference:
    """The effective interference size.

    Attributes:
        size: bytes; None for cannot tell.
        interval: the greatest distance seen to interfere (0 for none) and the least from which on all are
        clear.
        why: how it was concluded, or why it cannot be told.
    """

    size: int | None
    interval: tuple[int, int] | None
    why: str
    curve: tuple[Point, ...]

    def ratio(self, distance: int) -> Median | None:
        """Cost at a distance over the cost far away."""
        return next((point.ratio for point in self.curve if point.distance == distance), None)

    def to_json(self) -> dict[str, Any]:
        """One curve of the ``line`` probe."""
        interval = None if self.interval is None else list(self.interval)
        return {
            "size": self.size,
            "interval": interval,
            "why": self.why,
            "curve": [point.to_json() for point in self.curve],
        }


def estimate(times: Mapping[int, Sequence[float]], margin: float = MARGIN) -> Interference:
    """Conclude from the times of a bump (seconds), by distance in bytes."""
    distances = sorted(times)
    if len(distances) < 3 or any(not times[distance] for distance in distances):
        missing = ", ".join(str(distance) for distance in distances if not times[distance]) or "any"
        why = f"no trusted measurement at distance {missing}: the workers hardly ran at the same time"
        return Interference(None, None, why, ())
    far = statistics.median([*times[distances[-1]], *times[distances[-2]]])
    curve = tuple(_point(distance, times[distance], far, margin) for distance in distances)
    few = min(len(times[distance]) for distance in distances)
    if few < ENOUGH:
        return Interference(
            None, None, f"only {few} trusted measurements at some distance: the machine is too busy", curve
        )
    return _conclude(curve)


def _point(distance: int, times: Sequence[float], far: float, margin: float) -> Point:
    logs = median([math.log(time / far) for time in times], CONFIDENCE)
    ratio = Median(
        *(
            math.exp(value) if math.isfinite(value) else value
            for value in (logs.low, logs.estimate, logs.high)
        )
    )
    edge = math.log1p(margin)
    verdict: Verdict = "unclear"
    if logs.low > edge:
        verdict = "interferes"
    elif logs.high < edge:
        verdict = "clear"
    return Point(distance, median(times, CONFIDENCE), ratio, verdict)


def _conclude(curve: tuple[Point, ...]) -> Interference:
    clear_from = None
    for point in reversed(curve):
        if point.verdict != "clear":
            break
        clear_from = point.distance
    near = [point for point in curve if point.verdict == "interferes"]
    last = near[-1].distance if near else 0
    if clear_from is None or clear_from > curve[-2].distance:
        return Interference(None, None, "the far distances do not agree with each other", curve)
    interval = (last, clear_from)
    if not near:
        words = "no distance interferes: the workers may have run on one core, or share their first cache"
        if clear_from > curve[0].distance:
            words = "no distance clearly interferes, and some are unclear"
        return Interference(None, interval, words, curve)
    wrong = [
        str(point.distance)
        for point in curve
        if point.distance < clear_from and point.verdict != "interferes"
    ]
    if wrong:
        return Interference(None, interval, f"unclear at {', '.join(wrong)} bytes", curve)
    ratio = near[-1].ratio.estimate
    why = f"{last} bytes apart a bump takes {ratio:.1f} times as long, from {clear_from} bytes on no longer"
    return Interference(clear_from, interval, why, curve)
