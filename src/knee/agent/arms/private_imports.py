"""The Python modules that the workload imports, executed again for each worker: their hidden instances and locks apart.

``random.random`` is a method of an instance that the module ``random`` made for itself. A worker with its own copy of
``random`` has its own instance. Control: copied as often, all workers use the first copy. Extension modules and
packages are left alone.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable

from knee.agent.arm import Arm as Base

if TYPE_CHECKING:
    from knee.agent.workload import Loaded


class Arm(Base):
    """Options: ``modules``: names of those to copy; all that qualify if missing."""

    def copies(self, load: Callable[[bool], Loaded], workers: int) -> list[Loaded]:
        """Execute the workload's module for each worker; give each its own copies of what it imports."""
        made = [load(index > 0) for index in range(workers)]
        self._modules = sorted({module.__name__ for module in imported(made[0].namespace)})
        wanted = self.options.get("modules", self._modules)
        given = dict(made[0].namespace)
        own: dict[str, types.ModuleType] = {}
        for copy in made:
            if self.variant == "arm" or not own:
                own = {name: _again(sys.modules[name]) for name in wanted}
            for name, value in given.items():
                source = _home(value)
                if source is not None and source.__name__ in own:
                    fresh = own[source.__name__]
                    mine = fresh if isinstance(value, types.ModuleType) else getattr(fresh, name, value)
                    copy.namespace[name] = mine
                elif not isinstance(value, types.FunctionType):
                    # The workload's own data stays shared: only what it imports is taken apart.
                    copy.namespace[name] = value
        return made

    def states(self, copies: Sequence[Loaded], workers: int) -> list[Any]:
        """Call ``setup`` once for each worker."""
        made = [copy.states(workers) for copy in copies]
        return [own[index] for index, own in enumerate(made)] if made[0] else []

    def check(self) -> dict[str, Any]:
        """Tell which modules could be copied."""
        why = "" if self._modules else "the workload imports no module that is one file of Python"
        return {"honoured": bool(self._modules), "why": why, "modules": self._modules}


def _home(value: Any) -> types.ModuleType | None:
    """The plain Python module that a name of the workload was imported from, if it was."""
    if isinstance(value, types.ModuleType):
        module: Any = value
    else:
        holder = getattr(value, "__self__", None)
        name = getattr(value, "__module__", None) or getattr(type(holder), "__module__", None)
        module = sys.modules.get(name) if isinstance(name, str) else None
    if module is None or module.__name__.startswith("knee"):
        return None
    spec = getattr(module, "__spec__", None)
    plain = spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader)
    return module if plain and not hasattr(module, "__path__") else None


def imported(namespace: dict[str, Any]) -> list[types.ModuleType]:
    """Return the plain Python modules that a workload's module imports."""
    own = namespace.get("__name__")
    homes = [_home(value) for value in namespace.values()]
    return [home for home in homes if home is not None and home.__name__ != own]


def _again(module: types.ModuleType) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(module.__name__, module.__file__)
    assert spec is not None
    assert spec.loader is not None
    fresh = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fresh)
    return fresh
