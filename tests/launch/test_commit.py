"""A commit of the package under test is installed from the local repository, which stays as it is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from knee.errors import KneeError
from knee.launch import commit as module
from knee.launch import environment as environments
from knee.launch.commit import from_git, resolve
from knee.launch.environment import Environment
from knee.launch.interpreter import find, find_uv


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "protocol.file.allow=always"]
    answer = subprocess.run(
        ["git", "-C", str(folder), *identity, *words], check=True, capture_output=True, text=True
    )
    return answer.stdout.strip()


def commit(folder: Path, message: str) -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tiny: Path) -> Path:
    """Two commits of tiny: VALUE is 1 at tag one, 2 at the branch's head, 3 in the working tree."""
    git(tiny, "init", "-q", "-b", "main")
    commit(tiny, "one")
    git(tiny, "tag", "one")
    (tiny / "tiny.py").write_text("VALUE = 2\n")
    commit(tiny, "two")
    (tiny / "tiny.py").write_text("VALUE = 3\n")
    return tiny


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the installation by a note of what would be installed."""
    seen: list[str] = []

    def fake(interpreter: object, packages: list[str], *, only_binary: object) -> Environment:
        seen.append((Path(packages[0]) / "tiny.py").read_text())
        seen.extend(str(path.relative_to(packages[0])) for path in Path(packages[0]).glob("part/*.txt"))
        return Environment("python")

    monkeypatch.setattr(module, "environment", fake)
    return seen


@pytest.mark.parametrize(("revision", "value"), [("one", 1), ("main", 2), ("HEAD", 2), ("HEAD~1", 1)])
def test_the_commit_is_what_is_installed(
    repository: Path, monkeypatch: pytest.MonkeyPatch, revision: str, value: int
) -> None:
    seen = recorded(monkeypatch)
    from_git(find(), revision, repository)
    assert seen == [f"VALUE = {value}\n"]


def test_the_repository_stays_as_it_is(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded(monkeypatch)
    before = git(repository, "status", "--porcelain"), git(repository, "for-each-ref")
    from_git(find(), "one", repository)
    assert (git(repository, "status", "--porcelain"), git(repository, "for-each-ref")) == before
    assert (repository / "tiny.py").read_text() == "VALUE = 3\n"
    assert git(repository, "worktree", "list").count("\n") == 0


def test_submodules_come_from_the_local_checkout(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = tmp_path / "elsewhere"
    part.mkdir()
    git(part, "init", "-q", "-b", "main")
    (part / "data.txt").touch()
    commit(part, "part")
    git(repository, "submodule", "add", "-q", str(part), "part")
    commit(repository, "with a submodule")
    part.rename(tmp_path / "gone")
    seen = recorded(monkeypatch)
    from_git(find(), "HEAD", repository)
    assert seen[1:] == ["part/data.txt"]


def test_a_package_in_a_folder_of_its_repository(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tiny.parent
    git(root, "init", "-q", "-b", "main")
    commit(root, "one")
    seen = recorded(monkeypatch)
    from_git(find(), "main", tiny)
    assert seen == ["VALUE = 1\n"]


def test_resolve_gives_the_full_hash(repository: Path) -> None:
    assert resolve("main", repository) == git(repository, "rev-parse", "main")


@pytest.mark.parametrize("revision", ["nothing", "HEAD~99", "--help", ""])
def test_no_such_commit(repository: Path, revision: str) -> None:
    with pytest.raises(KneeError, match="there is no commit"):
        from_git(find(), revision, repository)


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(KneeError, match="is in no git repository"):
        from_git(find(), "main", tmp_path)


def test_no_package_at_the_commit(repository: Path) -> None:
    git(repository, "rm", "-q", "--cached", "pyproject.toml")
    git(repository, "commit", "-q", "-m", "no package")
    with pytest.raises(KneeError, match="at HEAD there is no package"):
        from_git(find(), "HEAD", repository)


def test_no_git(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(KneeError, match="git cannot be started"):
        resolve("main", repository)


@pytest.mark.real
@pytest.mark.skipif(find_uv() is None, reason="no uv here")
def test_two_real_commits_side_by_side(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environments, "cache", lambda: tmp_path / "environments")
    values = []
    for revision in ("one", "main", "one"):
        made = from_git(find(), revision, repository)
        code = "import tiny; print(tiny.VALUE)"
        answer = subprocess.run([made.python, "-c", code], capture_output=True, text=True, check=True)
        values.append((answer.stdout.strip(), made.python))
    assert [value for value, _ in values] == ["1", "2", "1"]
    assert values[0] == values[2]
