"""False sharing between blocks of native code: malloc handed them out side by side."""

from __future__ import annotations

from collections.abc import Sequence

from knee.causes.cause import Cause, Given, Mend, Removal, Scene, Where
from knee.causes.trial import Trial


class FalseSharingNative(Cause):
    """Removed by a preloaded malloc that rounds blocks up to the line; controls: the same without rounding."""

    id = "false-sharing.native"
    title = "native memory blocks of different workers on one cache line"
    parts = ("user",)
    rank = 28

    def refusal(self, scene: Scene) -> str:
        """It needs the shim, and a dynamic loader that preloads."""
        return "" if scene.shim else "the preloadable malloc is not built (Linux only)"

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """Line-rounded malloc."""
        return [
            Removal(
                self._trial(scene, "round"),
                (self._trial(scene, "off", "shim only"), self._trial(scene, "extra", "extra bytes")),
            )
        ]

    def _trial(self, scene: Scene, mode: str, variant: str = "arm") -> Trial:
        preload = ":".join(filter(None, [scene.shim, scene.base.env.get("LD_PRELOAD")]))
        env = {"LD_PRELOAD": preload, "KNEE_MALLOC_MODE": mode, "KNEE_MALLOC_LINE": str(scene.line)}
        kind = "command" if scene.command else "threads"
        return Trial("rounded malloc", variant, kind=kind, env=env)  # type: ignore[arg-type]

    def where(self, scene: Scene, given: Given, search: object) -> Where:
        """The line that waits; malloc's callers are not told apart."""
        file, line = scene.hot()
        return Where(file, line, "malloc'ed blocks")

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
