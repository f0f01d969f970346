"""The machine that this process runs on: the reader of its system, and where hazards look."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from knee.machine.hazards.hazard import Place
from knee.machine.limits import Limits
from knee.machine.linux.tree import Tree
from knee.machine.topology import Cpu, Topology


def system() -> str:
    """``linux``, ``macos``, ``windows``, or what Python calls another system."""
    return {"linux": "linux", "darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)


def read() -> tuple[Topology, Limits]:
    """This machine and what this process may use of it."""
    name = system()
    if name == "linux":
        from knee.machine import linux

        topology, limits = linux.read()
    elif name == "macos":
        from knee.machine import macos

        topology, limits = macos.read()
    elif name == "windows":
        from knee.machine import windows

        topology, limits = windows.read()
    else:
        return _unread(name)
    return replace(topology, architecture=topology.architecture or platform.machine()), limits


def identity(topology: Topology) -> str:
    """Twelve hexadecimal digits that stay while the host's name, its processor and its cores do."""
    parts = (
        platform.node(),
        topology.architecture,
        topology.model,
        len(topology.cpus),
        topology.system.split()[0],
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def _unread(name: str) -> tuple[Topology, Limits]:
    count = os.cpu_count()
    unknown = {"topology": f"Knee has no reader for {name}: the number of CPUs is all that is known"}
    cpus = tuple(Cpu(number, number) for number in range(count or 0))
    return Topology(name, platform.machine(), cpus=cpus, numbered=False, unknown=unknown), Limits()


def place(
    *,
    workers: int | None = None,
    facts: Mapping[str, Any] | None = None,
    speeds: Sequence[float] = (),
    earlier: Sequence[float] = (),
) -> Place:
    """Where kinds of hazard look on this machine."""
    topology, limits = read()
    return Place(
        system(),
        Tree("/"),
        topology,
        limits,
        workers=workers,
        facts=facts or {},
        speeds=speeds,
        earlier=earlier,
    )
