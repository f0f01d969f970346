"""A workload whose cause is known: what its file says about itself.

The first docstring says ``Expected: CAUSE``. Comments say the rest: ``# knee: here`` marks a line that may be
named as the place of the cause, and ``# knee: WORD VALUE`` lines give the conditions (see ``conditions.py``).
``# knee: apart`` says that the cause, or its absence, holds for a whole process.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

CAUSES = (
    "gil",
    "refcount",
    "false-sharing.objects",
    "false-sharing.native",
    "false-sharing.slots",
    "sharing.container",
    "lock",
    "allocator",
    "gc",
    "kernel",
    "oversubscription",
    "machine.cores",
    "machine.quota",
    "machine.bandwidth",
    "thread-churn",
    "none",
    "unknown",
)

_EXPECTED = re.compile(r"^Expected(?: on [\w. ]+)?: ([a-z]+(?:[.-][a-z]+)*)", re.MULTILINE)
_CONDITION = re.compile(r"^# knee: (?P<word>env|with|cpus|beside|quota|needs) (?P<value>\S+)$", re.MULTILINE)
_APART = re.compile(r"^# knee: apart$", re.MULTILINE)
_NEEDED = {"numpy": "numpy==2.4.6"}
"""Packages of workloads that say nothing about them."""


class CaseError(ValueError):
    """A file does not say what a planted workload must say."""


@dataclass(frozen=True)
class Case:
    """One callable with a known cause.

    Attributes:
        path: its file.
        name: ``operation``, or ``fixed`` for the twin.
        expected: the cause that must come first; ``none`` for twins.
        conditions: words and values of the header that hold for this callable.
        marks: lines that may be named as the place, from 1.
        apart: the cause, or its absence, holds for a whole process, so that both cannot share one.
    """

    path: Path
    name: str
    expected: str
    conditions: tuple[tuple[str, str], ...] = ()
    marks: tuple[int, ...] = ()
    apart: bool = False

    @property
    def target(self) -> str:
        """What ``knee why`` is given."""
        return f"{self.path}:{self.name}"

    @property
    def label(self) -> str:
        """The shortest text that tells it from its neighbours."""
        return f"{self.path.name}:{self.name}"

    def is_at(self, file: str | None, line: int | None) -> bool:
        """Whether a place that was found is, within a line, one that is marked."""
        if file is None or line is None or Path(file).name != self.path.name:
            return False
        return any(abs(line - mark) <= 1 for mark in self.marks)


def read(path: Path) -> tuple[Case, ...]:
    """Return the planted callable of a file, and its twin where there is one.

    Raises:
        CaseError: no expected cause, one that is not known, or a file that is no Python.
    """
    source = path.read_text(encoding="utf-8")
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise CaseError(f"{path}: {error}") from error
    found = _EXPECTED.search(ast.get_docstring(tree) or "")
    if found is None:
        raise CaseError(f"{path}: its docstring has no line 'Expected: CAUSE'")
    if found[1] not in CAUSES:
        raise CaseError(f"{path}: '{found[1]}' is no cause; there are {', '.join(CAUSES)}")
    conditions = tuple((match["word"], match["value"]) for match in _CONDITION.finditer(source))
    packages = tuple(condition for condition in conditions if condition[0] == "with") or _packages(tree)
    others = tuple(condition for condition in conditions if condition[0] != "with")
    apart = any(word != "needs" for word, _ in others) or _APART.search(source) is not None
    marks = tuple(
        number for number, line in enumerate(source.splitlines(), 1) if line.endswith("# knee: here")
    )
    cases = [Case(path, "operation", found[1], packages + others, marks, apart)]
    if any(isinstance(node, ast.ClassDef) and node.name == "fixed" for node in tree.body):
        cases.append(Case(path, "fixed", "none", packages, (), apart))
    return tuple(cases)


def read_folder(folder: Path) -> tuple[Case, ...]:
    """Return the cases of all workloads of a folder; files without ``operation`` are helpers."""
    cases: list[Case] = []
    for path in sorted(folder.glob("*.py")):
        if re.search(r"^def operation\(", path.read_text(encoding="utf-8"), re.MULTILINE):
            cases += read(path)
    return tuple(cases)


def _packages(tree: ast.Module) -> tuple[tuple[str, str], ...]:
    names = {
        alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    return tuple(("with", _NEEDED[name]) for name in sorted(names & _NEEDED.keys()))
