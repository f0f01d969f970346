"""The GIL."""

from __future__ import annotations

from collections.abc import Sequence

from knee.causes.cause import Cause, Given, Mend, Removal, Scene, Where
from knee.causes.trial import Trial


class Gil(Cause):
    """On a free-threaded build removed by forcing it off; on others only processes show what it costs."""

    id = "gil"
    title = "the GIL"
    parts = ("blocked", "wait", "system", "user")
    rank = 5

    def refusal(self, scene: Scene) -> str:
        """Only Python has one."""
        return "a command's interpreter, if it is one, is its own" if scene.command else ""

    def nothing(self, scene: Scene) -> str:
        """It is off."""
        return "" if scene.gil else "the GIL is off, before and after the workload ran"

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """Off, where the build can."""
        if scene.free_threaded and scene.gil:
            return [Removal(Trial("GIL off", env={"PYTHON_GIL": "0"}))]
        return []

    def where(self, scene: Scene, given: Given | None, search: object) -> Where:
        """What switched it on."""
        modules = scene.facts.get("modules") or []
        if not scene.free_threaded:
            return Where(name="this build has the GIL")
        if scene.base.env.get("PYTHON_GIL") == "1":
            return Where(name="PYTHON_GIL=1")
        for module, file, line in scene.scout.get("gil", []):
            return Where(file or None, line or None, f"switched on by {module}")
        return Where(
            name=f"switched on by {', '.join(modules)}" if modules else "switched on by the workload"
        )

    def done(self, scene: Scene, given: Given) -> str:
        """What was done."""
        return "forcing the GIL off (PYTHON_GIL=0)"

    def mend(self, scene: Scene, where: Where) -> Mend:
        """Another build, or another version of the module."""
        if not scene.free_threaded:
            return Mend("run it on a free-threaded build, or as processes", "knee why … --python 3.13t\n")
        return Mend(
            "use a version of the module that supports free threading, or, once its authors agree that it "
            "is safe, keep the "
            "GIL off",
            "PYTHON_GIL=0 python program.py\n",
        )

    def prove(self, scene: Scene, where: Where) -> str:
        """With and without."""
        if scene.free_threaded:
            return f"{self.command(scene)} --env PYTHON_GIL=1 --env PYTHON_GIL=0"
        version = _free(scene)
        return f"{self.command(scene)} --python {version}"


def _free(scene: Scene) -> str:
    """The free-threaded build of the same version, or the first there was."""
    major, minor = (int(part) for part in str(scene.interpreter.get("version", "3.13")).split(".")[:2])
    return f"{major}.{max(13, minor)}t"
