"""Each worker's state copied deeply and apart, so that states share nothing that a copy separates.

Control: all states copied in one go, so that what they share stays shared. Locks are made anew (one for each copy of
the lock). Numbers, strings and tuples of them are not copied by Python's deepcopy and stay shared.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from knee.agent.arm import Arm as Base
from knee.agent.reach import Reach

if TYPE_CHECKING:
    from knee.agent.workload import Loaded

_LOCKS = {type(threading.Lock()): threading.Lock, type(threading.RLock()): threading.RLock}


class Arm(Base):
    """No options."""

    _why = "the workload has no setup that makes states"

    def made(self, copies: Sequence[Loaded], states: Sequence[Any]) -> list[Any] | None:
        """Copy."""
        if not states:
            return None
        reach = Reach(copies, states)
        locks = [found.value for found in reach.found.values() if type(found.value) in _LOCKS]
        memo: dict[int, Any] = {}
        result = []
        try:
            for state in states:
                if self.variant == "arm" or not memo:
                    memo = {id(lock): _LOCKS[type(lock)]() for lock in locks}
                result.append(copy.deepcopy(state, memo))
        except Exception as error:
            self._why = f"the states cannot be copied: {type(error).__name__}: {error}"
            return None
        shared = [f for f in reach.shared() if f.roots - {-1} and f.owner == "state"]
        self._why = "" if shared else "the states share nothing"
        return result

    def check(self) -> dict[str, Any]:
        """Tell whether there was anything to take apart."""
        return {"honoured": not self._why, "why": self._why}
