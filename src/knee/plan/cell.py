"""Cells, pools and blocks: the shape of an experiment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["threads", "processes", "subinterpreters", "command"]
Law = Literal["scaled", "fixed"]

CONTROL = -1
"""The treatment number of the native kernel that shares nothing and runs beside every cell."""


_SINGULAR = {
    "threads": "thread",
    "processes": "process",
    "subinterpreters": "subinterpreter",
    "workers": "worker",
}


@dataclass(frozen=True)
class Rep:
    """One timed run by all workers of a pool, from a common start.

    Attributes:
        treatment: index into the run's treatments, or ``CONTROL``.
        warmup: kept and marked, never analysed.
    """

    treatment: int
    warmup: bool = False


@dataclass(frozen=True)
class Pool:
    """One pool of workers, built fresh, and the reps that run in it, in order."""

    kind: Kind
    workers: int
    reps: tuple[Rep, ...]

    @property
    def treatments(self) -> tuple[int, ...]:
        """The treatments that need a state in this pool, ascending, without the control."""
        return tuple(sorted({rep.treatment for rep in self.reps} - {CONTROL}))


@dataclass(frozen=True)
class Block:
    """Every cell of a comparison once (or in ABBA pairs), in an order drawn afresh."""

    index: int
    pools: tuple[Pool, ...]


def counted(workers: int, kind: str) -> str:
    """``1 thread``, ``4 processes``; a command's own workers are ``workers``, whatever they are."""
    plural = "workers" if kind == "command" else kind
    return f"{workers} {_SINGULAR.get(plural, plural) if workers == 1 else plural}"
