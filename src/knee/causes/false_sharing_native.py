"""False sharing between blocks of native code: malloc handed them out side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from knee.causes.cause import STATIC, Cause, Given, Mend, Removal, Scene, Where
from knee.causes.lines import culprits, quoted
from knee.causes.trial import ARMS, Trial
from knee.plan.cell import Kind

if TYPE_CHECKING:
    from knee.causes.search import Search


class FalseSharingNative(Cause):
    """Removed by a preloaded malloc that rounds blocks up to the line; controls: the same without rounding."""

    id = "false-sharing.native"
    title = "native memory blocks of different workers on one cache line"
    parts = ("user",)
    rank = 23

    def refusal(self, scene: Scene) -> str:
        """It needs the shim, and a dynamic loader that preloads."""
        if scene.static:
            return STATIC
        return "" if scene.shim else "the preloadable malloc is not built (Linux only)"

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """Line-rounded malloc."""
        return [
            Removal(
                self._trial(scene, "round"),
                (self._trial(scene, "off", "shim only"), self._trial(scene, "extra", "extra bytes")),
            )
        ]

    def _trial(self, scene: Scene, mode: str, variant: str = "arm", step: str = "", **options: Any) -> Trial:
        preload = ":".join(filter(None, [scene.shim, scene.base.env.get("LD_PRELOAD")]))
        env = {"LD_PRELOAD": preload, "KNEE_MALLOC_MODE": mode, "KNEE_MALLOC_LINE": str(scene.line)}
        kind: Kind = "command" if scene.command else "threads"
        if not options:
            return Trial("rounded malloc", variant, kind=kind, env=env, step=step)
        env["KNEE_MALLOC_WHEN"] = "called"
        file = ARMS / "rounded_malloc.py"
        return Trial("rounded malloc", variant, kind=kind, file=file, options=options, env=env, step=step)

    def where(self, scene: Scene, given: Given, search: Search) -> Where:
        """Round what ever fewer lines have native code allocate; the line that runs, where none is found."""
        hot = Where(*scene.hot(), "malloc'ed blocks")
        if scene.command:
            return hot
        found, _ = culprits(
            search,
            scene.base.workload,
            given,
            lambda options, step: self._trial(scene, "round", step=step, folder=scene.folder, **options),
        )
        if not found:
            return hot
        also = [f"and {quoted(line)}" for line in found[1:]]
        if hot.file is not None and hot.line is not None:
            also.append(f"used at {quoted((hot.file, hot.line))}")
        return Where(*found[0], "malloc'ed blocks", tuple(also))

    def done(self, scene: Scene, given: Given) -> str:
        """What was done."""
        return f"rounding malloc's blocks to {scene.line} bytes"

    def mend(self, scene: Scene, where: Where) -> Mend:
        """Align."""
        return Mend(
            "align what each thread writes to the line, or pad it; allocate it in the thread that uses it",
            f"struct alignas({max(64, scene.line)}) per_worker {{ pthread_rwlock_t lock; … }};\n"
            f"p = aligned_alloc({max(64, scene.line)}, sizeof *p);  /* not malloc: its blocks share lines */\n",
        )
