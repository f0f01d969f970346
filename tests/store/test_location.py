"""Where the store is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from knee.store.location import locate


@pytest.fixture(autouse=True)
def _no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KNEE_STORE", raising=False)


@pytest.mark.parametrize("mark", [".git", "pyproject.toml"])
def test_it_is_in_the_nearest_folder_above_that_is_a_project(tmp_path: Path, mark: str) -> None:
    inner = tmp_path / "project" / "src" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "project" / mark).touch()
    (tmp_path / mark).touch()
    assert locate(start=inner) == tmp_path / "project" / "knee.db"


def test_a_project_is_its_own_nearest_folder(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert locate(start=tmp_path) == tmp_path / "knee.db"


def test_a_named_file_counts_most_then_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("KNEE_STORE", "elsewhere.db")
    assert locate("named.db", tmp_path) == Path("named.db")
    assert locate(None, tmp_path) == Path("elsewhere.db")
    monkeypatch.setenv("KNEE_STORE", "")
    assert locate(None, tmp_path) == tmp_path / "knee.db"


def test_a_home_folder_is_found_where_the_shell_left_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert locate("~/runs.db") == Path("/home/me/runs.db")
    monkeypatch.setenv("KNEE_STORE", "~/other.db")
    assert locate() == Path("/home/me/other.db")


def test_without_a_project_it_is_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knee.store.location._MARKS", ("no such mark anywhere",))
    assert locate(start=tmp_path) == tmp_path / "knee.db"
