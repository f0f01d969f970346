"""A store of runs, written block by block: a kill or a power cut loses at most the block under way."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from knee.errors import KneeError
from knee.store import inserts, queries
from knee.store.file import connect
from knee.store.record import LaunchRecord, Moment, RunRecord, Status, StoredRun
from knee.store.trouble import explained

if TYPE_CHECKING:
    from knee.launch.sample import Loss, RepResult
    from knee.stats.phases import Phases
    from knee.stats.reps import Reps
    from knee.store.effort import Effort
    from knee.store.samples import Samples

_T = TypeVar("_T")

_MOST_RUNS = 2**63 - 1
"""The greatest number that SQLite gives to a row."""


class Store:
    """Runs in one SQLite file. Open with ``Store.open``; usable as a context manager, by one thread.

    Every writing method is one transaction that is on the disk when it returns. All methods raise
    ``KneeError`` when the file cannot be read or written.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, readonly: bool = False) -> Store:
        """Open the store at ``path``; made, and brought to the newest layout, unless ``readonly``.

        Raises:
            KneeError: missing (``readonly``), read-only (else), full, locked, damaged, no database, another
                program's database, or made by a newer Knee.
        """
        return cls(connect(Path(path), readonly=readonly), Path(path))

    def close(self) -> None:
        """Close the file; the last one to close it folds the write-ahead log into it."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Writing

    def begin(self, record: RunRecord) -> int:
        """Store a run as running in this process and return its number."""
        with self._transaction() as db:
            return inserts.run(db, record)

    def reopen(self, run: int) -> StoredRun:
        """Mark a run that did not finish as running in this process and return it.

        Raises:
            KneeError: it is finished, or another process is at it.
        """
        found = self.run(run)
        if found.status == "running":
            raise KneeError(
                f"run {run} is being measured by another process", "wait for it, or end that process"
            )
        if found.status == "finished":
            raise KneeError(f"run {run} is finished", f"knee show {run} shows it; knee run starts another")
        process = inserts.this_process()
        with self._transaction() as db:
            db.execute(
                "UPDATE run SET status = 'running', finished = NULL, host = :host, pid = :pid,"
                " process_started = :process_started WHERE id = :run",
                {**process, "run": run},
            )
            inserts.event(db, run, "resumed", {"was": found.status})
        return self.run(run)

    def treatment(self, run: int, treatment: int, data: Mapping[str, Any]) -> None:
        """Add a treatment that came up during the run, or note what else is known of one."""
        with self._transaction() as db:
            db.execute(
                "INSERT INTO treatment VALUES (?,?,?) ON CONFLICT DO UPDATE SET data = excluded.data",
                (run, treatment, inserts.to_text(data)),
            )

    def launch_started(self, run: int, launch: int, group: int) -> None:
        """Note that a launch has begun; one that is begun again (resumed) keeps what it has stored."""
        with self._transaction() as db:
            db.execute(
                "INSERT INTO launch VALUES (?,?,?,?,NULL,'running',NULL,NULL) ON CONFLICT DO UPDATE"
                " SET started = excluded.started, ended = NULL, status = excluded.status",
                (run, launch, group, time.time()),
            )

    def launch_ended(
        self,
        run: int,
        launch: int,
        group: int,
        status: str,
        interpreter: Mapping[str, Any] | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        """Note how a launch ended: ``ended``, or how it was lost (``Loss.kind``)."""
        texts = [None if data is None else inserts.to_text(data) for data in (interpreter, facts)]
        with self._transaction() as db:
            db.execute(
                "UPDATE launch SET ended = ?, status = ?, interpreter = ?, facts = ?"
                " WHERE run = ? AND launch = ? AND launch_group = ?",
                (time.time(), status, *texts, run, launch, group),
            )

    def append_block(self, run: int, launch: int, group: int, block: int, reps: Sequence[RepResult]) -> None:
        """Store a block's reps in one transaction: all of it, or nothing."""
        with self._transaction() as db:
            inserts.block(db, run, launch, group, block, reps)

    def loss(self, run: int, loss: Loss) -> None:
        """Store what was lost, and why."""
        with self._transaction() as db:
            inserts.loss(db, run, loss)

    def hazards(self, run: int, when: Moment, hazards: Sequence[Mapping[str, Any]]) -> None:
        """Store hazards as JSON, each with at least ``id``, ``text`` and ``advice``."""
        with self._transaction() as db:
            for hazard in hazards:
                inserts.hazard(db, run, when, hazard)

    def event(self, run: int, kind: str, data: Mapping[str, Any] | None = None) -> None:
        """Store something that happened while measuring, with the time of day."""
        with self._transaction() as db:
            inserts.event(db, run, kind, data or {})

    def finish(self, run: int, status: Status = "finished") -> None:
        """Mark a run as finished, interrupted or failed, and record its core speed."""
        with self._transaction() as db:
            db.execute(
                "UPDATE run SET status = ?, finished = ?, core_speed = ? WHERE id = ?",
                (status, time.time(), queries.median_speed(db, run), run),
            )

    # Reading

    def runs(self) -> list[StoredRun]:
        """All runs, oldest first."""
        return self._ask(queries.runs)

    def run(self, run: int) -> StoredRun:
        """One run.

        Raises:
            KneeError: there is none of that number.
        """
        found = self._ask(queries.runs, run) if 0 < run <= _MOST_RUNS else []
        if not found:
            raise KneeError(f"there is no run {run} in {self.path}", "knee list shows those that there are")
        return found[0]

    def resolve(self, name: str, *, resumable: bool = False) -> int:
        """The number of the run that the user means by ``name``: a number, or ``last``.

        Args:
            name: what the user typed.
            resumable: ``last`` means the newest run that can be gone on with.

        Raises:
            KneeError: there is none.
        """
        if name.isascii() and name.isdigit():
            return self.run(int(name)).id
        if name != "last":
            raise KneeError(f"'{name}' is not a run", "knee list shows the runs; 'last' is the newest")
        runs = [run for run in self.runs() if not resumable or run.resumable]
        if not runs:
            kind = "run to go on with" if resumable else "run"
            raise KneeError(f"there is no {kind} in {self.path}", "knee list shows those that there are")
        return runs[-1].id

    def launches(self, run: int) -> list[LaunchRecord]:
        """Launches in order, those that were lost among them."""
        return self._ask(queries.launches, run)

    def blocks(self, run: int) -> set[tuple[int, int, int]]:
        """(launch, group, block) of every block that is stored."""
        return self._ask(queries.blocks, run)

    def losses(self, run: int) -> list[Loss]:
        """What was lost, in order."""
        return self._ask(queries.losses, run)

    def hazards_of(self, run: int) -> list[tuple[Moment, dict[str, Any]]]:
        """Hazards with the moment they were seen at, in order."""
        return self._ask(queries.hazards, run)

    def events(self, run: int) -> list[tuple[float, str, dict[str, Any]]]:
        """(seconds since the epoch, kind, data) of what happened, in order."""
        return self._ask(queries.events, run)

    def printed(self, run: int) -> tuple[int, int]:
        """Bytes that the workload printed while it was timed, and in how many reps."""
        return self._ask(queries.printed, run)

    def core_speeds(self, machine: str, before: int | None = None) -> list[float]:
        """Median core speed (iterations/s) of each run on a machine, oldest first; of those before a run."""
        return self._ask(queries.core_speeds, machine, before)

    def reps(self, run: int) -> Reps:
        """Every rep of a run, by column."""
        return self._ask(queries.reps, run)

    def samples(self, run: int) -> Samples:
        """Every worker's sample of a run, by column."""
        from knee.store import samples  # numpy, which lists of runs need not wait for

        return self._ask(samples.read, run)

    def effort(self, run: int, treatment: int = 0) -> Effort:
        """Where the workers' time went in a treatment's timed reps, by column."""
        from knee.store import effort

        return self._ask(effort.read, run, treatment)

    def phases(self, run: int) -> Phases:
        """Every phase of every timed rep of a run, by column."""
        from knee.store import phases

        return self._ask(phases.read, run)

    def _ask(self, query: Callable[..., _T], *arguments: Any) -> _T:
        with explained(self.path):
            return query(self._connection, *arguments)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with explained(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
