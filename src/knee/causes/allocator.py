"""Contention inside malloc."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from knee.causes.cause import STATIC, Cause, Given, Mend, Removal, Scene, Where
from knee.causes.trial import Trial

_ARENAS = "64"
_NAMES = (
    "libjemalloc.so.2",
    "libmimalloc.so.3",
    "libmimalloc.so.2",
    "libtcmalloc_minimal.so.4",
    "libtbbmalloc_proxy.so.2",
)
_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
    "/opt/homebrew/lib",
)


class Allocator(Cause):
    """Removed by another allocator: glibc's with many arenas, and others that are found on the machine."""

    id = "allocator"
    title = "contention inside malloc"
    parts = ("user", "system", "blocked")
    rank = 24

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """Knee's own that lets no threads meet; more arenas; and each allocator found."""
        kind = "command" if scene.command else "threads"
        result = []
        if scene.heaps and scene.shim:
            arm = Trial("thread heaps", kind=kind, env={"LD_PRELOAD": _before(scene.heaps, scene)})  # type: ignore[arg-type]
            env = {"LD_PRELOAD": _before(scene.shim, scene), "KNEE_MALLOC_MODE": "off"}
            result.append(Removal(arm, (Trial("thread heaps", "shim only", kind=kind, env=env),)))  # type: ignore[arg-type]
        limited = {**os.environ, **scene.base.env}
        if limited.get("MALLOC_ARENA_MAX") or "arena_max" in (limited.get("GLIBC_TUNABLES") or ""):
            more: dict[str, str | None] = {"MALLOC_ARENA_MAX": _ARENAS, "GLIBC_TUNABLES": None}
            result.append(Removal(Trial("more malloc arenas", kind=kind, env=more)))  # type: ignore[arg-type]
        for path in () if scene.static else found():
            name = path.name.split(".so")[0].removeprefix("lib")
            trial = Trial(name, kind=kind, env={"LD_PRELOAD": _before(str(path), scene)})  # type: ignore[arg-type]
            result.append(Removal(trial))
        return result

    def refusal(self, scene: Scene) -> str:
        """Something to swap is needed."""
        if self.removals(scene):
            return ""
        if scene.static:
            return f"{STATIC}, and malloc's arenas are not limited"
        return (
            "no other allocator on this machine (libjemalloc2 or libmimalloc would do), and malloc's arenas are not "
            "limited"
        )

    def where(self, scene: Scene, given: Given, search: object) -> Where:
        """The line that runs."""
        file, line = scene.hot()
        return Where(file, line, "malloc")

    def done(self, scene: Scene, given: Given) -> str:
        """What was done."""
        if given.name == "more malloc arenas":
            return f"letting malloc have {_ARENAS} arenas"
        if given.name == "thread heaps":
            return "letting each thread keep the blocks that it frees (a preloaded malloc)"
        return f"preloading {given.name} in place of the C library's malloc"

    def mend(self, scene: Scene, where: Where) -> Mend:
        """Arenas, another allocator, or fewer allocations."""
        return Mend(
            "allow malloc more arenas or preload another allocator; let the thread that uses a block make "
            "it, and use blocks "
            "again instead of freeing them",
            f"MALLOC_ARENA_MAX={_ARENAS} program …\nLD_PRELOAD=libjemalloc.so.2 program …\n",
        )

    def prove(self, scene: Scene, where: Where) -> str:
        """The variable is the mend."""
        return f"{self.command(scene)} --env MALLOC_ARENA_MAX=1 --env MALLOC_ARENA_MAX={_ARENAS}"


def found() -> list[Path]:
    """Return allocators on this machine that can be preloaded, one file each."""
    result = []
    for name in _NAMES:
        path = next((Path(folder, name) for folder in _FOLDERS if Path(folder, name).is_file()), None)
        if path is not None:
            result.append(path)
    return result


def _before(library: str, scene: Scene) -> str:
    """A value of LD_PRELOAD that puts a library before what is preloaded already."""
    return ":".join(filter(None, [library, scene.base.env.get("LD_PRELOAD") or os.environ.get("LD_PRELOAD")]))
