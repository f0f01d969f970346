"""A store that cannot be used is refused in one line that says what to do, and is left as it was."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from knee.errors import KneeError
from knee.store import file, schema
from knee.store.database import Store
from tests.synthetic import Synthetic

NOBODY = 65534


@contextmanager
def powerless() -> Iterator[None]:
    """As a user whom permissions bind."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with one run."""
    with Store.open(tmp_path / "knee.db") as store:
        Synthetic(launches=1).into(store)
    for folder in (tmp_path, *tmp_path.parents):  # pytest keeps them private
        if os.geteuid() == 0 and not folder.stat().st_mode & 0o001:
            folder.chmod(0o755)
    return tmp_path / "knee.db"


def refused(path: Path, *, readonly: bool = False) -> KneeError:
    with pytest.raises(KneeError) as caught:
        Store.open(path, readonly=readonly)
    assert "\n" not in caught.value.text
    assert caught.value.advice
    assert caught.value.exit_code == 2
    return caught.value


def test_a_new_store_is_of_the_newest_layout_and_marked(tmp_path: Path) -> None:
    Store.open(tmp_path / "new.db").close()
    with closing(sqlite3.connect(tmp_path / "new.db")) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(schema.STEPS),)
        assert db.execute("PRAGMA application_id").fetchone() == (schema.APPLICATION,)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_every_commit_reaches_the_disk(tmp_path: Path) -> None:
    """PRAGMA synchronous 2 is FULL: with less, a power cut takes transactions that were reported as done."""
    with Store.open(tmp_path / "new.db") as store:
        assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_missing_store_is_refused_for_reading_only(tmp_path: Path) -> None:
    assert "there is no store" in refused(tmp_path / "none.db", readonly=True).text
    assert not (tmp_path / "none.db").exists()


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    assert "cannot be opened" in refused(tmp_path / "none" / "knee.db").text


@pytest.mark.parametrize("readonly", [False, True])
def test_a_folder_is_refused(tmp_path: Path, readonly: bool) -> None:
    assert "is a folder" in refused(tmp_path, readonly=readonly).text


@pytest.mark.parametrize("readonly", [False, True])
def test_what_is_no_database_is_refused_and_left_alone(tmp_path: Path, readonly: bool) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("not a database at all, but long enough to look like one " * 20)
    before = other.read_bytes()
    assert "is not a database" in refused(other, readonly=readonly).text
    assert other.read_bytes() == before


@pytest.mark.parametrize("readonly", [False, True])
def test_the_database_of_another_program_is_refused_and_left_alone(tmp_path: Path, readonly: bool) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE theirs (x)")
    before = other.read_bytes()
    assert "another program" in refused(other, readonly=readonly).text
    assert other.read_bytes() == before


@pytest.mark.parametrize("readonly", [False, True])
def test_a_store_of_a_newer_knee_is_refused_and_left_alone(path: Path, readonly: bool) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {len(schema.STEPS) + 1}")
    error = refused(path, readonly=readonly)
    assert "newer Knee" in error.text
    assert "upgrade" in error.advice


def test_a_damaged_store_is_refused(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[100:4096] = b"\xff" * (4096 - 100)
    path.write_bytes(content)
    assert "damaged" in refused(path).text


def test_an_empty_file_becomes_a_store_but_cannot_be_read_as_one(tmp_path: Path) -> None:
    empty = tmp_path / "empty.db"
    empty.touch()
    assert "is empty" in refused(empty, readonly=True).text
    Store.open(empty).close()
    Store.open(empty, readonly=True).close()


def test_an_older_layout_is_brought_up_to_date_with_its_content(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = (*schema.STEPS, ("ALTER TABLE run ADD COLUMN colour TEXT DEFAULT 'blue'",))
    monkeypatch.setattr(schema, "STEPS", newer)
    assert "older layout" in refused(path, readonly=True).text
    with Store.open(path) as store:
        assert [run.id for run in store.runs()] == [1]
        assert store._connection.execute("SELECT colour FROM run").fetchall() == [("blue",)]
    Store.open(path, readonly=True).close()


def test_a_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = schema.STEPS
    monkeypatch.setattr(
        schema, "STEPS", (*steps, ("ALTER TABLE run ADD COLUMN colour TEXT", "NO SUCH STATEMENT"))
    )
    with pytest.raises(sqlite3.OperationalError):
        Store.open(path)
    monkeypatch.setattr(schema, "STEPS", steps)
    with Store.open(path) as store:
        assert [run.id for run in store.runs()] == [1]
        assert "colour" not in str(store._connection.execute("SELECT sql FROM sqlite_master").fetchall())


def test_a_store_in_use_is_refused_after_some_patience(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "PATIENCE", 0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert "locked" in refused(path).text


def test_a_read_only_store_is_refused_before_anything_is_measured_and_can_be_read(path: Path) -> None:
    with Store.open(path) as store:
        store.reps(1)  # what is imported on first use may lie where nobody else may read
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        with powerless():
            assert "read-only" in refused(path).text
            with Store.open(path, readonly=True) as store:
                assert [run.id for run in store.runs()] == [1]
                assert len(store.reps(1)) > 0
    finally:
        path.parent.chmod(0o755)


@pytest.mark.parametrize("broken", ["'{'", "CAST(x'ff' AS TEXT)"])
def test_a_text_that_is_damaged_is_told_as_damage(path: Path, broken: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(f"UPDATE run SET plan = {broken}")
    with Store.open(path, readonly=True) as store, pytest.raises(KneeError, match="damaged"):
        store.run(1)


@pytest.mark.parametrize("readonly", [True, False])
def test_a_folder_that_may_not_be_entered_is_told(path: Path, readonly: bool) -> None:
    path.parent.chmod(0o600)
    try:
        with powerless():
            assert "cannot be opened" in refused(path, readonly=readonly).text
    finally:
        path.parent.chmod(0o755)


def test_reading_writes_nothing(path: Path) -> None:
    before = path.read_bytes()
    with Store.open(path, readonly=True) as store:
        store.runs()
        with pytest.raises(KneeError, match="read-only"):
            store.finish(1)
    assert path.read_bytes() == before


def test_a_full_disk_is_told_and_what_was_stored_stays(path: Path) -> None:
    with Store.open(path) as store:
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(KneeError, match="no space") as caught:
            Synthetic(launches=50).into(store)
        assert "--resume" in caught.value.advice
        assert len(store.reps(1)) > 0
        store._connection.execute("PRAGMA max_page_count = 1000000")
        store.finish(1)
