"""The core-to-core probe: one line handed back and forth between two CPUs."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Protocol

from knee.machine.probes.median import Median, median
from knee.machine.probes.rounds import Progress, measure
from knee.machine.topology import Topology

ALL_PAIRS = 16
"""With more CPUs than this only a sample of pairs is measured."""

PER_RELATION = 24
"""Pairs of each relation in such a sample."""

ROUNDS = 7
DURATION = 0.004

LEAST = 10
"""Batches below which a measurement is not trusted: one side was off its CPU for most of it."""


class Cost(Protocol):
    """What the native kernel gives."""

    @property
    def median_ns(self) -> float:
        """Nanoseconds of one hand-over, one way, in the median batch."""

    @property
    def batches(self) -> int:
        """How many batches were made."""


Kernel = Callable[[int, int, float], Cost]
"""(CPU, CPU, duration) -> cost."""


@dataclass(frozen=True)
class LatencyProbe:
    """Seconds of a hand-over, one way, by pair of CPUs.

    Attributes:
        relations: what each pair shares.
        sampled: whether only some pairs were measured, and how they were chosen; empty if all were.
        missing: pair -> why it could not be measured.
    """

    pairs: Mapping[tuple[int, int], Median]
    relations: Mapping[tuple[int, int], str]
    sampled: str = ""
    missing: Mapping[tuple[int, int], str] = field(default_factory=dict)

    @property
    def by_relation(self) -> dict[str, Median]:
        """The median over pairs of each relation, quickest first."""
        times: dict[str, list[float]] = {}
        for pair, cost in self.pairs.items():
            times.setdefault(self.relations[pair], []).append(cost.estimate)
        found = {relation: median(values) for relation, values in times.items()}
        return dict(sorted(found.items(), key=lambda item: item[1].estimate))

    def to_json(self) -> dict[str, Any]:
        """The ``latency`` of ``probes``."""
        return {
            "pairs": [
                {"cpus": list(pair), "relation": self.relations[pair], "time": value.to_json()}
                for pair, value in self.pairs.items()
            ],
            "sampled": self.sampled or None,
            "missing": [{"cpus": list(pair), "why": why} for pair, why in self.missing.items()],
        }


def choose(topology: Topology, cpus: Sequence[int], draw: random.Random) -> tuple[list[tuple[int, int]], str]:
    """The pairs to measure, and how they were chosen if they are not all."""
    if not topology.numbered:
        return (
            [(-1, -1)] if len(topology.cores) > 1 else []
        ), "CPUs cannot be chosen here: one pair, as placed"
    pairs = list(combinations(sorted(cpus), 2))
    if len(cpus) <= ALL_PAIRS:
        return pairs, ""
    draw.shuffle(pairs)
    taken: dict[str, list[tuple[int, int]]] = {}
    for pair in pairs:
        group = taken.setdefault(topology.relation(*pair), [])
        if len(group) < PER_RELATION:
            group.append(pair)
    chosen = sorted(pair for group in taken.values() for pair in group)
    words = f"{len(chosen)} of {len(pairs)} pairs, at most {PER_RELATION} of each relation, drawn at random"
    return chosen, words


def probe(
    kernel: Kernel,
    topology: Topology,
    cpus: Sequence[int],
    *,
    seconds: float = 2.0,
    draw: random.Random | None = None,
    progress: Progress = lambda _: None,
    clock: Callable[[], float] = time.perf_counter,
) -> LatencyProbe:
    """Measure each pair in rounds, ``seconds`` at most but each pair once."""
    draw = draw or random.Random()
    pairs, sampled = choose(topology, cpus, draw)

    def once(pair: tuple[int, int]) -> float | None:
        cost = kernel(*pair, DURATION)
        return cost.median_ns * 1e-9 if cost.batches >= LEAST else None

    found = measure(
        pairs,
        once,
        rounds=ROUNDS,
        seconds=seconds,
        draw=draw,
        clock=clock,
        progress=progress,
    )
    known = {pair: median(values) for pair, values in found.values.items() if values}
    relations = {pair: topology.relation(*pair) if topology.numbered else "unpinned" for pair in pairs}
    missing = {
        pair: found.reasons.get(pair, "a worker was off its CPU in every measurement")
        for pair in pairs
        if pair not in known
    }
    return LatencyProbe(known, relations, sampled, missing)
