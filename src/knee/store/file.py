"""The store as a file: opened, checked and brought to the newest layout."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

from knee.errors import KneeError
from knee.store import schema
from knee.store.trouble import ELSEWHERE, explained

PATIENCE = 10.0
"""Seconds to wait for another process's transaction."""


def connect(path: Path, *, readonly: bool) -> sqlite3.Connection:
    """Open a store whose transactions are on the disk when they end (WAL, full synchronisation).

    Raises:
        KneeError: missing (``readonly``), read-only (else), full, locked, damaged, no database, another
            program's database, or made by a newer Knee.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        mode = 0
    except OSError as error:
        raise KneeError(f"the store {path} cannot be opened: {error.strerror}", ELSEWHERE) from error
    if stat.S_ISDIR(mode):
        raise KneeError(f"the store {path} is a folder", ELSEWHERE)
    if readonly and not mode:
        raise KneeError(f"there is no store {path}", "knee run makes one; --store FILE names another")
    with explained(path):
        connection = _to_read(path) if readonly else _opened(path)
        try:
            _check(connection, path)
            if readonly:
                _check_readable(connection, path)
            else:
                connection.execute("PRAGMA foreign_keys = ON")
                connection.execute("PRAGMA synchronous = FULL")
                _migrate(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _opened(path: Path, options: str = "") -> sqlite3.Connection:
    return sqlite3.connect(
        path.absolute().as_uri() + options, uri=True, isolation_level=None, timeout=PATIENCE
    )


def _to_read(path: Path) -> sqlite3.Connection:
    connection = _opened(path, "?mode=ro")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        # The log's index cannot be made in a folder that cannot be written; where there is no log, none is needed.
        connection.close()
        if Path(f"{path}-wal").exists():
            raise
        connection = _opened(path, "?immutable=1")
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and _pragma(connection, "application_id") != schema.APPLICATION:
        raise KneeError(f"{path} is the database of another program", ELSEWHERE)
    layout = _pragma(connection, "user_version")
    if layout > len(schema.STEPS):
        raise KneeError(
            f"the store {path} was made by a newer Knee (layout {layout}, here {len(schema.STEPS)})",
            f"upgrade Knee, or {ELSEWHERE}",
        )


def _check_readable(connection: sqlite3.Connection, path: Path) -> None:
    layout = _pragma(connection, "user_version")
    if layout == 0:
        raise KneeError(f"the store {path} is empty", "knee run fills it; --store FILE names another")
    if layout < len(schema.STEPS):
        raise KneeError(
            f"the store {path} has an older layout ({layout}, now {len(schema.STEPS)})",
            "any verb that writes to it (knee run) brings it up to date",
        )


def _migrate(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # A transaction even where nothing is to be done: it shows now, not after measuring, that the file can be
    # written.
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in schema.STEPS[_pragma(connection, "user_version") :]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION}")
        connection.execute(f"PRAGMA user_version = {len(schema.STEPS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
