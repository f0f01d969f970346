"""Hazards: one kind a module, each data with advice.

A verb that measures takes a :func:`snapshot`, reports :func:`before`, measures, and reports :func:`after`. A
snapshot is JSON data, so that the store can keep it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from knee.machine.hazards import (
    aslr,
    battery,
    debug,
    demotion,
    gil,
    governor,
    isolation,
    load,
    memory,
    pools,
    prints,
    priority,
    quota,
    smt,
    steal,
    swap,
    throttling,
    tracing,
    turbo,
)
from knee.machine.hazards.hazard import Hazard, Kind, Place, Reading

__all__ = ["KINDS", "Hazard", "Place", "Snapshot", "after", "before", "place", "snapshot", "unchecked"]

KINDS: tuple[Kind, ...] = (
    quota,
    isolation,
    priority,
    demotion,
    load,
    steal,
    throttling,
    governor,
    turbo,
    smt,
    battery,
    memory,
    swap,
    aslr,
    debug,
    tracing,
    gil,
    pools,
    prints,
)
"""Every kind, those that can spoil a number most first."""

LATE: tuple[Kind, ...] = (demotion, debug, tracing, gil, pools, prints)
"""Kinds that the target or the speed probe tells of: known after a launch only, and then by that alone."""


@dataclass(frozen=True)
class Snapshot:
    """Readings of every kind at one moment; ``clock`` is monotonic seconds."""

    readings: Mapping[str, Reading] = field(default_factory=dict)
    clock: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """As the store keeps it; ``Snapshot(**data)`` reads it back."""
        return {"readings": dict(self.readings), "clock": self.clock}


def place(
    *,
    workers: int | None = None,
    facts: Mapping[str, Any] | None = None,
    speeds: Sequence[float] = (),
    earlier: Sequence[float] = (),
) -> Place:
    """This machine, with what is known of the run (see :class:`Place`)."""
    from knee.machine import here

    return here.place(workers=workers, facts=facts or {}, speeds=speeds, earlier=earlier)


def snapshot(where: Place | None = None) -> Snapshot:
    """Read every kind now; milliseconds, and never an error."""
    where = where or place()
    return Snapshot({kind.ID: kind.read(where) for kind in KINDS}, time.monotonic())


def before(first: Snapshot | None = None, where: Place | None = None) -> list[Hazard]:
    """Hazards that apply before anything is measured."""
    where = where or place()
    first = first or snapshot(where)
    return _found(kind.before(first.readings[kind.ID], where) for kind in KINDS if _known(kind, first))


def after(first: Snapshot, where: Place | None = None, last: Snapshot | None = None) -> list[Hazard]:
    """Hazards that came true between a snapshot and now (or ``last``)."""
    where = where or place()
    last = last or snapshot(where)
    span = {"seconds": max(0.0, last.clock - first.clock)}
    return _found(
        kind.after(first.readings.get(kind.ID, {}), {**last.readings[kind.ID], **span}, where)
        for kind in KINDS
        if _known(kind, last) and (kind in LATE or _known(kind, first))
    )


def unchecked(first: Snapshot) -> dict[str, str]:
    """Kinds that could not be checked, and why."""
    return {id: reading["unknown"] for id, reading in first.readings.items() if "unknown" in reading}


def _known(kind: Kind, moment: Snapshot) -> bool:
    return "unknown" not in moment.readings.get(kind.ID, {"unknown": "not read"})


def _found(hazards: Iterable[Hazard | None]) -> list[Hazard]:
    return [hazard for hazard in hazards if hazard is not None]
