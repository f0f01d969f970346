"""Nothing removed: looks at what the workload is made of and where its workers wait, to know which arms can matter.

What it finds proves nothing. It saves arms that would have nothing to remove, and gives the others names and lines.
"""

from __future__ import annotations

import collections
import contextlib
import gc
import os
import sys
import threading
import time
from collections.abc import Sequence
from importlib.machinery import ExtensionFileLoader
from types import FrameType
from typing import TYPE_CHECKING, Any, Callable

from knee.agent.arm import Arm as Base
from knee.agent.arms import immortal, tracing
from knee.agent.arms.private_imports import imported
from knee.agent.containers import Container, changed, containers, remember
from knee.agent.reach import Found, Reach, neighbours
from knee.agent.worker import gil

if TYPE_CHECKING:
    from knee.agent.workload import Loaded

_PAUSE = 0.001
"""Seconds between looks at the workers' frames, for which a free-threaded interpreter stops them."""

_LOCKS = {
    "lock",
    "RLock",
    "_RLock",
    "Condition",
    "Semaphore",
    "BoundedSemaphore",
    "Event",
    "Queue",
    "SimpleQueue",
}


class Arm(Base):
    """Options: ``folder``: files below it are the workload's own, ``file`` is its own; ``line``: of a cache, bytes."""

    def __init__(self, variant: str, options: dict[str, Any]) -> None:
        super().__init__(variant, options)
        self._folder: str = options["folder"]
        self._shared: list[Found] = []
        self._locks: list[dict[str, Any]] = []
        self._containers: list[dict[str, Any]] = []
        self._near: dict[str, Any] = {}
        self._starts = 0
        self._starting: collections.Counter[tuple[str, int]] = collections.Counter()
        self._collected: collections.Counter[tuple[str, int]] = collections.Counter()
        self._stopped = self._since = 0.0
        self._gil: list[list[Any]] = []
        self._traced = False
        self._given = False
        self._modules: list[str] = []
        self._reps: list[dict[str, Any]] = []

    def install(self) -> None:
        """Count the starts of threads."""
        for name in ("_start_joinable_thread", "_start_new_thread"):
            start = getattr(threading, name, None)
            if start is not None:
                setattr(threading, name, self._counting(start))
        gc.callbacks.append(self._collecting)
        # Loading an extension module may switch the GIL on; its warning may be suppressed.
        for name in ("create_module", "exec_module"):
            setattr(ExtensionFileLoader, name, self._loading(getattr(ExtensionFileLoader, name)))

    def _loading(self, load: Callable[..., Any]) -> Callable[..., Any]:
        def loaded(loader: Any, what: Any) -> Any:
            before = gil()
            result = load(loader, what)
            if gil() and not before:
                where = self._line(sys._getframe().f_back, self.options.get("file", "")) or ("", 0)
                self._gil.append([loader.name, *where])
            return result

        return loaded

    def _collecting(self, phase: str, info: dict[str, int]) -> None:
        if phase == "stop":
            self._stopped += time.perf_counter() - self._since
            return
        self._since = time.perf_counter()
        where = self._line(sys._getframe().f_back)
        if where is not None:
            self._collected[where] += 1

    def _counting(self, start: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            self._starts += 1
            where = self._line(sys._getframe().f_back)
            if where is not None:
                self._starting[where] += 1
            return start(*arguments, **options)

        return counted

    def made(self, copies: Sequence[Loaded], states: Sequence[Any]) -> None:
        """Walk what the workers reach."""
        if len(copies) < 2:
            return
        self._given = bool(states)
        self._modules = sorted({module.__name__ for module in imported(copies[0].namespace)})
        reach = Reach(copies, states)
        self._near = neighbours(reach, self.options.get("line", 64))
        if not immortal.refusal():
            self._shared = [f for f in reach.shared() if not immortal.immortal(f.value)]
        self._locks = [
            {"name": f.name, "kind": type(f.value).__name__, "file": f.file, "line": f.line}
            for f in reach.shared()
            if type(f.value).__name__ in _LOCKS
        ][:20]
        found = containers(reach)[:20]
        self._containers = [
            {"name": one.name, "kind": one.kind, "one": one.one, "held": one.held, "workers": len(one.parts)}
            for one in found
        ]
        if found:
            self._elements(found, copies, states)

    def _elements(self, found: Sequence[Container], copies: Sequence[Loaded], states: Sequence[Any]) -> None:
        """Let each worker's operation run once, alone, and see which elements it writes."""
        written: list[list[set[Any]]] = [[] for _ in found]
        workers = len(copies)
        for index, loaded in enumerate(copies):
            state = loaded.state(index, workers, states[index] if states else None)
            before = [remember(one) for one in found]
            loaded.loop(loaded.operation, state, 1, range(1))
            for place, (one, was) in enumerate(zip(found, before)):
                written[place].append(changed(one, was) if one.one else {index})
        for told, sets in zip(self._containers, written):
            told["written"] = [len(one) for one in sets]
            told["apart"] = all(sets) and not any(
                one & other for number, one in enumerate(sets) for other in sets[:number]
            )

    def ready(self, index: int, loaded: Loaded, state: Any) -> Any:
        """Note tracing."""
        self._traced = self._traced or tracing.active()
        return state

    def watch(self, workers: Sequence[threading.Thread], running: Callable[[], bool]) -> dict[str, Any]:
        """Look at the workers until they are done: frames, task states, reference counts, collections, threads."""
        lines: collections.Counter[tuple[int, str, int, str]] = collections.Counter()
        pairs: collections.Counter[tuple[str, int, str, int]] = collections.Counter()
        counts = immortal.Watch(self._shared)
        tasks = [(thread.ident or 0, thread.native_id or 0) for thread in workers]
        waits: collections.Counter[str] = collections.Counter()
        collections_before = _collections()
        starts, most, looks = self._starts, 0, 0
        self._starting.clear()
        self._collected.clear()
        stopped, began = self._stopped, time.perf_counter()
        while running():
            # States first: a free-threaded interpreter stops its threads, which takes milliseconds, to show frames.
            states = [_task(native) for _, native in tasks]
            frames = sys._current_frames()
            places = []
            for number, (ident, _) in enumerate(tasks):
                state, channel = states[number]
                where = self._line(frames.get(ident))
                places.append((state, where))
                if where is not None:
                    lines[(number, *where, state)] += 1
                waits[f"{state} {channel}"] += 1
            del frames
            for number, (state, where) in enumerate(places):
                for other, there in places[:number] + places[number + 1 :]:
                    if state == "S" and where and there and other != "S":
                        pairs[(*where, *there)] += 1
            looks += 1
            if looks % 4 == 1:
                most = max(most, _threads())
            until = time.perf_counter() + _PAUSE
            while time.perf_counter() < until:
                counts.look()
        seen = {
            "workers": len(workers),
            "looks": looks,
            "lines": [[*key, times] for key, times in lines.most_common(60)],
            "against": [[*key, times] for key, times in pairs.most_common(10)],
            "waits": dict(waits.most_common(12)),
            "counted": counts.looks,
            "moved": counts.ranked(),
            "collections": _collections() - collections_before,
            "starts": self._starts - starts,
            "stopped": (self._stopped - stopped) / max(1e-9, time.perf_counter() - began),
            "collecting": [[*place, times] for place, times in self._collected.most_common(5)],
            "starting": [[*place, times] for place, times in self._starting.most_common(5)],
            "threads": most,
        }
        self._reps.append(seen)
        return seen

    def _line(self, frame: FrameType | None, within: str = "") -> tuple[str, int] | None:
        """The innermost line of the workload's own files, or of ``within``."""
        within = within or self._folder
        while frame is not None:
            if frame.f_code.co_filename.startswith(within) and frame.f_lineno is not None:
                return frame.f_code.co_filename, frame.f_lineno
            frame = frame.f_back
        return None

    def check(self) -> dict[str, Any]:
        """Tell what was found."""
        return {
            "honoured": True,
            "locks": self._locks,
            "containers": self._containers,
            "near": self._near,
            "traced": self._traced,
            "shared": len(self._shared),
            "found": [
                {"label": immortal.label(f), "name": f.name, "owner": f.owner, "file": f.file, "line": f.line}
                for f in self._shared[:400]
            ],
            "collector": gc.isenabled(),
            "gil": self._gil,
            "states": self._given,
            "modules": self._modules,
        }


def _collections() -> int:
    return sum(generation["collections"] for generation in gc.get_stats())


def _threads() -> int:
    with contextlib.suppress(OSError):
        return len(os.listdir("/proc/self/task"))
    return threading.active_count()


def _task(native: int) -> tuple[str, str]:
    """A thread's state letter and wait channel (proc(5)); ``?`` where the system does not tell."""
    try:
        with open(f"/proc/self/task/{native}/stat", "rb") as file:
            state = file.read().rpartition(b")")[2].split()[0].decode()
        with open(f"/proc/self/task/{native}/wchan", "rb") as file:
            return state, file.read().decode() or "0"
    except OSError:
        return "?", "?"
