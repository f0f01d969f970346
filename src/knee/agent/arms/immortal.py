"""Reference counting removed from the objects that workers share, and nothing else.

An immortal object's counts are never written (PEP 683; for free-threaded builds PEP 703, "Immortalization"). The arm
gives shared objects the counts of an immortal one: the local count its greatest value, the shared count 0, at the
offsets of ``Include/object.h`` since 3.13, which are checked against objects known to be immortal before anything is
written. The control walks the same way and writes nothing. Such objects are never freed: for scratch launches only.
"""

from __future__ import annotations

import ctypes
import sysconfig
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from knee.agent.arm import Arm as Base
from knee.agent.reach import Found, Reach

if TYPE_CHECKING:
    from knee.agent.workload import Loaded

LOCAL, SHARED = 12, 16
_IMMORTAL = 0xFFFFFFFF
_LABELS = 400


class Arm(Base):
    """Options: ``workers``: of the greater pool; ``only``: labels of the objects to treat, instead of all shared."""

    def __init__(self, variant: str, options: dict[str, Any]) -> None:
        super().__init__(variant, options)
        self._why = refusal()
        self._treated: list[Found] = []
        self._complete = True
        self._watched: dict[int, Found] = {}
        self._labels: set[str] = set()

    def made(self, copies: Sequence[Loaded], states: Sequence[Any]) -> None:
        """Walk, and write unless this is the control."""
        if self._why:
            return
        reach = Reach(copies, states)
        self._complete = reach.complete
        # One worker alone shares nothing: what to treat in its pool is what would be shared in the great one.
        self._labels |= {
            label(found) for found in (reach if len(states) != 1 else self._great(copies)).shared()
        }
        only = self.options.get("only")
        self._watched.update(
            (id(f.value), f)
            for f in reach.found.values()
            if label(f) in self._labels and not immortal(f.value)
        )
        self._treated = [f for f in self._watched.values() if only is None or label(f) in only]
        if self.variant == "arm":
            for found in self._treated:
                place = id(found.value)
                ctypes.c_uint32.from_address(place + LOCAL).value = _IMMORTAL
                ctypes.c_ssize_t.from_address(place + SHARED).value = 0

    def _great(self, copies: Sequence[Loaded]) -> Reach:
        """The reach of a pool of several workers."""
        workers = self.options.get("workers", 2)
        return Reach([copies[0]] * workers, copies[0].states(workers))

    def check(self) -> dict[str, Any]:
        """Tell what was treated, and whether it stayed as it was made."""
        if self._why:
            return {"honoured": False, "why": self._why}
        kept = self.variant != "arm" or all(immortal(found.value) for found in self._treated)
        return {
            "honoured": kept and bool(self._treated),
            "why": "" if self._treated else "the workers share no object that is reference-counted",
            "objects": len(self._treated),
            "complete": self._complete,
            "found": [
                {"label": label(f), "name": f.name, "owner": f.owner, "file": f.file, "line": f.line}
                for f in list(self._watched.values())[:_LABELS]
            ],
        }


def label(found: Found) -> str:
    """Return what tells a found object from others in any launch: its name and, for a literal, its line."""
    return f"{found.name} @ {found.line}" if found.name.startswith("literal ") else found.name


def immortal(value: Any) -> bool:
    """Whether an object's count is that of an immortal one (free-threaded builds)."""
    return ctypes.c_uint32.from_address(id(value) + LOCAL).value == _IMMORTAL


def refusal() -> str:
    """Say why counts cannot be written here; empty when they can."""
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "a build with the GIL counts references without contention"
    if sysconfig.get_config_var("Py_TRACE_REFS"):
        return "a build with Py_TRACE_REFS has another object header"
    mortal = [object() for _ in range(4)]
    known = [None, True, False, 0, 256, (), ""]
    as_expected = (
        all(immortal(value) for value in known)
        and all(ctypes.c_ssize_t.from_address(id(value) + SHARED).value == 0 for value in known)
        and all(0 < ctypes.c_uint32.from_address(id(value) + LOCAL).value < 16 for value in mortal)
        and all(ctypes.c_size_t.from_address(id(value)).value != 0 for value in mortal)
    )
    return "" if as_expected else "the object header of this version is not the one that Knee knows"


class Watch:
    """The counts of objects, looked at again and again: those that move are fought over."""

    def __init__(self, found: Sequence[Found]) -> None:
        self._found = list(found)[:_LABELS]
        self._places = [
            (
                ctypes.c_ssize_t.from_address(id(f.value) + SHARED),
                ctypes.c_uint32.from_address(id(f.value) + LOCAL),
            )
            for f in self._found
        ]
        self._last = [(shared.value, local.value) for shared, local in self._places]
        self._moved = [0] * len(self._places)
        self.looks = 0

    def look(self) -> None:
        """Compare every count with what it was."""
        last, moved = self._last, self._moved
        for index, (shared, local) in enumerate(self._places):
            now = (shared.value, local.value)
            if now != last[index]:
                moved[index] += 1
                last[index] = now
        self.looks += 1

    def ranked(self) -> list[list[Any]]:
        """Return ``[label, how often it had moved]``, most first."""
        order = sorted(range(len(self._moved)), key=lambda index: -self._moved[index])
        return [[label(self._found[i]), self._moved[i]] for i in order[:40] if self._moved[i]]
