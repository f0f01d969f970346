"""Recorded machines: small text files stand for trees of thousands (see fixtures/README.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from knee.machine.linux.tree import Tree, cpu_list

FIXTURES = Path(__file__).parent / "fixtures"


class MemoryTree(Tree):
    """A tree whose files are in a mapping from path to bytes; anything else is missing."""

    def __init__(self, files: Mapping[str, bytes | OSError]) -> None:
        super().__init__("/recorded")
        self.files = dict(files)
        self._folders: dict[str, set[str]] = {}

    def _bytes(self, path: str) -> bytes:
        found = self.files.get(path, FileNotFoundError(2, "No such file or directory"))
        if isinstance(found, OSError):
            raise found
        return found

    def _names(self, path: str) -> list[str]:
        if not self._folders:
            for name in self.files:
                while "/" in name:
                    name, _, last = name.rpartition("/")  # noqa: PLW2901
                    self._folders.setdefault(name, set()).add(last)
        if path not in self._folders:
            raise FileNotFoundError(2, "No such file or directory")
        return list(self._folders[path])

    def changed(self, changes: Mapping[str, str | None]) -> MemoryTree:
        """The same machine with some files replaced, or gone where None."""
        files = {**self.files, **{path: text.encode() for path, text in changes.items() if text is not None}}
        return MemoryTree({path: data for path, data in files.items() if changes.get(path, "") is not None})

    def without(self, pattern: str) -> MemoryTree:
        """The same machine without the files that match."""
        return MemoryTree({path: data for path, data in self.files.items() if not re.search(pattern, path)})


def load(name: str) -> MemoryTree:
    """The machine of ``fixtures/<name>.tree``."""
    files: dict[str, bytes | OSError] = {}
    for line in (FIXTURES / f"{name}.tree").read_text().splitlines():
        if line.startswith("#") or not line:
            continue
        path, content = line.split(":", 1)
        content = content.removeprefix(" ").replace("\\n", "\n").replace("\\t", "\t")
        span = re.search(r"\[([0-9,-]+)\]", path)
        for n in cpu_list(span[1]) or () if span else (None,):
            here = path if span is None else path.replace(span[0], str(n))
            files[here] = _computed(content, n).encode() if n is not None else content.encode()
    return MemoryTree(files)


def _computed(content: str, n: int) -> str:
    return re.sub(r"\{([n0-9+*/% -]+)\}", lambda match: str(eval(match[1], {"n": n})), content)
