"""Probes: what the machine does, measured by native kernels, bounded in time, each with its own uncertainty."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from knee.errors import KneeError
from knee.machine.hazards.hazard import Place
from knee.machine.probes import bandwidth, ceiling, latency, line, speed
from knee.machine.probes.rates import Rates

NAMES = ("speed", "line", "latency", "ceiling", "bandwidth")


@dataclass(frozen=True)
class Probes:
    """Results of all probes."""

    speed: speed.SpeedProbe
    line: line.LineProbe
    latency: latency.LatencyProbe
    ceiling: Rates
    bandwidth: Rates

    def to_json(self) -> dict[str, Any]:
        """The ``probes`` of the ``machine`` schema."""
        return {name: getattr(self, name).to_json() for name in NAMES}


def run(
    place: Place,
    *,
    workers: int,
    seed: int | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Probes:
    """Run every probe on this machine; about 10 s on 2 CPUs.

    Args:
        workers: top of the ceiling's and the bandwidth's ladder.
        progress: told the probe and the share of it that is done.

    Raises:
        KneeError: the native library cannot be used.
    """
    from knee.native import NativeUnavailable, load

    try:
        kernels = load().probes
    except NativeUnavailable as error:
        raise KneeError(
            f"the probes need the native library: {error.reason}", "build it: scripts/build"
        ) from None
    topology, cpus, draw = place.topology, place.cpus, random.Random(seed)
    chosen = cpus if topology.numbered else (-1,)

    def told(name: str) -> Callable[[float], None]:
        return lambda share: None if progress is None else progress(name, share)

    return Probes(
        speed=speed.probe(
            lambda cpu, duration: kernels.ceiling(1, [cpu], duration)[0],
            chosen,
            draw=draw,
            progress=told("speed"),
        ),
        line=line.probe(
            kernels.lines, line.pairs_by_relation(topology, cpus), draw=draw, progress=told("line")
        ),
        latency=latency.probe(kernels.handover, topology, cpus, draw=draw, progress=told("latency")),
        ceiling=ceiling.probe(
            lambda count, duration: kernels.ceiling(count, None, duration),
            workers,
            draw=draw,
            progress=told("ceiling"),
        ),
        bandwidth=bandwidth.probe(
            lambda count, size, duration: kernels.bandwidth(count, size, None, duration),
            topology,
            workers,
            draw=draw,
            progress=told("bandwidth"),
        ),
    )
