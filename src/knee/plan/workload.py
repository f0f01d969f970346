"""What is measured: a Python callable, a statement, or a command line."""

from __future__ import annotations

import ast
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from knee.errors import KneeError

Form = Literal["callable", "statement", "command"]

_TARGET = re.compile(r"^(?P<file>.+\.py):(?P<name>[^\W\d][\w.]*)$")


@dataclass(frozen=True)
class Workload:
    """One workload, as plain data that travels to the agent as JSON.

    Attributes:
        form: which of the following fields count.
        file: for a callable, the absolute path of its file.
        name: for a callable, its dotted name in the file: a function, or a namespace (class) that holds
            ``operation`` and optionally ``setup``, ``setup_worker``, ``teardown`` and ``same`` of its own.
        statement: for a statement, its source; ``setup`` is run once per pool, its names are shared.
        argv: for a command, its words; ``{workers}`` stands for the worker count.
    """

    form: Form
    file: str = ""
    name: str = ""
    statement: str = ""
    setup: str = ""
    argv: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The shortest text that tells this workload from its neighbours."""
        if self.form == "callable":
            return f"{Path(self.file).name}:{self.name}"
        if self.form == "statement":
            return self.statement
        return shlex.join(self.argv)

    def to_json(self) -> dict[str, Any]:
        """Return the fields that count, for the agent and the store."""
        if self.form == "callable":
            return {"form": self.form, "file": self.file, "name": self.name}
        if self.form == "statement":
            return {"form": self.form, "statement": self.statement, "setup": self.setup}
        return {"form": self.form, "argv": list(self.argv)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Workload:
        """Rebuild a workload from ``to_json``'s result."""
        fields = dict(data)
        if "argv" in fields:
            fields["argv"] = tuple(fields["argv"])
        return cls(**fields)


def from_target(text: str) -> Workload:
    """Parse ``FILE.py:NAME`` and check that the file can be read.

    Whether the name exists in it is the target interpreter's to say: nothing of the file is run here.

    Raises:
        KneeError: the text has another shape, or there is no such file.
    """
    match = _TARGET.match(text)
    if match is None:
        raise KneeError(
            f"'{text}' is not a workload",
            "name a file and a callable in it (bench.py:operation), a statement (-s SETUP STATEMENT), "
            "or a command after --",
        )
    path = Path(match["file"])
    if not path.is_file():
        raise KneeError(f"there is no file {path}", "check the path; it is taken from the current folder")
    return Workload("callable", file=str(path.resolve()), name=match["name"])


def from_statement(statement: str, setup: str = "") -> Workload:
    """A statement with its set-up, as timeit and pyperf write them.

    Raises:
        KneeError: one of the two does not compile.
    """
    for part, source in (("setup", setup), ("statement", statement)):
        try:
            compile(source, f"<{part}>", "exec")
        except (SyntaxError, ValueError) as error:
            raise KneeError(
                f"the {part} {source!r} does not compile: {error}", "quote it for the shell"
            ) from error
    if not ast.parse(statement).body:
        raise KneeError(
            f"the statement {statement!r} is empty", "write what is to be measured, quoted for the shell"
        )
    return Workload("statement", statement=statement, setup=setup)


def from_command(argv: tuple[str, ...]) -> Workload:
    """A command line; the worker count goes where ``{workers}`` stands.

    Raises:
        KneeError: no words, or no place for the worker count.
    """
    if not argv:
        raise KneeError("no command after --", "for example: knee run -- ./prog --threads {workers}")
    if not any("{workers}" in word for word in argv):
        raise KneeError(
            f"the command '{shlex.join(argv)}' has no {{workers}} in it",
            "put {workers} where the worker count goes, for example --threads {workers}",
        )
    return Workload("command", argv=argv)
