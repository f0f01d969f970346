"""What a workload's workers can reach, by the names that its code uses, and which of it they share.

The walk follows code, not everything that exists: from the operation to the names it uses in its module, to the
functions and classes behind them in any Python module, to the attributes that they use, to the constants in their code,
and into the states that ``setup`` made.
"""

from __future__ import annotations

import contextlib
import dis
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any

from knee.agent.workload import Loaded

_MOST = 20_000
"""Objects walked at most; a bigger workload is walked in part, and that is told."""

_ELEMENTS = 4_000
"""Elements of one container walked at most: half from each end."""

_LEAVES = (int, float, complex, str, bytes, range, bool, type(None), type(Ellipsis), types.CodeType)


class Found:
    """An object and the shortest way to it.

    Attributes:
        value: the object.
        name: how its path reads in source: ``SETTING``, ``state["setting"]``, ``literal 12345``.
        file, line: where the way begins: of a literal its line; else where the function stands that uses the name.
        roots: which workers reach it: indices, or -1 for the code that all of them run.
        owner: the top name of the path (a name of the module, ``state``), which can be made private.
    """

    __slots__ = ("file", "line", "name", "owner", "roots", "value")

    def __init__(self, value: Any, name: str, owner: str, file: str, line: int) -> None:
        self.value = value
        self.name = name
        self.owner = owner
        self.file = file
        self.line = line
        self.roots: set[int] = set()

    @property
    def shared(self) -> bool:
        """Whether more than one worker reaches it."""
        return -1 in self.roots or len(self.roots) > 1


class Reach:
    """The objects within reach of the workers.

    Args:
        loaded: the workload, one for each worker (all the same one, unless private).
        states: one for each worker, or none.

    Attributes:
        found: by identity, in the order in which they were met (nearest first).
        complete: whether nothing was left out for its number.
    """

    def __init__(self, loaded: Sequence[Loaded], states: Sequence[Any]) -> None:
        self.found: dict[int, Found] = {}
        self.complete = True
        self._names: set[str] = set()
        # Names used anywhere decide which attributes are followed, and new code brings new names: walk until none come.
        for _ in range(4):
            known = len(self._names)
            self.found = {}
            for one in dict.fromkeys(loaded):
                self._walk(one.operation, getattr(one.operation, "__name__", "operation"), "", -1)
            for index, state in enumerate(states):
                self._walk(state, "state", "state", index)
            if len(self._names) == known:
                break

    def shared(self) -> list[Found]:
        """Return what more than one worker reaches."""
        return [found for found in self.found.values() if found.shared]

    def _walk(self, value: Any, name: str, owner: str, root: int) -> None:
        queue: list[tuple[Any, str, str, str, int]] = [(value, name, owner, "", 0)]
        seen: set[int] = set()
        for value, name, owner, file, line in queue:
            if id(value) in seen:
                continue
            seen.add(id(value))
            if len(seen) > _MOST:
                self.complete = False
                break
            found = self.found.get(id(value))
            if found is None:
                found = self.found[id(value)] = Found(value, name, owner or name, file, line)
            found.roots.add(root)
            queue.extend(self._next(found, owner))

    def _next(self, found: Found, owner: str) -> Iterator[tuple[Any, str, str, str, int]]:
        value, name = found.value, found.name
        file, line = found.file, found.line
        if isinstance(value, types.FunctionType):
            yield from self._function(value, owner)
            return
        if isinstance(value, _LEAVES):
            return
        if isinstance(value, types.ModuleType):
            for key in sorted(self._names & vars(value).keys()):
                yield vars(value)[key], f"{name}.{key}", owner or name, file, line
            return
        if isinstance(value, (staticmethod, classmethod)):
            yield value.__func__, name, owner, file, line
            return
        if isinstance(value, property):
            yield value.fget, name, owner, file, line
            return
        if isinstance(value, type):
            for base in value.__mro__[:-1]:
                for key in sorted((self._names | {"__init__", "__call__"}) & vars(base).keys()):
                    yield vars(base)[key], f"{base.__name__}.{key}", owner or name, file, line
            return
        yield from self._instance(value, name, owner, file, line)

    def _function(self, function: types.FunctionType, owner: str) -> Iterator[tuple[Any, str, str, str, int]]:
        code = function.__code__
        for inner in codes(code):
            self._names.update(inner.co_names)
            for constant, line in constants(inner):
                text = repr(constant)
                label = f"literal {text if len(text) <= 40 else text[:37] + '...'}"
                yield constant, label, "", code.co_filename, line
            for key in inner.co_names:
                if key in function.__globals__:
                    yield function.__globals__[key], key, key, code.co_filename, inner.co_firstlineno
                elif key in _builtins(function):
                    yield _builtins(function)[key], key, key, code.co_filename, inner.co_firstlineno
        for value in (function.__defaults__ or ()) + tuple((function.__kwdefaults__ or {}).values()):
            label = f"default of {function.__name__}"
            yield value, label, owner, code.co_filename, code.co_firstlineno
        for variable, cell in zip(code.co_freevars, function.__closure__ or ()):
            yield cell, f"cell of {variable}", owner, code.co_filename, code.co_firstlineno
            with contextlib.suppress(ValueError):  # not bound yet
                yield cell.cell_contents, variable, owner, code.co_filename, code.co_firstlineno

    def _instance(
        self, value: Any, name: str, owner: str, file: str, line: int
    ) -> Iterator[tuple[Any, str, str, str, int]]:
        if isinstance(value, (list, tuple, set, frozenset)):
            if len(value) > _ELEMENTS:
                self.complete = False
            elements = list(enumerate(list(value)))
            if len(elements) > _ELEMENTS:
                elements = elements[: _ELEMENTS // 2] + elements[-_ELEMENTS // 2 :]
            for index, element in elements:
                yield element, f"{name}[{index}]", owner, file, line
        elif isinstance(value, dict):
            if len(value) > _ELEMENTS:
                self.complete = False
            for key, element in list(value.items())[:_ELEMENTS]:
                yield element, f"{name}[{key!r:.40}]", owner, file, line
                yield key, f"key {key!r:.40} of {name}", owner, file, line
        mine = getattr(value, "__self__", None)
        if mine is not None:
            yield mine, f"{name}.__self__", owner, file, line
        function = getattr(value, "__func__", None)
        if isinstance(function, types.FunctionType):
            yield function, name, owner, file, line
        for key, element in attributes(value):
            yield element, f"{name}.{key}", owner, file, line
        kind = type(value)
        yield kind, kind.__name__, owner, file, line
        for base in kind.__mro__[:-1]:
            for key in sorted(self._names & vars(base).keys()):
                yield vars(base)[key], f"{kind.__name__}.{key}", owner, file, line


def attributes(value: Any) -> list[tuple[str, Any]]:
    """Return an instance's own attributes, from its dict and its slots, without calling properties."""
    try:
        found = list(object.__getattribute__(value, "__dict__").items())
    except (AttributeError, TypeError):
        found = []
    for base in type(value).__mro__:
        slots = base.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if slot not in ("__dict__", "__weakref__"):
                with contextlib.suppress(AttributeError):
                    found.append((slot, object.__getattribute__(value, slot)))
    return found


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield a code object and those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def constants(code: types.CodeType) -> list[tuple[Any, int]]:
    """Return the code's constants that are loaded, each with the line of its first use."""
    lines: dict[int, tuple[Any, int]] = {}
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        started = instruction.starts_line
        # Up to 3.12 the line itself; from 3.13 a flag beside line_number.
        if started:
            line = getattr(instruction, "line_number", None) or (started if started is not True else line)
        if instruction.opcode in dis.hasconst and not isinstance(instruction.argval, types.CodeType):
            lines.setdefault(id(instruction.argval), (instruction.argval, line))
    return list(lines.values())


def _builtins(function: types.FunctionType) -> dict[str, Any]:
    found = function.__globals__.get("__builtins__", {})
    return found if isinstance(found, dict) else vars(found)


def neighbours(reach: Reach, line: int = 64) -> dict[str, Any]:
    """Look for objects of different workers on one cache line.

    Returns:
        ``lines``: cache lines on which objects of two workers lie, neither of them shared; ``kinds``: their types by
        how often; ``aligned``: the share of workers' own objects that start at a line.
    """
    mine = [
        found
        for found in reach.found.values()
        if len(found.roots) == 1
        and -1 not in found.roots
        and not isinstance(found.value, (type, types.ModuleType))
    ]
    at: dict[int, dict[int, str]] = {}
    for found in mine:
        start = id(found.value)
        size = sys.getsizeof(found.value, 32) if not hasattr(found.value, "nbytes") else 64
        (root,) = found.roots
        for number in range(start // line, (start + min(size, 4096) - 1) // line + 1):
            at.setdefault(number, {})[root] = type(found.value).__name__
    kinds: dict[str, int] = {}
    close = [owners for owners in at.values() if len(owners) > 1]
    for owners in close:
        for kind in set(owners.values()):
            kinds[kind] = kinds.get(kind, 0) + 1
    aligned = sum(id(found.value) % line == 0 for found in mine) / len(mine) if mine else None
    ranked = sorted(kinds.items(), key=lambda item: -item[1])
    return {
        "lines": len(close),
        "kinds": [list(item) for item in ranked[:8]],
        "aligned": aligned,
        "own": len(mine),
    }
