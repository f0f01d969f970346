"""All that Knee knows of a machine, as data, and as the JSON of the ``machine`` schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from knee.machine.hazards.hazard import Hazard
from knee.machine.limits import Limits
from knee.machine.lines import Line
from knee.machine.topology import Topology
from knee.machine.workers import Useful

if TYPE_CHECKING:
    from knee.machine.probes import Probes

SCHEMA = 1
"""Version of the ``machine`` JSON; fields are only ever added."""


@dataclass(frozen=True)
class Machine:
    """A machine, what may be used of it, and what spoils numbers on it.

    Attributes:
        unchecked: kind of hazard -> why it could not be checked.
        id: tells machines apart in the store; stable while the hardware and the host's name are.
        name: of the host.
        probes: what the probes found; None if they were not run.
    """

    topology: Topology
    limits: Limits
    line: Line
    useful_workers: Useful
    hazards: tuple[Hazard, ...] = ()
    unchecked: Mapping[str, str] = field(default_factory=dict)
    id: str = ""
    name: str = ""
    probes: Probes | None = None

    def to_json(self) -> dict[str, Any]:
        """The ``machine`` schema."""
        topology = self.topology
        return {
            "schema": SCHEMA,
            "id": self.id,
            "name": self.name,
            "system": {
                "name": topology.system,
                "architecture": topology.architecture,
                "model": topology.model,
                "container": self.limits.container,
                "virtual": self.limits.virtual,
            },
            **topology.to_json(),
            "limits": self.limits.to_json(),
            "line": self.line.to_json(),
            "useful_workers": self.useful_workers.to_json(),
            "hazards": [hazard.to_json() for hazard in self.hazards],
            "unchecked": dict(self.unchecked),
            "unknown": {**topology.unknown, **self.limits.unknown},
            "probes": {} if self.probes is None else self.probes.to_json(),
        }
