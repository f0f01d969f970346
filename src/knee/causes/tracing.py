"""Tracing, profiling and monitoring, which run with every line or call of every worker."""

from __future__ import annotations

from collections.abc import Sequence

from knee.causes.cause import Cause, Given, Mend, Removal, Scene, Where
from knee.causes.trial import ARMS, Trial


class Tracing(Cause):
    """Removed by switching all of it off in the workers."""

    id = "tracing"
    title = "tracing, profiling or monitoring"
    rank = 8

    def refusal(self, scene: Scene) -> str:
        """Only Python's."""
        return "a command's tracing is its own" if scene.command else ""

    def nothing(self, scene: Scene) -> str:
        """Needs some."""
        return (
            ""
            if scene.scout.get("traced") or not scene.scout
            else "nothing traces, profiles or monitors the workers"
        )

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """Tracing off."""
        return [Removal(Trial("tracing off", file=ARMS / "tracing.py"))]

    def where(self, scene: Scene, given: Given, search: object) -> Where:
        """The interpreter as a whole."""
        return Where(name="sys.settrace, sys.setprofile or sys.monitoring")

    def done(self, scene: Scene, given: Given) -> str:
        """What was done."""
        return "switching off tracing, profiling and monitoring in the workers"

    def mend(self, scene: Scene, where: Where) -> Mend:
        """Measure without."""
        return Mend("measure without coverage, debuggers and profilers; they are not part of the program")
