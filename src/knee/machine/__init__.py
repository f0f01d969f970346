"""The machine: what it is made of, what this process may use of it, and what spoils numbers on it.

    >>> from knee.machine import describe, useful_workers

Nothing here imports numpy or a plotting library: reading a machine takes milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from knee.machine.description import Machine

__all__ = ["describe", "useful_workers"]


def useful_workers() -> int:
    """The number of workers that a pool for CPU-bound work should have here.

    It is the number of fast cores that this process may use, within its affinity, cpuset and quota; at least
    1.
    """
    from knee.machine import here, workers

    return workers.useful(*here.read()).count


def describe() -> Machine:
    """This machine, without running any probe."""
    from knee.machine import hazards, here, lines, workers
    from knee.machine.description import Machine

    place = here.place()
    moment = hazards.snapshot(place)
    topology, limits = place.topology, place.limits
    return Machine(
        topology=topology,
        limits=limits,
        line=lines.Line(topology.line, assumed=lines.assumed(topology.architecture, topology.system)),
        useful_workers=workers.useful(topology, limits),
        hazards=tuple(hazards.before(moment, place)),
        unchecked=hazards.unchecked(moment),
    )
