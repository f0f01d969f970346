"""What a machine is made of, as plain data: CPUs, cores, classes of core, caches, nodes.

Every reader (``linux``, ``macos``, ``windows``) makes a :class:`Topology`. What a reader could not find is
None or empty, and ``unknown`` says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

FAST = 2 / 3
"""A class of core is slow below this share of the fastest class's capacity.

Efficiency cores reach 0.25 to 0.62 of a performance core (Apple M4 0.37, Cortex-A55 0.25 to 0.4, Intel E
cores 0.55 to 0.62 by CPPC); cores that differ in their boost limit only, or in AMD's preferred-core ranking
(166 of 236), stay above.
"""

GAP = 0.85
"""Neighbouring capacities whose ratio is below this belong to different classes."""


@dataclass(frozen=True)
class Cpu:
    """One logical CPU (a hardware thread), as the system numbers it.

    Attributes:
        core: the core it belongs to: an index into ``Topology.cores``.
        kind: its class of core: an index into ``Topology.classes``.
    """

    number: int
    core: int
    kind: int = 0
    package: int | None = None
    node: int | None = None


@dataclass(frozen=True)
class Class:
    """Cores of one make.

    Attributes:
        capacity: speed over that of the fastest class, as the system states it; None if it names classes
        only.
        fast: whether work divided evenly loses nothing by running on it.
    """

    name: str
    capacity: float | None = None
    fast: bool = True


@dataclass(frozen=True)
class Cache:
    """One cache and the CPUs that share it; size and line in bytes."""

    level: int
    kind: str
    cpus: tuple[int, ...]
    size: int | None = None
    line: int | None = None


@dataclass(frozen=True)
class Topology:
    """A machine.

    Attributes:
        numbered: whether CPU numbers are the system's own (macOS gives counts only, so there they are ours).
        classes: fastest first.
        classes_from: the source that told the classes apart.
        line: the cache line as the system states it, bytes.
        unknown: field -> why it is not known.
    """

    system: str
    architecture: str
    model: str | None = None
    cpus: tuple[Cpu, ...] = ()
    classes: tuple[Class, ...] = (Class("core"),)
    classes_from: str | None = None
    caches: tuple[Cache, ...] = ()
    line: int | None = None
    numbered: bool = True
    unknown: Mapping[str, str] = field(default_factory=dict)

    @property
    def cores(self) -> dict[int, tuple[Cpu, ...]]:
        """Core index -> its CPUs."""
        cores: dict[int, list[Cpu]] = {}
        for cpu in self.cpus:
            cores.setdefault(cpu.core, []).append(cpu)
        return {core: tuple(cpus) for core, cpus in sorted(cores.items())}

    @property
    def clusters(self) -> tuple[tuple[int, ...], ...]:
        """Groups of CPUs behind one last-level cache (an AMD CCD, an Apple cluster, a socket)."""
        levels = [cache.level for cache in self.caches]
        groups = {cache.cpus for cache in self.caches if cache.level == max(levels)}
        missed = {cpu.number for cpu in self.cpus} - {number for group in groups for number in group}
        lower = {
            cache.cpus
            for cache in self.caches
            if cache.level == 2 and missed.issuperset(cache.cpus) and missed
        }
        return tuple(sorted(groups | lower))

    @cached_property
    def _places(self) -> dict[int, tuple[Cpu, dict[int, int]]]:
        """CPU number -> the CPU, and for each level the cache it is behind (its index)."""
        places: dict[int, tuple[Cpu, dict[int, int]]] = {cpu.number: (cpu, {}) for cpu in self.cpus}
        for index, cache in enumerate(self.caches):
            for number in cache.cpus if cache.kind != "instruction" else ():
                if number in places:
                    places[number][1][cache.level] = index
        return places

    def relation(self, a: int, b: int) -> str:
        """The nearest thing that two CPUs share: ``core``, ``L2``, ``L3``…, ``package``, ``machine``."""
        (one, behind), (other, opposite) = self._places[a], self._places[b]
        if one.core == other.core:
            return "core"
        shared = [level for level, index in behind.items() if opposite.get(level) == index]
        if shared:
            return f"L{min(shared)}"
        return "package" if one.package is not None and one.package == other.package else "machine"

    def to_json(self) -> dict[str, Any]:
        """The ``cores``, ``classes`` and ``caches`` of the ``machine`` schema."""
        clusters = self.clusters
        cores = []
        for core, cpus in self.cores.items():
            home = [index for index, group in enumerate(clusters) if cpus[0].number in group]
            kind = self.classes[cpus[0].kind]
            cores.append(
                {
                    "core": core,
                    "cpus": [cpu.number for cpu in cpus],
                    "class": kind.name,
                    "capacity": kind.capacity,
                    "fast": kind.fast,
                    "package": cpus[0].package,
                    "node": cpus[0].node,
                    "cluster": home[0] if home else None,
                }
            )
        caches = [
            {"level": c.level, "kind": c.kind, "size": c.size, "line": c.line, "cpus": list(c.cpus)}
            for c in self.caches
        ]
        return {"cores": cores, "caches": caches}


def classify(
    capacities: Mapping[int, float], names: tuple[str, str] = ("fast", "slow")
) -> tuple[tuple[Class, ...], dict[int, int]]:
    """Sort CPUs into classes of core by capacity, splitting where neighbours differ by more than :data:`GAP`.

    Returns:
        The classes, fastest first, and CPU number -> index of its class.
    """
    if not capacities or max(capacities.values()) <= 0:
        return (Class("core"),), dict.fromkeys(capacities, 0)
    groups: list[list[float]] = []
    for value in sorted(set(capacities.values()), reverse=True):
        if groups and value >= GAP * groups[-1][-1]:
            groups[-1].append(value)
        else:
            groups.append([value])
    best = groups[0][0]
    if len(groups) == 1:
        return (Class("core", 1.0),), dict.fromkeys(capacities, 0)
    classes = []
    for index, group in enumerate(groups):
        fast = group[0] >= FAST * best
        name = names[0] if fast else names[1]
        if len(groups) > 2:
            name = f"{name} {index + 1}"
        classes.append(Class(name, round(group[0] / best, 3), fast))
    kinds = {
        number: next(index for index, group in enumerate(groups) if value in group)
        for number, value in capacities.items()
    }
    return tuple(classes), kinds
