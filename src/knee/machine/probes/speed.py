"""The core-speed probe on each CPU: a fixed integer loop, one worker at a time."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from knee.machine.probes.median import Median, median
from knee.machine.probes.rounds import Progress, measure

MOST_CPUS = 64
ROUNDS = 9
DURATION = 0.004

Kernel = Callable[[int, float], float]
"""(CPU, or -1 for wherever the system places it; duration) -> iterations per second."""


@dataclass(frozen=True)
class SpeedProbe:
    """Iterations per second by CPU (-1: as placed by the system).

    Attributes:
        missing: CPU -> why it has no speed.
        values: every measurement, by CPU.
        sampled: how CPUs were chosen if not all were probed.
    """

    cpus: Mapping[int, Median]
    values: Mapping[int, Sequence[float]] = field(default_factory=dict)
    sampled: str = ""
    missing: Mapping[int, str] = field(default_factory=dict)

    @property
    def median(self) -> float | None:
        """Of all CPUs: what the machine's record keeps."""
        return statistics.median(speed.estimate for speed in self.cpus.values()) if self.cpus else None

    @property
    def slowest(self) -> float | None:
        """Speed of the slowest CPU over that of the fastest."""
        speeds = [speed.estimate for speed in self.cpus.values()]
        return min(speeds) / max(speeds) if speeds else None

    def to_json(self) -> dict[str, Any]:
        """The ``speed`` of ``probes``."""
        return {
            "cpus": [
                {"cpu": None if cpu < 0 else cpu, "rate": rate.to_json()} for cpu, rate in self.cpus.items()
            ],
            "median": self.median,
            "slowest": self.slowest,
            "sampled": self.sampled or None,
            "missing": [{"cpu": cpu, "why": why} for cpu, why in self.missing.items()],
        }


def probe(
    kernel: Kernel,
    cpus: Sequence[int],
    *,
    seconds: float = 1.5,
    draw: random.Random | None = None,
    progress: Progress = lambda _: None,
    clock: Callable[[], float] = time.perf_counter,
) -> SpeedProbe:
    """Measure each CPU in rounds, ``seconds`` at most but each once."""
    draw = draw or random.Random()
    chosen, sampled = list(cpus), ""
    if len(chosen) > MOST_CPUS:
        chosen = sorted(draw.sample(chosen, MOST_CPUS))
        sampled = f"{MOST_CPUS} of {len(cpus)} CPUs, drawn at random"
    found = measure(
        chosen,
        lambda cpu: kernel(cpu, DURATION),
        rounds=ROUNDS,
        seconds=seconds,
        draw=draw,
        clock=clock,
        progress=progress,
    )
    known = {cpu: median(values) for cpu, values in found.values.items() if values}
    missing = {cpu: found.reasons.get(cpu, "not measured") for cpu in chosen if cpu not in known}
    return SpeedProbe(known, found.values, sampled, missing)
