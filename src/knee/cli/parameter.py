"""What people type, as values: durations, shares, worker counts, kinds, variables."""

from __future__ import annotations

import math
import re
from typing import Any

import click

from knee.plan.cell import Kind

MOST_WORKERS = 1024
"""More workers than this in one pool are a slip of the finger, and would bring most machines down."""

KINDS: tuple[Kind, ...] = ("threads", "processes", "subinterpreters")

_SECONDS = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(us|µs|ms|min|s|m|h)?\s*")
_RANGE = re.compile(r"(\d+)(?:\s*(?:-|\.\.)\s*(\d+))?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def duration(text: str) -> float:
    """Seconds from ``90``, ``90s``, ``1.5m``, ``100ms``, ``1h30m``.

    Raises:
        ValueError: no such thing, or not above zero.
    """
    total, place = 0.0, 0
    stripped = text.strip()
    while place < len(stripped):
        part = _PART.match(stripped, place)
        if part is None or (part[2] is None and (place or part.end() < len(stripped))):
            break
        total += float(part[1]) * _SECONDS[part[2] or "s"]
        place = part.end()
    if not stripped or place < len(stripped) or not math.isfinite(total):
        raise ValueError(f"'{text}' is not a duration; write it like 90s, 1.5m or 100ms")
    if total <= 0:
        raise ValueError(f"'{text}' is no time at all; a duration is above zero")
    return total


def share(text: str) -> float:
    """A share above 0 and below 1 from ``3%`` or ``0.03``.

    Raises:
        ValueError: no such thing.
    """
    stripped = text.strip()
    number = stripped.removesuffix("%").rstrip()
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if stripped.endswith("%"):
        value /= 100
    elif value >= 1:
        raise ValueError(f"'{text}' is more than all of it; did you mean {number}%?")
    if not 0 < value < 1:
        raise ValueError(f"'{text}' is not a share; write it like 3% or 0.03")
    return value


def workers(text: str) -> tuple[int, ...]:
    """Worker counts, ascending and each once, from ``1,2,4`` or ``1-4,8``.

    Raises:
        ValueError: no counts, a count of 0, or more than ``MOST_WORKERS``.
    """
    counts: set[int] = set()
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None or len(part) > 40:
            raise ValueError(f"'{part.strip()}' is not a worker count; write them like 1,2,4 or 1-4,8")
        low, high = int(match[1]), int(match[2] or match[1])
        if low < 1:
            raise ValueError("0 is not a worker count; the smallest is 1")
        if high > MOST_WORKERS:
            raise ValueError(f"{high} workers are more than Knee starts; the most is {MOST_WORKERS}")
        if low > high:
            raise ValueError(f"'{part.strip()}' runs backwards; write it {high}-{low}")
        counts.update(range(low, high + 1))
    return tuple(sorted(counts))


def kinds(text: str) -> tuple[Kind, ...]:
    """Kinds of worker, each once, in the order given, from ``threads,processes``.

    Raises:
        ValueError: an unknown kind.
    """
    found: dict[Kind, None] = {}
    for part in text.split(","):
        name = part.strip().lower()
        matches = [kind for kind in KINDS if name and kind.startswith(name)]
        if len(matches) != 1:
            raise ValueError(f"'{part.strip()}' is not a kind of worker; there are {', '.join(KINDS)}")
        found[matches[0]] = None
    return tuple(found)


def variable(text: str) -> tuple[str, str]:
    """An environment variable from ``NAME=VALUE``; the value may be empty.

    Raises:
        ValueError: no ``=``, or no name.
    """
    name, equals, value = text.partition("=")
    if not equals or not _NAME.fullmatch(name):
        raise ValueError(f"'{text}' does not set a variable; write it like NAME=VALUE")
    if "\0" in value:
        raise ValueError(f"the value of {name} has a NUL character in it, which no system can pass on")
    return name, value


class _Parsed(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic in newer clicks only
    """A click type from one of the functions above."""

    def __init__(self, name: str, parse: Any) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self._parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


DURATION = _Parsed("duration", duration)
SHARE = _Parsed("share", share)
WORKERS = _Parsed("counts", workers)
KIND = _Parsed("kinds", kinds)
VARIABLE = _Parsed("name=value", variable)
