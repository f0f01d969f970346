"""Statements that add to a store; the caller holds the transaction."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from knee.store.record import RunRecord

if TYPE_CHECKING:
    from knee.launch.sample import Loss, RepResult


def run(db: sqlite3.Connection, record: RunRecord) -> int:
    """Add a run that this process measures; return its number."""
    number = _add(
        db,
        "run",
        verb=record.verb,
        created=record.created,
        status="running",
        **this_process(),
        version=own_version(),
        law=record.law,
        seed=record.seed,
        workload=record.workload,
        plan=to_text(record.plan),
        fingerprint=to_text(record.fingerprint),
        machine=to_text(record.machine),
        machine_id=record.machine.get("id"),
        argv=to_text(list(record.argv)),
    )
    db.executemany(
        "INSERT INTO treatment VALUES (?,?,?)",
        [(number, index, to_text(data)) for index, data in enumerate(record.treatments)],
    )
    return number


def block(
    db: sqlite3.Connection, run: int, launch: int, group: int, block: int, reps: Sequence[RepResult]
) -> None:
    """Add the reps of a block."""
    for rep in reps:
        number = _add(
            db,
            "rep",
            run=run,
            launch=launch,
            launch_group=group,
            block=block,
            position=rep.position,
            treatment=rep.treatment,
            kind=rep.kind,
            workers=rep.workers,
            warmup=rep.warmup,
            printed=rep.printed,
            released=rep.release,
            started=min(sample.start for sample in rep.samples),
            ended=max(sample.end for sample in rep.samples),
            calls=sum(sample.calls for sample in rep.samples),
        )
        # The columns of a sample stand in the order of WorkerSample's fields, of which phases is the last.
        db.executemany(
            f"INSERT INTO sample VALUES ({','.join('?' * 19)})",
            [(number, *astuple(sample)[:-1]) for sample in rep.samples],
        )
        db.executemany(
            "INSERT INTO phase VALUES (?,?,?,?,?)",
            [
                (number, sample.worker, name, count, spent)
                for sample in rep.samples
                for name, (count, spent) in sample.phases.items()
            ],
        )


def loss(db: sqlite3.Connection, run: int, loss: Loss) -> None:
    """Add something lost."""
    _add(
        db,
        "loss",
        run=run,
        launch=loss.launch,
        launch_group=loss.group,
        block=loss.block,
        kind=loss.kind,
        text=loss.text,
        traceback=loss.traceback,
        worker=loss.worker,
        treatment=loss.treatment,
        workers=loss.workers,
        worker_kind=loss.worker_kind,
        rep=loss.rep,
    )


def hazard(db: sqlite3.Connection, run: int, moment: str, hazard: Mapping[str, Any]) -> None:
    """Add a hazard."""
    _add(db, "hazard", run=run, moment=moment, data=to_text(hazard))


def event(db: sqlite3.Connection, run: int, kind: str, data: Mapping[str, Any]) -> None:
    """Add something that happened now."""
    _add(db, "event", run=run, at=time.time(), kind=kind, data=to_text(data))


def to_text(data: Any) -> str:
    """JSON of one form, so that equal data is equal text."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)


def this_process() -> dict[str, Any]:
    """What tells whether the process that measures a run still lives."""
    import psutil  # 30 ms that reading a store need not pay

    return {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "process_started": psutil.Process().create_time(),
    }


def own_version() -> str:
    """The version of Knee; "0" when run from sources that were never built."""
    try:
        return version("knee")
    except PackageNotFoundError:
        return "0"


def _add(db: sqlite3.Connection, table: str, **values: Any) -> int:
    cursor = db.execute(
        f"INSERT INTO {table} ({', '.join(values)}) VALUES ({','.join('?' * len(values))})",
        tuple(values.values()),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid
