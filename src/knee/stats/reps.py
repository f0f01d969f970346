"""The samples that every analysis starts from: one entry per rep."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from knee.plan.cell import CONTROL, Law

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_DTYPES: dict[str, Any] = {
    "kind": np.str_,
    "warmup": np.bool_,
    "time": np.float64,
    "calls": np.float64,
    "wait": np.float64,
}
_SINGLE = ("law", "cpus")


@dataclass(frozen=True)
class Reps:
    """Equal-length arrays, one entry per rep, already reduced over the workers of the rep.

    Attributes:
        launch: number of the launch. Adjacent processes that stand in for one launch, because their
            treatments cannot share an interpreter, carry the same number.
        block: number of the block inside its launch.
        position: order of the rep inside its launch.
        treatment: index of the treatment, or ``CONTROL`` for the native kernel that shares nothing.
        kind: kind of worker.
        workers: worker count.
        warmup: kept, never analysed.
        time: seconds from the first worker's start to the last worker's end.
        calls: calls of the workload, summed over workers.
        law: ``scaled`` (every worker does the same calls) or ``fixed`` (a fixed total is divided).
        wait: seconds of ``time`` that would not have passed had no worker waited for a CPU; zeros if not measured.
        cpus: how many workers can run at once, None where not known.
    """

    launch: Ints
    block: Ints
    position: Ints
    treatment: Ints
    kind: NDArray[np.str_]
    workers: Ints
    warmup: Bools
    time: Floats
    calls: Floats
    law: Law = "scaled"
    wait: Floats = field(default_factory=lambda: np.empty(0))
    cpus: int | None = None

    def __post_init__(self) -> None:
        if len(self.wait) == 0:
            object.__setattr__(self, "wait", np.zeros(len(self.time)))
        lengths = set()
        for column in fields(self):
            if column.name in _SINGLE:
                continue
            array = np.asarray(getattr(self, column.name), dtype=_DTYPES.get(column.name, np.int64))
            if array.ndim != 1:
                raise ValueError(f"{column.name} has {array.ndim} dimensions, not one")
            object.__setattr__(self, column.name, array)
            lengths.add(array.size)
        if len(lengths) > 1:
            raise ValueError(f"columns of different lengths: {sorted(lengths)}")

    def __len__(self) -> int:
        return int(self.time.size)

    @classmethod
    def empty(cls, law: Law = "scaled") -> Reps:
        """No reps at all."""
        ints, floats = np.empty(0, np.int64), np.empty(0)
        kind, warmup = np.empty(0, np.str_), np.empty(0, np.bool_)
        return cls(ints, ints, ints, ints, kind, ints, warmup, floats, floats, law)

    def where(self, mask: Bools | Ints) -> Reps:
        """The reps for which ``mask`` (same length) holds, or those at the given indices, in that order."""
        columns = {f.name: getattr(self, f.name)[mask] for f in fields(self) if f.name not in _SINGLE}
        return Reps(**columns, law=self.law, cpus=self.cpus)

    def select(
        self,
        *,
        treatment: int | ArrayLike | None = None,
        kind: str | None = None,
        workers: int | ArrayLike | None = None,
        warmup: bool | None = False,
    ) -> Reps:
        """The reps that match every given value; without warm-up reps unless ``warmup`` is True or None
        (both)."""
        mask = np.ones(len(self), np.bool_)
        if treatment is not None:
            mask &= np.isin(self.treatment, treatment)
        if kind is not None:
            mask &= self.kind == kind
        if workers is not None:
            mask &= np.isin(self.workers, workers)
        if warmup is not None:
            mask &= self.warmup == warmup
        # A clock that failed gives no time: such a rep stays in the store and out of the analysis.
        mask &= np.isfinite(self.time) & (self.time > 0)
        return self.where(mask)

    @property
    def launches(self) -> Ints:
        """The launch numbers that occur, ascending."""
        return np.unique(self.launch)

    @property
    def counts(self) -> tuple[int, ...]:
        """The worker counts that occur, ascending."""
        return tuple(int(n) for n in np.unique(self.workers))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of worker that occur, in the order of their first rep."""
        names, first = np.unique(self.kind, return_index=True)
        return tuple(str(name) for name in names[np.argsort(first)])

    @property
    def treatments(self) -> tuple[int, ...]:
        """The treatments that occur, ascending, without the control."""
        return tuple(int(t) for t in np.unique(self.treatment) if t != CONTROL)

    def log_cost(self) -> Floats:
        """Log seconds per call of one worker (``scaled``) or per rep (``fixed``): what a treatment's ratio
        compares."""
        if self.law == "fixed":
            return np.asarray(np.log(self.time))
        return np.asarray(np.log(self.time * self.workers / np.maximum(self.calls, 1)))

    def log_speed(self) -> Floats:
        """Log work per second of the whole pool, up to a constant: its difference is the log speedup.

        ``scaled``: speedup = n T1 / Tn (Gustafson 1988); ``fixed``: T1 / Tn (Amdahl 1967).
        """
        if self.law == "fixed":
            return -self.log_cost()
        return np.asarray(np.log(self.workers) - self.log_cost())
