"""Loading a workload: as an import (the default, which is how programs run), or as a script would be run.

How it is loaded is part of the treatment: on CPython 3.13t the constants of imported code are reference-counted by
every thread and those of a script are not.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import itertools
import os
import sys
import textwrap
import types
from typing import Any, Callable

Loop = Callable[[Callable[..., Any], Any, int, range], Any]


def _loop_nothing(operation: Callable[..., Any], _state: Any, calls: int, _share: range) -> None:
    for _ in itertools.repeat(None, calls):
        operation()


def _loop_state(operation: Callable[..., Any], state: Any, calls: int, _share: range) -> None:
    for _ in itertools.repeat(None, calls):
        operation(state)


def _loop_share(operation: Callable[..., Any], state: Any, _calls: int, share: range) -> None:
    operation(state, share)


def _loop_inner(operation: Callable[..., Any], _state: Any, calls: int, _share: range) -> None:
    operation(itertools.repeat(None, calls))


class Loaded:
    """A workload in this interpreter.

    Attributes:
        operation, setup, setup_worker, teardown, same: the callables; None where the file has none.
        namespace: the globals of the module that the operation came from.
        loop: how the operation is called ``calls`` times (or once, with its share of a fixed amount of work).
    """

    def __init__(
        self, holder: Any, operation: Callable[..., Any], namespace: dict[str, Any], loop: Loop
    ) -> None:
        self.operation = operation
        self.namespace = namespace
        self.loop = loop
        self.setup: Callable[..., Any] | None = getattr(holder, "setup", None)
        self.setup_worker: Callable[..., Any] | None = getattr(holder, "setup_worker", None)
        self.teardown: Callable[..., Any] | None = getattr(holder, "teardown", None)
        self.same: Callable[..., Any] | None = getattr(holder, "same", None)

    def states(self, workers: int) -> list[Any]:
        """Call ``setup``; one state per worker, or none at all without a ``setup``.

        Raises:
            WorkloadError: setup returned another number of states.
        """
        if self.setup is None:
            return []
        given = self.setup(workers)
        if not isinstance(given, (list, tuple)):
            raise WorkloadError(
                f"setup({workers}) returned a {type(given).__name__}; it must return a list of states"
            )
        if len(given) != workers:
            raise WorkloadError(
                f"setup({workers}) returned {len(given)} states; it must return one per worker"
            )
        return list(given)

    def state(self, index: int, workers: int, given: Any) -> Any:
        """Return the worker's own state: what ``setup_worker`` makes, else the one given."""
        if self.setup_worker is None:
            return given
        made = self.setup_worker(index, workers)
        return given if made is None else made


class WorkloadError(Exception):
    """The workload does not have the shape that Knee calls; the text says what it should be."""


def load(
    spec: dict[str, Any], loader: str = "import", *, private: bool = False, installed: bool = False
) -> Loaded:
    """Load the workload that ``Workload.to_json`` described.

    Args:
        spec: the workload.
        loader: ``"import"`` or ``"script"``.
        private: execute the module again and share nothing with the copy that is imported already.
        installed: packages were installed for this treatment; they come before files of the same name that lie beside
            the workload or on PYTHONPATH, such as the working tree of the package under test.

    Raises:
        WorkloadError: no such callable, or one that takes other arguments.
        Exception: whatever the file raises when it is executed.
    """
    if spec["form"] == "statement":
        return _statement(spec["statement"], spec["setup"])
    module = _module(spec["file"], loader, private, installed)
    return _pick(module, spec["name"])


def _module(path: str, loader: str, private: bool, installed: bool) -> types.ModuleType:
    folder, name = os.path.dirname(path), os.path.splitext(os.path.basename(path))[0]
    parts = [name]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        parts.insert(0, package)
    _reach(folder, installed)
    if loader == "script":
        module = types.ModuleType(name)
        module.__file__ = path
        with open(path, encoding="utf-8") as file:
            source = file.read()
        # A string, not a code object: compile() would leave the constants mortal, a script's are immortal (3.13t).
        compile(source, path, "exec")  # a syntax error then names the file
        exec(source, module.__dict__)
        return module
    full = ".".join(parts)
    if len(parts) > 1:
        importlib.import_module(".".join(parts[:-1]))
    known = sys.modules.get(full)
    if known is not None and not private and getattr(known, "__file__", None) == path:
        return known
    spec = importlib.util.spec_from_file_location(full, path)
    if spec is None or spec.loader is None:
        raise WorkloadError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    if not private and known is None:
        sys.modules[full] = module
    spec.loader.exec_module(module)
    return module


def _reach(folder: str, installed: bool) -> None:
    """Let imports find what lies beside the workload: first as for a script, or after what was installed."""
    if not installed:
        if folder not in sys.path:
            sys.path.insert(0, folder)
        return
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    last = dict.fromkeys(os.path.abspath(entry) for entry in (*filter(None, named), folder))
    sys.path[:] = [*(entry for entry in sys.path if os.path.abspath(entry or ".") not in last), *last]


def _pick(module: types.ModuleType, name: str) -> Loaded:
    holder: Any = module
    found: Any = module
    for part in name.split("."):
        holder = found
        found = getattr(found, part, None)
        if found is None:
            names = sorted(
                key for key, value in vars(module).items() if callable(value) and not key.startswith("_")
            )
            raise WorkloadError(
                f"{module.__name__} has no '{name}'; it has {', '.join(names) or 'no callables'}"
            )
    if isinstance(found, type) and hasattr(found, "operation"):
        holder, found = found, found.operation
    if not callable(found):
        raise WorkloadError(f"'{name}' is of type {type(found).__name__}, not a callable")
    for member in (found, *(getattr(holder, each, None) for each in ("setup", "setup_worker", "teardown"))):
        _refuse_method(holder, member)
    if inspect.iscoroutinefunction(found) or inspect.isasyncgenfunction(found):
        raise WorkloadError(
            f"calling '{name}' runs nothing: it is async; call asyncio.run in a function of its own"
        )
    if inspect.isgeneratorfunction(found):
        raise WorkloadError(
            f"calling '{name}' runs nothing: it is a generator; use it up in a function of its own"
        )
    loaded = Loaded(holder, found, module.__dict__, _loop(found, name))
    if loaded.loop is _loop_state and loaded.setup is None and loaded.setup_worker is None:
        raise WorkloadError(
            f"'{name}' takes a state, and there is no setup(workers) that makes one for each worker"
        )
    return loaded


def _refuse_method(holder: Any, member: Any) -> None:
    """A function of a class that wants an instance; of a namespace all are static."""
    if isinstance(holder, type) and isinstance(member, types.FunctionType):
        names = member.__code__.co_varnames[: member.__code__.co_argcount]
        if names[:1] == ("self",):
            raise WorkloadError(
                f"{member.__qualname__} is a method, and there is no instance: make it a @staticmethod without self"
            )


def _loop(operation: Callable[..., Any], name: str) -> Loop:
    try:
        parameters = list(inspect.signature(operation).parameters.values())
    except (TypeError, ValueError):
        return _loop_nothing
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p for p in positional if p.default is p.empty]
    if len(required) > 2 or any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters):
        raise WorkloadError(
            f"'{name}' must take nothing, one state, or a state and its share of a fixed work"
        )
    if len(required) == 2:
        return _loop_share
    return _loop_state if required else _loop_nothing


def _statement(statement: str, setup: str) -> Loaded:
    body = textwrap.indent(statement, "        ")
    source = f"{setup}\ndef __operation__(__calls__):\n    for __call__ in __calls__:\n{body}\n"
    module = types.ModuleType("__statement__")
    sys.modules["__statement__"] = module
    exec(source, module.__dict__)
    return Loaded(None, module.__dict__["__operation__"], module.__dict__, _loop_inner)
