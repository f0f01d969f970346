"""A hazard: a fact about the machine, or about how Knee was started on it, that spoils a number."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from knee.machine.limits import Limits
from knee.machine.linux.tree import Tree
from knee.machine.topology import Topology

Reading = dict[str, Any]
"""JSON data of one kind at one moment; ``{"unknown": why}`` where it could not be read."""


@dataclass(frozen=True)
class Hazard:
    """One hazard that applies.

    Attributes:
        id: its kind, one word.
        text: what it is and what it can do to a number.
        advice: what to do about it.
        seen: how it was seen.
    """

    id: str
    text: str
    advice: str
    seen: str

    def to_json(self) -> dict[str, str]:
        """An entry of ``hazards`` in any verb's JSON."""
        return {"id": self.id, "text": self.text, "advice": self.advice, "seen": self.seen}


@dataclass(frozen=True)
class Place:
    """Where kinds of hazard look.

    Attributes:
        system: ``linux``, ``macos`` or ``windows``.
        tree: files of the system (Linux).
        outputs: recorded outputs of commands by command line; None to run them.
        workers: the most workers that will run at once, if known.
        facts: what the agent reports of the interpreter (see ``debug``, ``tracing``, ``gil``, ``pools``,
        ``prints``)
            and of the run: ``cpus``, for each rep the CPU of each worker.
        speeds: seconds of each speed probe of this run.
        earlier: medians of the speed probes of earlier runs on this machine, seconds.
    """

    system: str
    tree: Tree
    topology: Topology
    limits: Limits
    outputs: Mapping[str, str] | None = None
    workers: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    speeds: Sequence[float] = ()
    earlier: Sequence[float] = ()

    def output(self, *command: str) -> str:
        """What a command of the system prints; empty if it cannot be run."""
        if self.outputs is not None:
            return self.outputs.get(" ".join(command), "")
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=5, check=False).stdout
        except (OSError, UnicodeDecodeError, subprocess.SubprocessError):
            return ""

    @property
    def cpus(self) -> tuple[int, ...]:
        """CPUs this process may use."""
        everything = [cpu.number for cpu in self.topology.cpus]
        bounds = [set(b) for b in (self.limits.affinity, self.limits.cpuset) if b is not None]
        return tuple(number for number in everything if all(number in bound for bound in bounds))

    def count(self, name: str) -> int:
        """A fact that is a number of things; 0 if it was not reported or is no number."""
        value = self.facts.get(name)
        return int(value) if isinstance(value, (int, float)) and abs(value) < 1e18 else 0


class Kind(Protocol):
    """What a module of this package defines: one kind of hazard."""

    ID: str

    def read(self, place: Place, /) -> Reading:
        """The facts at this moment."""

    def before(self, first: Reading, place: Place, /) -> Hazard | None:
        """The hazard that they tell of before anything is measured."""

    def after(self, first: Reading, last: Reading, place: Place, /) -> Hazard | None:
        """The hazard that came true while it was measured, by the facts before and after."""


def unknown(why: str) -> Reading:
    """A reading that could not be had."""
    return {"unknown": why}
