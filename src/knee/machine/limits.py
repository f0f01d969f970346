"""What a process may use of its machine: affinity, quota, cpuset, isolation; and what stands around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Limits:
    """Bounds set from outside.

    Attributes:
        affinity: CPUs this process may run on; None if the system does not tell.
        cpuset: CPUs that its control groups leave it; None if there is no such bound.
        quota: CPU time over wall time that its control groups allow, in CPUs; None for no bound.
        quota_from: the file that sets the tightest quota.
        isolated: CPUs taken out of load balancing (``isolcpus``, isolated partitions).
        container: what kind of container, None if none was seen.
        virtual: what hypervisor, None if none was seen.
        unknown: field -> why it is not known.
    """

    affinity: tuple[int, ...] | None = None
    cpuset: tuple[int, ...] | None = None
    quota: float | None = None
    quota_from: str | None = None
    isolated: tuple[int, ...] = ()
    container: str | None = None
    virtual: str | None = None
    unknown: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The ``limits`` of the ``machine`` schema."""
        return {
            "affinity": None if self.affinity is None else list(self.affinity),
            "cpuset": None if self.cpuset is None else list(self.cpuset),
            "quota": self.quota,
            "quota_from": self.quota_from,
            "isolated": list(self.isolated),
            "container": self.container,
            "virtual": self.virtual,
        }
