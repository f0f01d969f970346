"""No tracing, no profiling, no monitoring in the workers, whoever asked for it."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

from knee.agent.arm import Arm as Base

if TYPE_CHECKING:
    from knee.agent.workload import Loaded


class Arm(Base):
    """No options; no control."""

    _found = False

    def ready(self, index: int, loaded: Loaded, state: Any) -> Any:
        """Switch all of it off."""
        self._found = self._found or active()
        sys.settrace(None)
        sys.setprofile(None)
        threading.settrace(None)
        threading.setprofile(None)
        monitoring: Any = getattr(sys, "monitoring", None)
        for tool in range(6) if monitoring is not None else ():
            if monitoring.get_tool(tool):
                monitoring.set_events(tool, 0)
        return state

    def check(self) -> dict[str, Any]:
        """Tell whether there was any."""
        return {"honoured": self._found, "why": "" if self._found else "nothing is traced"}


def active() -> bool:
    """Whether the calling thread is traced, profiled or monitored."""
    monitoring: Any = getattr(sys, "monitoring", None)
    tools = monitoring is not None and any(
        monitoring.get_tool(tool) and monitoring.get_events(tool) for tool in range(6)
    )
    return sys.gettrace() is not None or sys.getprofile() is not None or bool(tools)
