"""How many workers a pool should have on a machine, and why."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from knee.machine.limits import Limits
from knee.machine.topology import Topology


@dataclass(frozen=True)
class Useful:
    """A number of workers and the reasons for it, the decisive first."""

    count: int
    why: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The ``useful_workers`` of the ``machine`` schema."""
        return {"count": self.count, "why": "; ".join(self.why)}


def useful(topology: Topology, limits: Limits) -> Useful:
    """The number of workers for CPU-bound work that is divided evenly.

    It is the number of fast cores this process may use, within its quota. One worker a core, since two
    hardware threads share one core's units. Slow cores do not count: each rep lasts as long as its slowest
    worker. A quota is rounded down, since one worker more would be stopped for a part of every period.
    """
    everything = [cpu.number for cpu in topology.cpus]
    if not everything:
        return _without_topology(limits)
    allowed = set(everything)
    why: list[str] = []
    for bound, words in ((limits.affinity, "the affinity mask"), (limits.cpuset, "the cpuset")):
        if bound is not None and set(bound) & allowed != allowed and set(bound) & allowed:
            allowed &= set(bound)
            why.append(f"{words} leaves {len(allowed)} of {len(everything)} CPUs")
    balanced = allowed - set(limits.isolated)
    if not balanced:
        return Useful(
            1, ("every CPU allowed is isolated: the scheduler leaves all threads on one of them", *why)
        )
    if balanced != allowed:
        why.append(
            f"{len(allowed - balanced)} isolated CPUs are left out: threads are never balanced onto them"
        )
    cpus = [cpu for cpu in topology.cpus if cpu.number in balanced]
    cores = {cpu.core for cpu in cpus}
    best = min(cpu.kind for cpu in cpus)
    fast = {cpu.core for cpu in cpus if cpu.kind == best or topology.classes[cpu.kind].fast}
    if len(cpus) > len(cores):
        why.append(f"{len(cpus)} hardware threads share {len(cores)} cores")
    if fast != cores:
        why.insert(
            0,
            f"{len(fast)} of {len(cores)} cores are fast ({topology.classes[best].name}); "
            "work divided evenly waits for its slowest worker",
        )
    else:
        kind = "core" if len(cores) == 1 else "cores, all of one speed"
        why.insert(0, f"{len(cores)} {kind}")
    return _within_quota(len(fast), limits, why)


def _within_quota(count: int, limits: Limits, why: list[str]) -> Useful:
    quota = limits.quota
    # A quota of 3.999 CPUs is how some engines write 4.
    if quota is not None and math.floor(quota + 0.01) < count:
        count = max(1, math.floor(quota + 0.01))
        why.insert(
            0,
            f"the quota is {quota:g} CPUs ({limits.quota_from}): more workers would be stopped in each "
            "period",
        )
    return Useful(count, tuple(why))


def _without_topology(limits: Limits) -> Useful:
    if limits.affinity:
        return _within_quota(
            len(limits.affinity),
            limits,
            [f"{len(limits.affinity)} CPUs are allowed; what cores they are is unknown"],
        )
    return Useful(1, ("the CPUs of this machine could not be read",))
