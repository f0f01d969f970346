"""The line probe: two workers bump counters some bytes apart, by atomic additions and by plain stores."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from knee.machine.probes.interference import DISTANCES, Interference, estimate
from knee.machine.probes.rounds import Progress, Sampled, measure
from knee.machine.topology import Topology

Operation = Literal["atomic", "store"]
OPERATIONS: tuple[Operation, ...] = ("atomic", "store")

STAGES = (14, 28, 56)
"""Rounds after which it is looked whether the curve tells: most tell at the first."""

DURATION = 0.006
"""Seconds of one measurement: about two time slices."""

LEAST = 6
"""Batches below which a measurement is not trusted. The kernel counts only batches in which it saw the other worker
at work; where a worker is off its CPU most of the time few are left."""


class Cost(Protocol):
    """What the native kernel gives (see ``knee.native.probes.Cost``)."""

    @property
    def median_ns(self) -> float:
        """Nanoseconds of one bump, in the median batch."""

    @property
    def batches(self) -> int:
        """Batches of both workers in which the other one was at work too."""


Kernel = Callable[[int, int, int, bool, float], Cost]
"""(distance, CPU, CPU, atomic, duration) -> cost; -1 for a CPU is "not pinned"."""


@dataclass(frozen=True)
class LineProbe:
    """Curves by (relation of the two CPUs, operation); each relation with the pair that stood for it."""

    pairs: Mapping[str, tuple[int, int]]
    curves: Mapping[tuple[str, Operation], Interference]

    @property
    def conclusion(self) -> Interference | None:
        """The largest size that a curve of atomic additions tells; one that cannot tell if none does.

        Plain stores are shown beside it: a core may keep them to itself for a while, so they tell less
        sharply.
        """
        atomic = [curve for (_, operation), curve in self.curves.items() if operation == "atomic"]
        told = [curve for curve in atomic if curve.size is not None]
        return max(told, key=lambda curve: curve.size or 0) if told else (atomic[0] if atomic else None)

    def to_json(self) -> dict[str, Any]:
        """The ``line`` of ``probes``."""
        found = self.conclusion
        return {
            "size": None if found is None else found.size,
            "interval": None if found is None or found.interval is None else list(found.interval),
            "why": "no pair of CPUs could be probed" if found is None else found.why,
            "curves": [
                {
                    "relation": relation,
                    "cpus": list(self.pairs[relation]),
                    "operation": operation,
                    **curve.to_json(),
                }
                for (relation, operation), curve in self.curves.items()
            ],
        }


def probe(
    kernel: Kernel,
    pairs: Mapping[str, tuple[int, int]],
    *,
    seconds: float = 3.5,
    draw: random.Random | None = None,
    operations: Sequence[Operation] = OPERATIONS,
    progress: Progress = lambda _: None,
    clock: Callable[[], float] = time.perf_counter,
) -> LineProbe:
    """Run the probe on each pair of CPUs, ``seconds`` at most in all."""
    draw = draw or random.Random()
    curves: dict[tuple[str, Operation], Interference] = {}
    runs = [(relation, operation) for relation in pairs for operation in operations]
    for index, (relation, operation) in enumerate(runs):
        a, b = pairs[relation]

        def once(distance: int, a: int = a, b: int = b, atomic: bool = operation == "atomic") -> float | None:
            cost = kernel(distance, a, b, atomic, DURATION)
            return cost.median_ns * 1e-9 if cost.batches >= LEAST else None

        curves[relation, operation] = _staged(
            once,
            seconds / len(runs),
            draw,
            clock,
            lambda share, index=index: progress((index + share) / len(runs)),  # type: ignore[misc]
        )
    return LineProbe(pairs, curves)


def _staged(
    once: Callable[[int], float | None],
    seconds: float,
    draw: random.Random,
    clock: Callable[[], float],
    progress: Progress,
) -> Interference:
    """More rounds while the curve does not tell and time is left.

    Looking several times makes an error a few times likelier than the confidence of a distance's interval
    alone; a wrong size still needs such an error on two neighbouring distances at once.
    """
    end = clock() + seconds
    found: Sampled[int] = Sampled({distance: [] for distance in DISTANCES}, dict.fromkeys(DISTANCES, 0))
    for rounds in STAGES:
        measure(
            DISTANCES,
            once,
            rounds=rounds,
            seconds=max(0.0, end - clock()),
            draw=draw,
            clock=clock,
            progress=progress,
            found=found,
        )
        result = estimate(found.values)
        if result.size is not None or clock() >= end or (found.reasons and not result.curve):
            break
    if found.reasons and not result.curve:
        return Interference(None, None, f"the kernel could not run: {next(iter(found.reasons.values()))}", ())
    return result


def pairs_by_relation(topology: Topology, cpus: Sequence[int]) -> dict[str, tuple[int, int]]:
    """One pair of CPUs on different cores for each thing that two cores may share, nearest first.

    Threads of one core share their first cache, so nothing interferes there; such a pair is left out.
    """
    found: dict[str, tuple[int, int]] = {}
    if not topology.numbered:
        # Where CPUs cannot be chosen the system places the two workers.
        return {"unpinned": (-1, -1)} if len(topology.cores) > 1 else {}
    for a in cpus[:64]:
        for b in cpus:
            relation = topology.relation(a, b)
            if a < b and relation != "core":
                found.setdefault(relation, (a, b))
    return dict(sorted(found.items(), key=lambda item: (item[0] == "machine", item[0] == "package", item[0])))
