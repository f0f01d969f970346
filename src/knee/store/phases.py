"""The phases of a run, by column."""

from __future__ import annotations

import sqlite3

from knee.stats.phases import Phases


def read(db: sqlite3.Connection, run: int) -> Phases:
    """Every phase of every timed rep: seconds per call, averaged over the rep's workers."""
    if not db.execute(
        "SELECT 1 FROM rep JOIN phase ON phase.rep = rep.id WHERE run = ? LIMIT 1", (run,)
    ).fetchall():
        return Phases.of(())
    rows = db.execute(
        "SELECT rep.launch, rep.block, rep.treatment, rep.kind, rep.workers, phase.name,"
        " sum(phase.time) / 1e9 / sum(sample.calls), sum(phase.count)"
        " FROM rep JOIN sample ON sample.rep = rep.id"
        " JOIN phase ON phase.rep = rep.id AND phase.worker = sample.worker"
        " WHERE rep.run = ? AND NOT rep.warmup GROUP BY rep.id, phase.name ORDER BY rep.id, phase.name",
        (run,),
    ).fetchall()
    whole = db.execute(
        "SELECT rep.launch, rep.block, rep.treatment, rep.kind, rep.workers, '',"
        " sum(sample.ended - sample.started) / 1e9 / sum(sample.calls), sum(sample.calls)"
        " FROM rep JOIN sample ON sample.rep = rep.id"
        " WHERE rep.run = ? AND NOT rep.warmup AND rep.treatment >= 0 GROUP BY rep.id ORDER BY rep.id",
        (run,),
    ).fetchall()
    return Phases.of(rows + whole)
