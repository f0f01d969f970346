"""The workload's module executed once for each worker, so that no function, class or global of it is shared.

Control: executed as often, and all workers use the first. In both, ``setup`` is called once for each worker, which
takes its own state out of it, so that what is shared between states falls away in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable

from knee.agent.arm import Arm as Base

if TYPE_CHECKING:
    from knee.agent.workload import Loaded


class Arm(Base):
    """Options: ``private``: only these names are the worker's own, the others are the first copy's (functions, and
    with them the constants of their code, are always the worker's own: they look the names up)."""

    def copies(self, load: Callable[[bool], Loaded], workers: int) -> list[Loaded]:
        """Execute the module for each worker."""
        made = [load(index > 0) for index in range(workers)]
        names = self.options.get("private")
        self._names = _names(made[0].namespace)
        if self.variant == "control" and names is None:
            return [made[0]] * workers
        if names is not None:
            for copy in made[1:]:
                for name in self._names:
                    if name not in names:
                        copy.namespace[name] = made[0].namespace[name]
        return made

    def states(self, copies: Sequence[Loaded], workers: int) -> list[Any]:
        """Call ``setup`` once for each worker."""
        made = [copy.states(workers) for copy in copies]
        return [own[index] for index, own in enumerate(made)] if made[0] else []

    def check(self) -> dict[str, Any]:
        """Tell the names that could be made private one by one."""
        return {"honoured": True, "names": self._names}


def _names(namespace: dict[str, Any]) -> list[str]:
    """Names of the module that hold data: no functions, no modules, nothing of the import system's."""
    return [
        name
        for name, value in namespace.items()
        if not (name.startswith("__") and name.endswith("__"))
        and type(value).__name__ not in ("module", "function", "builtin_function_or_method")
    ]
