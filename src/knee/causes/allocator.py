"""Contention inside malloc."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from knee.causes.cause import Cause, Given, Mend, Removal, Scene, Where
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
        """More arenas; and each allocator found."""
        kind = "command" if scene.command else "threads"
        result = []
        limited = {**os.environ, **scene.base.env}
        if limited.get("MALLOC_ARENA_MAX") or "arena_max" in (limited.get("GLIBC_TUNABLES") or ""):
            env: dict[str, str | None] = {"MALLOC_ARENA_MAX": _ARENAS, "GLIBC_TUNABLES": None}
            result.append(Removal(Trial("more malloc arenas", kind=kind, env=env)))  # type: ignore[arg-type]
        for path in found():
            preload = ":".join(filter(None, [str(path), limited.get("LD_PRELOAD")]))
            name = path.name.split(".so")[0].removeprefix("lib")
            result.append(Removal(Trial(name, kind=kind, env={"LD_PRELOAD": preload})))  # type: ignore[arg-type]
        return result

    def refusal(self, scene: Scene) -> str:
        """Something to swap is needed."""
        if self.removals(scene):
            return ""
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
