"""Containers that several workers' states hold, copied for each worker and laid apart.

Control: copied too, but still one object, or still side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from knee.agent.arm import Arm as Base
from knee.agent.containers import containers, replaced, spread
from knee.agent.reach import Reach

if TYPE_CHECKING:
    from knee.agent.workload import Loaded


class Arm(Base):
    """Options: ``only``: names of the containers to treat."""

    def __init__(self, variant: str, options: dict[str, Any]) -> None:
        super().__init__(variant, options)
        self._names: list[dict[str, str]] = []

    def made(self, copies: Sequence[Loaded], states: Sequence[Any]) -> list[Any] | None:
        """Replace them in the states."""
        reach = Reach(copies, states)
        only = self.options.get("only")
        found = [one for one in containers(reach) if one.held and (only is None or one.name in only)]
        if len(states) < 2:
            return None
        self._names = [{"name": one.name, "kind": one.kind} for one in found]
        by: list[dict[int, Any]] = [{} for _ in states]
        for one in found:
            for worker, value in spread(one, self.variant == "arm").items():
                by[worker][id(one.parts[worker])] = value
        shared = {id(one.value) for one in reach.shared()}
        return [replaced(state, by[index], shared) for index, state in enumerate(states)]

    def check(self) -> dict[str, Any]:
        """Tell what was found."""
        why = (
            "" if self._names else "the states hold no container of which several workers could use elements"
        )
        return {"honoured": bool(self._names), "why": why, "containers": self._names}
