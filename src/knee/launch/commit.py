"""A commit of the package under test, installed: what ``--git main --git HEAD`` compares."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from knee.errors import KneeError
from knee.launch.environment import Environment, environment
from knee.launch.interpreter import Interpreter


def resolve(revision: str, repository: str | os.PathLike[str] = ".") -> str:
    """Return the full hash of a revision.

    Raises:
        KneeError: no repository there, or no such commit in it.
    """
    return _commit(_root(Path(repository)), revision)


def from_git(
    interpreter: Interpreter,
    revision: str,
    repository: str | os.PathLike[str] = ".",
    packages: Sequence[str] = (),
    *,
    only_binary: bool | None = None,
) -> Environment:
    """Return an environment with the package under test as it was at a commit, and further packages.

    The commit is checked out of the local repository into a folder of its own, with its submodules (where
    they are checked out locally); the working tree stays as it is and git fetches nothing.

    Args:
        interpreter: whose Python it has.
        revision: anything git understands: a branch, a tag, a hash, ``HEAD~2``.
        repository: the folder that holds the package's ``pyproject.toml``, inside a repository.
        packages: as for ``environment``.
        only_binary: as for ``environment``.

    Raises:
        KneeError: no repository, no such commit, or it cannot be built.
    """
    here = Path(repository).resolve()
    root = _root(here)
    commit = _commit(root, revision)
    with tempfile.TemporaryDirectory(prefix="knee-git-") as scratch:
        tree = Path(scratch) / root.name
        _check_out(root, commit, tree)
        package = tree / here.relative_to(root)
        if not any((package / name).is_file() for name in ("pyproject.toml", "setup.py")):
            raise KneeError(
                f"at {revision} there is no package in {here}",
                "run this from the folder that holds its pyproject.toml or setup.py",
            )
        return environment(interpreter, [str(package), *packages], only_binary=only_binary)


def _root(folder: Path) -> Path:
    return Path(_git(folder, "rev-parse", "--show-toplevel", error=f"{folder} is in no git repository"))


def _commit(root: Path, revision: str) -> str:
    error = f"there is no commit '{revision}' in {root}"
    return _git(
        root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", error=error
    )


def _check_out(root: Path, commit: str, tree: Path) -> None:
    # A clone rather than an archive: build back ends read the version from tags.
    error = f"commit {commit[:12]} of {root} cannot be checked out"
    _git(root, "clone", "--quiet", "--shared", "--no-checkout", str(root), str(tree), error=error)
    _git(tree, "checkout", "--quiet", "--detach", commit, error=error)
    if not (tree / ".gitmodules").is_file():
        return
    listed = _git(tree, "config", "-f", ".gitmodules", "--get-regexp", r"\.path$", error=error)
    for line in listed.splitlines():
        key, path = line.split(" ", 1)
        name = key.removeprefix("submodule.").removesuffix(".path")
        _git(tree, "config", f"submodule.{name}.url", str(root / path), error=error)
        missing = f"submodule {path} at {commit[:12]} is not in {root}"
        _git(
            tree,
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "update",
            "--quiet",
            "--",
            path,
            error=missing,
        )


def _git(folder: Path, *words: str, error: str) -> str:
    try:
        answer = subprocess.run(
            ["git", "-C", str(folder), *words],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except OSError as failure:
        raise KneeError(f"git cannot be started: {failure.strerror}", "install git") from failure
    if answer.returncode != 0:
        lines = answer.stderr.strip().splitlines()
        raise KneeError(error, f"git says: {lines[-1]}" if lines else "check it with git log")
    return answer.stdout.strip()
