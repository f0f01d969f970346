"""The machine: what it is made of, what this process may use of it, and what spoils numbers on it.

    >>> from knee.machine import describe, useful_workers

Nothing here imports numpy or a plotting library: reading a machine takes milliseconds.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from knee.machine.description import Machine

Progress = Callable[[str, float], None]

__all__ = ["describe", "useful_workers"]


def useful_workers() -> int:
    """The number of workers that a pool for CPU-bound work should have here.

    It is the number of fast cores that this process may use, within its affinity, cpuset and quota; at least
    1.
    """
    from knee.machine import here, workers

    return workers.useful(*here.read()).count


def describe(
    *,
    probe: bool = False,
    seed: int | None = None,
    progress: Progress | None = None,
    earlier: Sequence[float] = (),
) -> Machine:
    """This machine: read in milliseconds, and with ``probe`` also measured, in about 10 s on 2 CPUs.

    Args:
        seed: draws the order of the probes' measurements.
        progress: told the name of a probe and the share of it that is done.
        earlier: median core speeds of earlier runs on this machine, iterations per second (above 0), as
            ``Store.core_speeds`` gives them: the probes tell whether this launch is slower.

    Raises:
        KneeError: the probes need the native library, and it cannot be used.
    """
    from knee.machine import hazards, here, lines, workers
    from knee.machine.description import Machine

    place = here.place()
    moment = hazards.snapshot(place)
    found = hazards.before(moment, place)
    topology, limits = place.topology, place.limits
    useful = workers.useful(topology, limits)
    line = lines.Line(topology.line, assumed=lines.assumed(topology.architecture, topology.system))
    probes = None
    if probe:
        from knee.machine.probes import run

        probes = run(place, workers=len(place.cpus) or useful.count, seed=seed, progress=progress)
        conclusion = probes.line.conclusion
        if conclusion is not None:
            line = replace(line, measured=conclusion.size, interval=conclusion.interval)
        # Slow cores are no demotion: only where work should run counts, and where the system placed it (-1).
        fast = {-1, *(cpu.number for cpu in topology.cpus if topology.classes[cpu.kind].fast)}
        rates = [rate for cpu, values in probes.speed.values.items() if cpu in fast for rate in values]
        told = replace(
            place, speeds=[1 / rate for rate in rates if rate > 0], earlier=[1 / rate for rate in earlier]
        )
        known = {hazard.id for hazard in found}
        found += [hazard for hazard in hazards.after(moment, told) if hazard.id not in known]
    return Machine(
        topology=topology,
        limits=limits,
        line=line,
        useful_workers=useful,
        hazards=tuple(found),
        unchecked=hazards.unchecked(moment),
        id=here.identity(topology),
        name=platform.node(),
        probes=probes,
    )
