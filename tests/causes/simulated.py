"""A bench on a simulated machine: each trial has a slowdown by what is known to be wrong with the workload."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from knee.causes.cause import Scene
from knee.causes.seen import Lost as LostTime
from knee.causes.seen import Seen, Split
from knee.causes.trial import Trial
from knee.launch.host import Lost
from knee.plan.treatment import Treatment
from knee.plan.workload import Workload


@dataclass
class World:
    """What is true of a workload.

    Attributes:
        slowdown: of the program as it is.
        removes: trial label without its step -> slowdown under it; other trials are as the program is.
        noise: standard deviation of a launch's log slowdown.
        parts: where the lost time is.
        checks: trial name -> what the arm says of itself.
        effect: for localising: decides the slowdown of a trial with a step.
        kernel: slowdown of the native kernel.
    """

    slowdown: float = 1.0
    removes: Mapping[str, float] = field(default_factory=dict)
    noise: float = 0.03
    parts: Mapping[str, float] = field(default_factory=lambda: {"user": 1.0})
    checks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    effect: Callable[[Trial], float | None] = lambda _: None
    kernel: float = 1.0
    lost: frozenset[str] = frozenset()


class Bench:
    """Stands in for ``knee.causes.bench.Bench``; every launch takes half a second of the fake clock."""

    def __init__(self, world: World, seed: int = 0) -> None:
        self.world = world
        self.launches = 0
        self.losses: list[tuple[Trial, Lost]] = []
        self.labels: list[str] = []
        self.spent = 0.0
        self.now = 0.0
        self._draw = random.Random(seed)

    def clock(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.now += seconds

    def launch(self, trial: Trial) -> Seen | None:
        self.launches += 1
        self.now += 0.5
        self.spent += 0.5
        self.labels.append(trial.label)
        if trial.arm in self.world.lost:
            self.losses.append((trial, Lost("raised", "it raised")))
            return None
        world = self.world
        plain = replace(trial, step="").label
        slowdown = world.effect(trial)
        if slowdown is None:
            slowdown = world.removes.get(plain, world.slowdown)
        slowdown *= math.exp(self._draw.gauss(0.0, world.noise))
        kernel = world.kernel * math.exp(abs(self._draw.gauss(0.0, 0.004)))
        check = world.checks.get(trial.arm, {"honoured": True})
        return seen(trial, self.launches, slowdown, world.parts, kernel, check)


def seen(
    trial: Trial,
    launch: int,
    slowdown: float,
    parts: Mapping[str, float],
    kernel: float = 1.0,
    check: Mapping[str, Any] | None = None,
) -> Seen:
    """A launch with a slowdown whose lost time lies in ``parts`` (shares that sum to 1)."""
    extra = slowdown - 1
    return Seen(
        trial,
        launch,
        -math.log(slowdown),
        Split(1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        Split(
            slowdown,
            1.0 + extra * parts.get("user", 0.0),
            extra * parts.get("system", 0.0),
            extra * parts.get("wait", 0.0),
            extra * parts.get("blocked", 0.0),
            0.0,
            0.0,
        ),
        -math.log(kernel),
        True,
        {"arm": check or {"honoured": True}, "gil": [False]},
    )


def scene(**known: Any) -> Scene:
    """A scene on free-threaded CPython with a plausible workload."""
    base = Treatment(
        "bench.py:operation", Workload("callable", file="/w/bench.py", name="operation"), "/python3.13t"
    )
    given: dict[str, Any] = {
        "base": base,
        "workers": 2,
        "interpreter": {"version": "3.13.5", "free_threaded": True},
        "scout": {"shared": 5, "found": [], "locks": [], "containers": []},
        "watched": [{"workers": 2, "collections": 0, "threads": 3, "starts": 0, "lines": []}],
        "facts": {"gil": [False, False]},
        "lost": LostTime(0.5, {"user": 0.5}),
        "folder": "/w",
        "native": "/libknee.so",
        "shim": "/libkneemalloc.so",
        "cpus": 2,
    }
    return Scene(**{**given, **known})
