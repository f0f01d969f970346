"""SQLite's errors in words that help."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from knee.errors import KneeError

ELSEWHERE = "name another file with --store FILE or KNEE_STORE"

_TROUBLE = {
    sqlite3.SQLITE_NOTADB: ("{path} is not a database", ELSEWHERE),
    sqlite3.SQLITE_CORRUPT: (
        "the store {path} is damaged",
        f"save what can be saved with sqlite3's .recover, and {ELSEWHERE}",
    ),
    sqlite3.SQLITE_READONLY: (
        "the store {path} is read-only",
        f"make it and its folder writable, or {ELSEWHERE}",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "the store {path} cannot be opened",
        f"check that its folder exists and is writable, or {ELSEWHERE}",
    ),
    sqlite3.SQLITE_FULL: (
        "no space is left for the store {path}; what it holds is intact",
        f"free some, or {ELSEWHERE}; a run that was cut short goes on with knee run --resume",
    ),
    sqlite3.SQLITE_BUSY: ("the store {path} is locked by another process", f"wait for it, or {ELSEWHERE}"),
    sqlite3.SQLITE_LOCKED: ("the store {path} is locked by another process", f"wait for it, or {ELSEWHERE}"),
    sqlite3.SQLITE_IOERR: (
        "the store {path} cannot be read or written (input/output error)",
        f"check the disk, or {ELSEWHERE}",
    ),
}


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn an error of SQLite that the user can mend into a ``KneeError``; others pass.

    Text that is no JSON any more is damage as well, which SQLite cannot see.
    """
    try:
        yield
    except json.JSONDecodeError as error:
        text, advice = _TROUBLE[sqlite3.SQLITE_CORRUPT]
        raise KneeError(text.format(path=path), advice) from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code is None and "decode" in str(error):  # Python's own: a text that is no UTF-8
            code = sqlite3.SQLITE_CORRUPT
        known = _TROUBLE.get(code & 0xFF) if code is not None else None
        if known is None:
            raise
        text, advice = known
        raise KneeError(text.format(path=path), advice) from error
