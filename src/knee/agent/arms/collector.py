"""No garbage collection: switched off, everything frozen before the first rep; explicit calls do nothing.

A collection of a free-threaded interpreter stops all threads. Objects in cycles pile up while the launch lives.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from knee.agent.arm import Arm as Base

if TYPE_CHECKING:
    from knee.agent.workload import Loaded


class Arm(Base):
    """Options: ``rarer``: raise the threshold so many times instead of switching the collector off.

    No control: what it removes is told by the collector's own count.
    """

    def made(self, copies: Sequence[Loaded], states: Sequence[Any]) -> None:
        """Switch it off; calls by name are replaced where the workload holds the name."""
        gc.collect()
        gc.freeze()
        rarer = self.options.get("rarer")
        if rarer:
            gc.set_threshold(gc.get_threshold()[0] * rarer, *gc.get_threshold()[1:])
        else:
            gc.disable()
        real = gc.collect
        gc.collect = _nothing
        for one in copies:
            for name, value in list(one.namespace.items()):
                if value is real:
                    one.namespace[name] = _nothing

    def check(self) -> dict[str, Any]:
        """Tell whether it stayed off."""
        off = not gc.isenabled() or bool(self.options.get("rarer"))
        return {"honoured": off, "why": "" if off else "the workload switched the collector on again"}


def _nothing(*_: Any, **__: Any) -> int:
    return 0
