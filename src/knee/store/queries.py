"""What can be asked of a store; each query takes a connection and returns plain data."""

from __future__ import annotations

import json
import math
import socket
import sqlite3
from typing import TYPE_CHECKING, Any

from knee.launch.sample import Loss
from knee.store.record import LaunchRecord, Moment, RunRecord, Status, StoredRun

if TYPE_CHECKING:
    from knee.stats.reps import Reps


def runs(db: sqlite3.Connection, run: int | None = None) -> list[StoredRun]:
    """All runs, oldest first; or the one numbered ``run``, if there is one."""
    given = {"run": run}
    treatments: dict[int, list[Any]] = {}
    for owner, data in db.execute(
        "SELECT run, data FROM treatment WHERE :run IS NULL OR run = :run ORDER BY run, treatment", given
    ):
        treatments.setdefault(owner, []).append(json.loads(data))
    launches: dict[int, int] = dict(
        db.execute(
            "SELECT run, count(DISTINCT launch) FROM launch WHERE status = 'ended' GROUP BY run"
        ).fetchall()
    )
    cursor = db.execute("SELECT * FROM run WHERE :run IS NULL OR id = :run ORDER BY id", given)
    names = [column[0] for column in cursor.description]
    found = []
    for values in cursor:
        row = dict(zip(names, values, strict=True))
        record = RunRecord(
            verb=row["verb"],
            created=row["created"],
            law=row["law"],
            seed=row["seed"],
            workload=row["workload"],
            treatments=tuple(treatments.get(row["id"], ())),
            plan=json.loads(row["plan"]),
            fingerprint=json.loads(row["fingerprint"]),
            machine=json.loads(row["machine"]),
            argv=tuple(json.loads(row["argv"])),
        )
        found.append(
            StoredRun(
                id=row["id"],
                record=record,
                status=_status(row["status"], row["host"], row["pid"], row["process_started"]),
                finished=row["finished"],
                version=row["version"],
                launches=launches.get(row["id"], 0),
            )
        )
    return found


def launches(db: sqlite3.Connection, run: int) -> list[LaunchRecord]:
    """Launches of a run in order."""
    rows = db.execute(
        "SELECT launch, launch_group, started, ended, status, interpreter, facts FROM launch WHERE run = ?"
        " ORDER BY launch, launch_group",
        (run,),
    )
    return [
        LaunchRecord(launch, group, started, ended, status, _loads(interpreter), _loads(facts))
        for launch, group, started, ended, status, interpreter, facts in rows
    ]


def blocks(db: sqlite3.Connection, run: int) -> set[tuple[int, int, int]]:
    """(launch, group, block) of every stored block."""
    return set(
        db.execute("SELECT DISTINCT launch, launch_group, block FROM rep WHERE run = ?", (run,)).fetchall()
    )


def losses(db: sqlite3.Connection, run: int) -> list[Loss]:
    """What a run lost, in order."""
    rows = db.execute(
        "SELECT launch, launch_group, block, kind, text, traceback, worker, treatment, workers, worker_kind,"
        " rep FROM loss WHERE run = ? ORDER BY id",
        (run,),
    )
    return [Loss(*row) for row in rows]


def hazards(db: sqlite3.Connection, run: int) -> list[tuple[Moment, dict[str, Any]]]:
    """(moment, hazard) in order."""
    rows = db.execute("SELECT moment, data FROM hazard WHERE run = ? ORDER BY id", (run,))
    return [(moment, json.loads(data)) for moment, data in rows]


def events(db: sqlite3.Connection, run: int) -> list[tuple[float, str, dict[str, Any]]]:
    """(time, kind, data) in order."""
    rows = db.execute("SELECT at, kind, data FROM event WHERE run = ? ORDER BY id", (run,))
    return [(at, kind, json.loads(data)) for at, kind, data in rows]


def printed(db: sqlite3.Connection, run: int) -> tuple[int, int]:
    """Bytes that the workload printed while timed, and in how many reps; what commands print is their result."""
    row = db.execute(
        "SELECT coalesce(sum(printed), 0), count(*) FROM rep WHERE run = ? AND printed > 0 AND NOT warmup"
        " AND kind != 'command'",
        (run,),
    ).fetchone()
    return row[0], row[1]


def core_speeds(db: sqlite3.Connection, machine: str, before: int | None) -> list[float]:
    """Median core speed of each run on a machine, of those before run ``before``, oldest first."""
    rows = db.execute(
        "SELECT core_speed FROM run WHERE machine_id = ? AND core_speed IS NOT NULL"
        " AND id < coalesce(?, id + 1) ORDER BY id",
        (machine, before),
    )
    return [speed for (speed,) in rows]


def median_speed(db: sqlite3.Connection, run: int) -> float | None:
    """The lower median of the speed probes before each rep; None without any."""
    probes = "FROM sample JOIN rep ON rep.id = sample.rep WHERE rep.run = :run AND speed_before IS NOT NULL"
    row = db.execute(
        f"SELECT speed_before {probes} ORDER BY speed_before LIMIT 1"
        f" OFFSET (SELECT max(0, (count(*) - 1) / 2) {probes})",
        {"run": run},
    ).fetchone()
    return None if row is None else row[0]


def reps(db: sqlite3.Connection, run: int) -> Reps:
    """Every rep, in the order in which they were measured."""
    import numpy as np  # which lists of runs need not wait for

    from knee.stats.reps import Reps

    law, cpus, quota = db.execute(
        "SELECT law, json_array_length(machine, '$.limits.affinity'), json_extract(machine, '$.limits.quota')"
        " FROM run WHERE id = ?",
        (run,),
    ).fetchone()
    rows = db.execute(
        "SELECT launch, block, treatment, kind, workers, warmup, (ended - started) / 1e9, calls,"
        # What the slowest worker would have taken without its run-queue delay; NULL where some delay is not known.
        " (SELECT CASE WHEN count(wait) = count(*) THEN max(ended - started - wait) / 1e9 END"
        " FROM sample WHERE sample.rep = rep.id)"
        " FROM rep WHERE run = ? ORDER BY id",
        (run,),
    ).fetchall()
    if not rows:
        return Reps.empty(law)
    launch, block, treatment, kind, workers, warmup, *numbers = zip(*rows, strict=True)
    time, calls, unwaited = np.array(numbers, np.float64)
    _, first, index = np.unique(launch, return_index=True, return_inverse=True)
    return Reps(
        np.array(launch),
        np.array(block),
        np.arange(len(rows)) - first[index],
        np.array(treatment),
        np.array(kind),
        np.array(workers),
        np.array(warmup, np.bool_),
        time,
        calls,
        law,
        np.clip(np.nan_to_num(time - unwaited), 0.0, 0.99 * time),
        cpus if quota is None or cpus is None else min(cpus, math.floor(quota)),
    )


def _status(status: Status, host: str, pid: int, started: float | None) -> Status:
    """``unfinished`` for a run whose process is gone; a process on another host is believed to live."""
    if status != "running" or host != socket.gethostname():
        return status
    import psutil

    try:
        alive = started is None or abs(psutil.Process(pid).create_time() - started) < 1
    except psutil.Error:
        alive = False
    return "running" if alive else "unfinished"


def _loads(text: str | None) -> dict[str, Any] | None:
    return None if text is None else dict(json.loads(text))
