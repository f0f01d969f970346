"""Figures as people read them."""

from __future__ import annotations

import math

from knee.stats.interval import Interval

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_RATES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))


def time(seconds: float) -> str:
    """Three figures and a unit: ``104 ms``."""
    scale, unit = next((pair for pair in _TIMES if seconds >= pair[0]), _TIMES[-1])
    return f"{figures(seconds / scale)} {unit}"


def rate(per_second: float) -> str:
    """Three figures and a unit: ``9.62 k/s``."""
    scale, prefix = next((pair for pair in _RATES if per_second >= pair[0]), _RATES[-1])
    return f"{figures(per_second / scale)} {prefix}/s".replace(" /", "/")


def figures(value: float, count: int = 3) -> str:
    """``count`` significant figures without an exponent: ``104``, ``9.62``, ``0.0123``."""
    if not math.isfinite(value):
        return "?"
    if value == 0:
        return "0"
    decimals = max(0, count - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}"


def ratio(interval: Interval | None) -> str:
    """A ratio with its interval: ``1.92 ± 0.03``, ``1.39 (0.97 to 1.98)`` where it is lopsided."""
    if interval is None:
        return ""
    if interval.low == interval.high:
        return f"{interval.estimate:.2f}"
    if not _telling(interval):
        return f"{interval.estimate:.2f} ± ?"
    if abs(interval.high + interval.low - 2 * interval.estimate) > 0.02:
        return f"{interval.estimate:.2f} ({interval.low:.2f} to {interval.high:.2f})"
    return f"{interval.estimate:.2f} ± {(interval.high - interval.low) / 2:.2f}"


def percent(interval: Interval | None) -> str:
    """``96% ± 2``."""
    if interval is None:
        return ""
    if interval.low == interval.high:
        return f"{interval.estimate:.0%}"
    half = f"{50 * (interval.high - interval.low):.0f}" if _telling(interval) else "?"
    return f"{interval.estimate:.0%} ± {half}"


def spread(interval: Interval) -> str:
    """The half width as a share of the estimate, ``± 1.2%``; ``?`` where it is more than all of it; of 0 nothing."""
    if interval.low == interval.high == 0:
        return ""
    half = (interval.high - interval.low) / 2
    if not interval.bounded or half > abs(interval.estimate):
        return "± ?"
    return f"± {half / abs(interval.estimate):.1%}"


def _telling(interval: Interval) -> bool:
    """Whether the interval narrows anything down: with two launches it can be wider than a hundred estimates."""
    return interval.bounded and interval.high - interval.low < 2 * max(1.0, abs(interval.estimate))


def span(seconds: float) -> str:
    """A span to wait: ``8 s``, ``1:30 min``, ``2:05 h``."""
    whole = max(0, math.ceil(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02d} h"
