"""The states made in the workers instead of in the pool's thread: each worker owns what it uses.

An object made by one thread and used by another is counted atomically, and lies in the maker's memory beside the
objects of other workers. Control: ``setup`` called as often in the pool's thread, each worker taking its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from knee.agent.arm import Arm as Base

if TYPE_CHECKING:
    from knee.agent.workload import Loaded


class Arm(Base):
    """No options."""

    def __init__(self, variant: str, options: dict[str, Any]) -> None:
        super().__init__(variant, options)
        self.worker_made = variant == "arm"
        self._setup = False

    def states(self, copies: Sequence[Loaded], workers: int) -> list[Any]:
        """Control: call ``setup`` once for each worker, here."""
        made = [copies[0].states(workers) for _ in range(workers)]
        return [own[index] for index, own in enumerate(made)] if made[0] else []

    def ready(self, index: int, loaded: Loaded, state: Any) -> Any:
        """Note whether there is a setup at all."""
        self._setup = self._setup or loaded.setup is not None
        return state

    def check(self) -> dict[str, Any]:
        """Tell whether there was anything to move."""
        return {"honoured": self._setup, "why": "" if self._setup else "the workload has no setup"}
