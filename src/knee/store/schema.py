"""Tables of the store, as the steps that lead from an empty file to the newest layout.

A released step is never edited: a change of the layout is a further step. ``PRAGMA user_version`` counts the
steps that a file has taken, ``PRAGMA application_id`` marks it as Knee's. All times of day are seconds since
the epoch (UTC), all measured times nanoseconds of the target's monotonic clock, all speeds iterations per
second; NULL is "unknown". ``launch_group`` is the group of treatments that share the launch's process,
``block`` counts within a launch, ``position`` within a block. Columns named ``data`` hold JSON.
"""

from __future__ import annotations

APPLICATION = 0x4B6E6565
"""``PRAGMA application_id`` of a store: "Knee" in ASCII."""

_FIRST = (
    """
    CREATE TABLE run (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        verb TEXT NOT NULL,
        created REAL NOT NULL,
        finished REAL,
        status TEXT NOT NULL,
        host TEXT NOT NULL,          -- with pid and process_started: who measures, to see if it lives
        pid INTEGER NOT NULL,
        process_started REAL,
        version TEXT NOT NULL,
        law TEXT NOT NULL,
        seed INTEGER NOT NULL,
        workload TEXT NOT NULL,
        plan TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        machine TEXT NOT NULL,
        machine_id TEXT,
        argv TEXT NOT NULL,
        core_speed REAL              -- median of the speed probes, set at the end
    )
    """,
    "CREATE INDEX run_by_machine ON run (machine_id, id)",
    """
    CREATE TABLE treatment (
        run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
        treatment INTEGER NOT NULL,
        data TEXT NOT NULL,
        PRIMARY KEY (run, treatment)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE launch (
        run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
        launch INTEGER NOT NULL,
        launch_group INTEGER NOT NULL,
        started REAL NOT NULL,
        ended REAL,
        status TEXT NOT NULL,
        interpreter TEXT,
        facts TEXT,
        PRIMARY KEY (run, launch, launch_group)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE rep (
        id INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
        launch INTEGER NOT NULL,
        launch_group INTEGER NOT NULL,
        block INTEGER NOT NULL,
        position INTEGER NOT NULL,
        treatment INTEGER NOT NULL,
        kind TEXT NOT NULL,
        workers INTEGER NOT NULL,
        warmup INTEGER NOT NULL,
        printed INTEGER NOT NULL,
        released INTEGER,
        started INTEGER NOT NULL,    -- first worker's start
        ended INTEGER NOT NULL,      -- last worker's end
        calls INTEGER NOT NULL,      -- summed over workers
        UNIQUE (run, launch, launch_group, block, position)
    )
    """,
    """
    CREATE TABLE sample (
        rep INTEGER NOT NULL REFERENCES rep ON DELETE CASCADE,
        worker INTEGER NOT NULL,
        started INTEGER NOT NULL,
        ended INTEGER NOT NULL,
        calls INTEGER NOT NULL,
        user INTEGER,
        system INTEGER,
        cpu INTEGER,
        voluntary INTEGER,
        involuntary INTEGER,
        wait INTEGER,
        minor_faults INTEGER,
        major_faults INTEGER,
        cpu_start INTEGER,
        cpu_end INTEGER,
        cycles INTEGER,
        instructions INTEGER,
        speed_before REAL,
        speed_after REAL,
        PRIMARY KEY (rep, worker)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE phase (
        rep INTEGER NOT NULL REFERENCES rep ON DELETE CASCADE,
        worker INTEGER NOT NULL,
        name TEXT NOT NULL,
        count INTEGER NOT NULL,
        time INTEGER NOT NULL,
        PRIMARY KEY (rep, worker, name)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE hazard (
        id INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
        moment TEXT NOT NULL,        -- before, during or after the measuring
        data TEXT NOT NULL
    )
    """,
    "CREATE INDEX hazard_of_run ON hazard (run)",
    """
    CREATE TABLE loss (
        id INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
        launch INTEGER NOT NULL,
        launch_group INTEGER NOT NULL,
        block INTEGER,
        kind TEXT NOT NULL,
        text TEXT NOT NULL,
        traceback TEXT NOT NULL,
        worker INTEGER,
        treatment INTEGER,
        workers INTEGER,
        worker_kind TEXT,
        rep INTEGER
    )
    """,
    "CREATE INDEX loss_of_run ON loss (run)",
    """
    CREATE TABLE event (
        id INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
        at REAL NOT NULL,
        kind TEXT NOT NULL,
        data TEXT NOT NULL
    )
    """,
    "CREATE INDEX event_of_run ON event (run)",
)

STEPS: tuple[tuple[str, ...], ...] = (_FIRST,)
"""Statements of each step; step ``i`` leads from version ``i`` to ``i + 1``."""
