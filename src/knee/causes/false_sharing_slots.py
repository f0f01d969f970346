"""False sharing between per-thread slots that are handed out in the order in which threads start."""

from __future__ import annotations

from collections.abc import Sequence

from knee.causes.cause import Cause, Given, Mend, Removal, Scene, Where
from knee.causes.trial import ARMS, Trial

_BETWEEN = (1, 7)
"""Idle threads between two workers: one moves slots of half a line apart, seven those of 8 bytes on a line of 64."""


_SHORT = 0.05
"""Seconds of a call up to which many idle threads may make one."""


class FalseSharingSlots(Cause):
    """Removed by idle threads between the workers; controls: as many before all, and after all."""

    id = "false-sharing.slots"
    title = "per-thread slots of different workers on one cache line"
    parts = ("user",)
    rank = 26

    def refusal(self, scene: Scene) -> str:
        """A command's threads are its own to start."""
        if scene.command:
            return "a command starts its threads itself: Knee cannot start idle ones between them"
        return ""

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """Idle neighbours."""
        number = self._between(scene)
        return [
            Removal(
                self._trial(number, "between"),
                (self._trial(number, "before", "all before"), self._trial(number, "after", "all after")),
            )
        ]

    def _between(self, scene: Scene) -> int:
        """Each idle thread calls the operation once, so few where that takes long."""
        return _BETWEEN[-1] if scene.call < _SHORT else _BETWEEN[0]

    def _trial(self, number: int, where: str, variant: str = "arm", step: str = "") -> Trial:
        options = {"between": number, "where": where}
        return Trial("idle neighbours", variant, file=ARMS / "idle.py", options=options, step=step)

    def where(self, scene: Scene, given: Given, search: object) -> Where:
        """The line that runs; the fewest idle threads that suffice tell how far apart the slots are."""
        file, line = scene.hot()
        return Where(file, line, "per-thread slots")

    def done(self, scene: Scene, given: Given) -> str:
        """What was done."""
        return f"starting {self._between(scene)} idle threads between each pair of workers"

    def mend(self, scene: Scene, where: Where) -> Mend:
        """Pad."""
        return Mend(
            "pad each thread's slot to the line and align the array; 128 bytes serve every common processor",
            "struct slot { alignas(128) long count; };  /* sizeof is 128: no two slots share a line */\n",
        )
