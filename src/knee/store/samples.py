"""Every worker's sample of a run, by column."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Samples:
    """Columns of equal length, one row a worker and rep, in the order in which they were measured.

    Integers are exact; what a platform may not give is a float with NaN for "unknown". Units as in
    ``launch.sample.WorkerSample``: nanoseconds, iterations per second, counts.

    Attributes:
        rep: the rep's number in the store; rows of one rep have the same.
        kinds: what ``kind`` counts into.
        kind: index into ``kinds``.
    """

    rep: Ints
    launch: Ints
    group: Ints
    block: Ints
    position: Ints
    treatment: Ints
    kinds: tuple[str, ...]
    kind: Ints
    workers: Ints
    warmup: NDArray[np.bool_]
    worker: Ints
    start: Ints
    end: Ints
    calls: Ints
    user: Floats
    system: Floats
    cpu: Floats
    voluntary: Floats
    involuntary: Floats
    wait: Floats
    minor_faults: Floats
    major_faults: Floats
    cpu_start: Floats
    cpu_end: Floats
    cycles: Floats
    instructions: Floats
    speed_before: Floats
    speed_after: Floats

    def __len__(self) -> int:
        return len(self.rep)


_COLUMNS = {
    "rep": "rep.id",
    "launch": "rep.launch",
    "group": "rep.launch_group",
    "block": "rep.block",
    "position": "rep.position",
    "treatment": "rep.treatment",
    "kind": "rep.kind",
    "workers": "rep.workers",
    "warmup": "rep.warmup",
    "worker": "sample.worker",
    "start": "sample.started",
    "end": "sample.ended",
    "calls": "sample.calls",
}
_OPTIONAL = (
    "user",
    "system",
    "cpu",
    "voluntary",
    "involuntary",
    "wait",
    "minor_faults",
    "major_faults",
    "cpu_start",
    "cpu_end",
    "cycles",
    "instructions",
    "speed_before",
    "speed_after",
)


def read(db: sqlite3.Connection, run: int) -> Samples:
    """Every worker's sample of a run, in the order in which they were measured."""
    rows = db.execute(
        f"SELECT {', '.join((*_COLUMNS.values(), *_OPTIONAL))} FROM rep JOIN sample ON sample.rep = rep.id"
        " WHERE rep.run = ? ORDER BY rep.id, sample.worker",
        (run,),
    ).fetchall()
    names = (*_COLUMNS, *_OPTIONAL)
    columns: dict[str, Any] = dict(
        zip(names, zip(*rows, strict=True) if rows else [()] * len(names), strict=True)
    )
    kinds = {kind: index for index, kind in enumerate(dict.fromkeys(columns["kind"]))}
    columns["kind"] = [kinds[kind] for kind in columns["kind"]]
    types = dict.fromkeys(_OPTIONAL, np.float64) | {"warmup": np.bool_}
    arrays: dict[str, Any] = {
        name: np.array(column, types.get(name, np.int64)) for name, column in columns.items()
    }
    return Samples(kinds=tuple(kinds), **arrays)
