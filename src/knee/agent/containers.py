"""Containers of which different workers use different elements: found in the states, and taken apart.

A list's items, a dict's entries, the elements of an array lie side by side on a cache line, and a list or dict of a
free-threaded interpreter has one lock for all of its elements.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import ctypes
import sys
from collections.abc import Sequence
from typing import Any

from knee.agent.reach import Found, Reach, attributes

_MAPPINGS = (
    list,
    dict,
    collections.deque,
    collections.defaultdict,
    collections.Counter,
    collections.OrderedDict,
)
_NEAR = 128
"""Bytes: views that lie closer than two lines may share one."""


class Container:
    """A container, or a set of views into one buffer, that several workers hold.

    Attributes:
        name: how its path reads.
        kind: the name of its type.
        parts: for each worker that holds it, the object it holds (the same one, or its view).
        held: whether it is in the workers' states; else it is a name of the module that the code uses.
    """

    def __init__(self, found: Found, parts: dict[int, Any], *, held: bool = True) -> None:
        self.name = found.name
        self.owner = found.owner
        self.kind = type(found.value).__name__
        self.parts = parts
        self.held = held

    @property
    def one(self) -> bool:
        """Whether all hold the same object."""
        return len({id(part) for part in self.parts.values()}) == 1


def containers(reach: Reach) -> list[Container]:
    """Return the containers that two or more workers' states hold, neighbouring views of one buffer, and the
    containers among the module's names."""
    result = []
    views: list[tuple[int, int, int, int, Found]] = []
    for found in reach.found.values():
        workers = sorted(found.roots - {-1})
        if isinstance(found.value, type):
            continue
        span = extent(found.value)
        if not workers:
            if found.name == found.owner and (type(found.value) in _MAPPINGS or span is not None):
                result.append(Container(found, {-1: found.value}, held=False))
        elif len(workers) > 1 and (type(found.value) in _MAPPINGS or span is not None):
            result.append(Container(found, dict.fromkeys(workers, found.value)))
        elif span is not None:
            views.append((_base(found.value), span[0], span[1], workers[0], found))
    views.sort(key=lambda view: view[:4])
    group: list[tuple[int, int, int, int, Found]] = []
    for view in [*views, None]:
        if (
            view is not None
            and group
            and view[0] == group[0][0]
            and view[1] - max(v[1] + v[2] for v in group) < _NEAR
        ):
            group.append(view)
            continue
        parts = {worker: found.value for _, _, _, worker, found in group}
        if len(parts) > 1 and len(parts) == len(group):
            result.append(Container(group[0][4], parts))
        group = [view] if view is not None else []
    return result


def _base(value: Any) -> int:
    """The identity of the object whose memory a view shows; its own for what is no view."""
    if isinstance(value, memoryview):
        return id(value.obj)
    if hasattr(value, "_b_base_"):  # ctypes keeps what from_buffer was given, alone or by index
        kept = getattr(value, "_objects", None)
        for one in kept.values() if isinstance(kept, dict) else (kept,):
            if isinstance(one, memoryview):
                return id(one.obj)
    while True:
        base = getattr(value, "_b_base_", None)
        base = (
            getattr(value, "base", None) if base is None and hasattr(value, "__array_interface__") else base
        )
        if base is None:
            return id(value)
        value = base


def extent(value: Any) -> tuple[int, int] | None:
    """Return address and bytes of a writable buffer, or None."""
    interface = getattr(value, "__array_interface__", None)
    if isinstance(interface, dict):
        address, readonly = interface["data"]
        return None if readonly else (address, int(value.nbytes))
    if isinstance(value, (type, bytes, str)):
        return None
    with contextlib.suppress(TypeError):
        return ctypes.addressof(value), ctypes.sizeof(value)
    try:
        view = memoryview(value)
        if view.readonly or not view.c_contiguous or not view.nbytes:
            return None
        return ctypes.addressof(ctypes.c_char.from_buffer(view)), view.nbytes
    except (TypeError, ValueError, BufferError):
        return None


def spread(container: Container, apart: bool) -> dict[int, Any]:
    """Copy a container for each worker: apart, or (the control) still one object, or still side by side.

    Between copies that are apart lie copies that nobody uses, so that they do not become neighbours again.
    """
    if container.one:
        first = next(iter(container.parts.values()))
        if not apart:
            return dict.fromkeys(container.parts, _copy(first))
        result = {}
        for worker in container.parts:
            _KEPT.append([_copy(first) for _ in range(64 if sys.getsizeof(first) < 10_000 else 1)])
            result[worker] = _copy(first)
        return result
    sizes = {worker: (extent(part) or (0, 0))[1] for worker, part in container.parts.items()}
    room = bytearray(sum(_step(size, apart) for size in sizes.values()) + 1024)
    place = -(extent(room) or (0, 0))[0] % 512
    result = {}
    for worker, part in container.parts.items():
        result[worker] = _moved(part, memoryview(room)[place : place + sizes[worker]])
        place += _step(sizes[worker], apart)
    return result


def _step(size: int, apart: bool) -> int:
    """Bytes from one part to the next: whole pages of lines in between, or none."""
    return -(-size // 512) * 512 + 512 if apart else -(-size // 8) * 8


def replaced(state: Any, by: dict[int, Any], shared: set[int], depth: int = 6) -> Any:
    """Return ``state`` with objects (by identity) replaced; what only this worker holds is changed in place."""
    if id(state) in by:
        return by[id(state)]
    if depth == 0 or id(state) in shared or isinstance(state, type):
        return state
    if isinstance(state, tuple):
        parts = [replaced(part, by, shared, depth - 1) for part in state]
        if all(new is old for new, old in zip(parts, state)):
            return state
        return type(state)(*parts) if hasattr(state, "_fields") else type(state)(parts)
    if type(state) is list:
        state[:] = [replaced(part, by, shared, depth - 1) for part in state]
    elif type(state) is dict:
        for key, part in list(state.items()):
            state[key] = replaced(part, by, shared, depth - 1)
    else:
        for name, part in attributes(state):
            new = replaced(part, by, shared, depth - 1)
            if new is not part:
                setattr(state, name, new)
    return state


def changed(container: Container, before: Any) -> set[Any]:
    """Return which elements are other ones than in ``before`` (from ``remember``)."""
    now = remember(container)
    if isinstance(now, dict) and isinstance(before, dict):
        return {key for key in now.keys() | before.keys() if now.get(key) != before.get(key)}
    different = {index for index, (a, b) in enumerate(zip(now, before)) if a != b}
    return different | ({"length"} if len(now) != len(before) else set())


def remember(container: Container) -> Any:
    """Return a container's elements, by identity or value, to be compared later."""
    first = next(iter(container.parts.values()))
    if isinstance(first, dict):
        return {repr(key)[:80]: (id(value), repr(value)[:80]) for key, value in list(first.items())[:10_000]}
    if isinstance(first, (list, collections.deque)):
        return [(id(value), repr(value)[:80]) for value in list(first)[:10_000]]
    return bytes(memoryview(first).cast("B")[:100_000]) if memoryview(first).c_contiguous else b""


def workers_of(container: Container) -> Sequence[int]:
    """Return the workers that hold it."""
    return sorted(container.parts)


_KEPT: list[Any] = []
"""Copies that only keep others apart."""


def _copy(value: Any) -> Any:
    if isinstance(value, ctypes.Array):
        return type(value).from_buffer_copy(value)
    return copy.copy(value)


def _moved(part: Any, to: memoryview) -> Any:
    """Copy a view's bytes to ``to`` and return the same kind of view there."""
    if hasattr(part, "__array_interface__"):
        numpy = sys.modules["numpy"]
        view = numpy.frombuffer(to, dtype=part.dtype).reshape(part.shape)
        view[...] = part
        return view
    address, size = extent(part) or (0, 0)
    to[:] = ctypes.string_at(address, size)
    if isinstance(part, memoryview):
        return to.cast(part.format)  # type: ignore[call-overload]
    return type(part).from_buffer(to)
