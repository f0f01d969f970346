"""Machines that the views must be able to show: recorded, and probed by fake kernels."""

from __future__ import annotations

import random
from dataclasses import dataclass

from knee.machine import lines, linux, macos, workers
from knee.machine.description import Machine
from knee.machine.hazards import Hazard
from knee.machine.probes import Probes, bandwidth, ceiling, latency, line, speed
from tests.machine.trees import FIXTURES, load


@dataclass(frozen=True)
class _Cost:
    median_ns: float
    batches: int


def recorded(name: str, probed: bool = False) -> Machine:
    """The machine of a fixture."""
    mac = (FIXTURES / f"{name}.sysctl").exists()
    topology, limits = macos.read(FIXTURES / f"{name}.sysctl") if mac else linux.read(load(name))
    probes = _probes(name) if probed else None
    concluded = probes.line.conclusion if probes else None
    return Machine(
        topology,
        limits,
        lines.Line(
            topology.line,
            concluded.size if concluded else None,
            concluded.interval if concluded else None,
            lines.assumed(topology.architecture, topology.system),
        ),
        workers.useful(topology, limits),
        hazards=(Hazard("quota", "The quota is 1.5 CPUs.", "Raise it.", "cpu.max"),),
        unchecked={
            "turbo": "/sys/turbo: no such file or directory",
            "gil": "no interpreter has reported yet",
        },
        probes=probes,
    )


def _probes(name: str) -> Probes:
    topology, _ = linux.read(load(name))
    cpus, draw = [cpu.number for cpu in topology.cpus], random.Random(1)

    def bump(distance: int, a: int, b: int, atomic: bool, duration: float) -> _Cost:
        cost = (8.0 if atomic else 1.0) if distance < 64 else (2.0 if atomic else 0.3)
        return _Cost(cost, 60)

    def hand(a: int, b: int, duration: float) -> _Cost:
        cost = {"core": 6.0, "L2": 20.0, "L3": 30.0}.get(topology.relation(a, b), 90.0) * draw.uniform(
            0.95, 1.05
        )
        return _Cost(cost, 100)

    return Probes(
        speed.probe(lambda cpu, _: 9e8 * draw.uniform(0.97, 1), cpus, draw=draw),
        line.probe(bump, line.pairs_by_relation(topology, cpus), draw=draw),
        latency.probe(hand, topology, cpus, draw=draw),
        ceiling.probe(lambda n, _: [9e8 * draw.uniform(0.97, 1)] * n, len(cpus), draw=draw),
        bandwidth.probe(lambda n, *_: [3e10 / n * min(n, 2)] * n, topology, len(cpus), draw=draw),
    )
