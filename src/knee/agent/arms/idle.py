"""Idle threads between the workers: slots that are handed out in start order move apart.

Memory that a library or the interpreter keeps for each thread often lies in an array, a slot for each thread in the
order in which threads start or first call. ``between`` idle threads start between each pair of workers, and each calls
the operation once, so that it takes a slot. Controls: as many, all before (``before``) or all after (``after``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from knee.agent.arm import Arm as Base

if TYPE_CHECKING:
    from knee.agent.workload import Loaded


class Arm(Base):
    """Options: ``between`` (default 1); ``where``: ``"between"``, ``"before"`` or ``"after"``."""

    in_turn = True

    def order(self, workers: int) -> list[int | None]:
        """Place the idle threads."""
        number: int = self.options.get("between", 1)
        where = self.options.get("where", "between" if self.variant == "arm" else "before")
        idle: list[int | None] = [None] * (number * workers)
        mine: list[int | None] = [*range(workers)]
        if where == "before":
            return idle + mine
        if where == "after":
            return mine + idle
        return [place for worker in mine for place in (worker, *[None] * number)]

    def idle(self, copies: Sequence[Loaded], states: Sequence[Any]) -> None:
        """Take a slot."""
        _call(copies[0], copies[0].state(0, len(copies), states[0] if states else None))

    def ready(self, index: int, loaded: Loaded, state: Any) -> Any:
        """Take a slot, in turn."""
        _call(loaded, state)
        return state


def _call(loaded: Loaded, state: Any) -> None:
    loaded.loop(loaded.operation, state, 1, range(1))
