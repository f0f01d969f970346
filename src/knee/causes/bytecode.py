"""Thread-local bytecode, which CPython 3.14 and later specialise for each thread apart."""

from __future__ import annotations

from collections.abc import Sequence

from knee.causes.cause import Cause, Given, Mend, Removal, Scene, Where
from knee.causes.trial import Trial


class Bytecode(Cause):
    """Removed by switching it off; not run where this was written, as no CPython 3.14 was at hand."""

    id = "tlbc"
    title = "thread-local bytecode"
    parts = ("user", "system")
    rank = 35

    def refusal(self, scene: Scene) -> str:
        """From 3.14 on, without the GIL."""
        if scene.command:
            return "a command's bytecode is its own"
        version = tuple(int(part) for part in str(scene.interpreter.get("version", "0.0")).split(".")[:2])
        if version >= (3, 14) and scene.free_threaded:
            return ""
        return "free-threaded CPython has thread-local bytecode from 3.14 on"

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """Off."""
        return [Removal(Trial("thread-local bytecode off", env={"PYTHON_TLBC": "0"}))]

    def done(self, scene: Scene, given: Given) -> str:
        """What was done."""
        return "switching thread-local bytecode off (PYTHON_TLBC=0)"

    def mend(self, scene: Scene, where: Where) -> Mend:
        """Off."""
        return Mend(
            "run without it, and report the case to CPython's issue tracker",
            "PYTHON_TLBC=0 python program.py\n",
        )

    def prove(self, scene: Scene, where: Where) -> str:
        """The variable is the mend."""
        return f"{self.command(scene)} --env PYTHON_TLBC=1 --env PYTHON_TLBC=0"
