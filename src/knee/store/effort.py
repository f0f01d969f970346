"""Where workers' time went: the columns of their samples that say it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Effort:
    """Columns of equal length, one row a worker and timed rep of one treatment; NaN is unknown.

    Attributes:
        rep: the rep's number in the store.
        kinds: what ``kind`` counts into.
        kind: index into ``kinds``.
        workers: worker count of the rep.
        seconds: from the worker's start to its end.
        user: seconds of CPU in user mode.
        system: seconds of CPU in the kernel.
        cpu: seconds of CPU altogether; finer than the two, which tick.
        wait: seconds it could run and had no CPU.
        speed: iterations/s of the core-speed probes around the rep, their mean.
    """

    rep: Ints
    kinds: tuple[str, ...]
    kind: Ints
    workers: Ints
    seconds: Floats
    user: Floats
    system: Floats
    cpu: Floats
    wait: Floats
    speed: Floats


def read(db: sqlite3.Connection, run: int, treatment: int) -> Effort:
    """The effort of a treatment's timed reps, in the order in which they were measured."""
    kinds = [kind for (kind,) in db.execute("SELECT DISTINCT kind FROM rep WHERE run = ?", (run,))]
    which = " ".join(f"WHEN '{kind}' THEN {index}" for index, kind in enumerate(kinds))
    rows = db.execute(
        f"SELECT rep.id, {f'CASE kind {which} END' if kinds else '0'}, workers,"
        " (sample.ended - sample.started) / 1e9, user / 1e9, system / 1e9, cpu / 1e9, wait / 1e9,"
        " (coalesce(speed_before, speed_after) + coalesce(speed_after, speed_before)) / 2"
        " FROM rep JOIN sample ON sample.rep = rep.id WHERE run = ? AND treatment = ? AND NOT warmup ORDER BY rep.id",
        (run, treatment),
    ).fetchall()
    table = np.array(rows, np.float64).reshape(-1, 9)  # of None it makes NaN
    rep, kind, workers = (table[:, column].astype(np.int64) for column in range(3))
    return Effort(rep, tuple(kinds), kind, workers, *table[:, 3:].T)
