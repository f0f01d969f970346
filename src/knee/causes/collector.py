"""Garbage collections, which stop every thread of a free-threaded interpreter."""

from __future__ import annotations

from collections.abc import Sequence

from knee.causes.cause import Cause, Given, Mend, Removal, Scene, Where
from knee.causes.source import text
from knee.causes.trial import ARMS, Trial

_RARER = 30


class Collector(Cause):
    """Removed by switching the collector off; whether it ran at all is counted."""

    id = "gc"
    title = "garbage collections that stop all threads"
    parts = ("blocked", "system", "user", "wait")
    rank = 12

    def refusal(self, scene: Scene) -> str:
        """Only Python collects."""
        return "a command's collector is its own" if scene.command else ""

    def nothing(self, scene: Scene) -> str:
        """Needs collections."""
        return (
            ""
            if scene.most("collections") or not scene.watched
            else "no collection ran while the workers did"
        )

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """No collector; and, since garbage that piles up costs too, a rarer one."""
        file = ARMS / "collector.py"
        return [
            Removal(Trial("no collector", file=file)),
            Removal(Trial("rarer collections", file=file, options={"rarer": _RARER})),
        ]

    def where(self, scene: Scene, given: Given, search: object) -> Where:
        """The line that collects, if one calls for it."""
        counts: dict[tuple[str, int], int] = {}
        for rep in scene.beside:
            for file, line, times in rep.get("collecting", []):
                counts[(file, line)] = counts.get((file, line), 0) + times
        if not counts:
            return Where(name="the garbage collector")
        file, line = max(counts, key=lambda place: counts[place])
        return Where(
            file, line, "gc.collect()" if "collect(" in text(file, line) else "the garbage collector"
        )

    def done(self, scene: Scene, given: Given) -> str:
        """What was done."""
        how = (
            "switching the garbage collector off"
            if given.name == "no collector"
            else f"collecting {_RARER} times as rarely"
        )
        return f"{how} ({scene.most('collections')} collections ran in a watched rep)"

    def mend(self, scene: Scene, where: Where) -> Mend:
        """Fewer collections."""
        return Mend(
            "collect less often: drop explicit calls, freeze what lives long, raise the threshold",
            "gc.freeze()              # after start-up: long-lived objects are no longer walked\n"
            "gc.set_threshold(50_000)  # fewer collections\n",
        )
