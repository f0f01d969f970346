"""Where a project's store is."""

from __future__ import annotations

import os
from pathlib import Path

from knee.errors import KneeError

NAME = "knee.db"
VARIABLE = "KNEE_STORE"
_MARKS = (".git", "pyproject.toml")


def locate(explicit: str | os.PathLike[str] | None = None, start: Path | None = None) -> Path:
    """Return the path of the store, whether or not it exists yet.

    The first of these counts: ``explicit`` (``--store``), the environment variable ``KNEE_STORE``,
    ``knee.db`` in the nearest folder at or above ``start`` (default: the current one) that holds ``.git`` or
    ``pyproject.toml``, ``knee.db`` in ``start``.

    Raises:
        KneeError: there is no current folder any more.
    """
    if explicit:
        return Path(explicit).expanduser()  # a shell leaves --store=~/knee.db as it is
    if named := os.environ.get(VARIABLE):
        return Path(named).expanduser()
    try:
        here = (start or Path.cwd()).resolve()
    except FileNotFoundError as error:
        raise KneeError("the current folder has been deleted", "cd to one that exists") from error
    for folder in (here, *here.parents):
        if any((folder / mark).exists() for mark in _MARKS):
            return folder / NAME
    return here / NAME
