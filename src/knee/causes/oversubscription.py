"""Thread pools inside the workers: more threads that want to run than there are cores."""

from __future__ import annotations

from collections.abc import Sequence

from knee.causes.cause import Cause, Given, Mend, Removal, Scene, Where
from knee.causes.trial import Trial

POOLS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "TBB_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "PYTHON_CPU_COUNT",
)
"""Variables that native and Python pools take their size from, threadpoolctl's among them."""


class Oversubscription(Cause):
    """Removed by pools of one thread, asked for by environment."""

    id = "oversubscription"
    title = "thread pools inside the workers"
    rank = 10

    def nothing(self, scene: Scene) -> str:
        """Needs threads beside the workers."""
        if scene.command or scene.most("threads") > scene.workers + 1:
            return ""
        return "no threads but the workers ran" if scene.watched else ""

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """Pools to one."""
        kind = "command" if scene.command else "threads"
        return [Removal(Trial("pools to one", kind=kind, env=dict.fromkeys(POOLS, "1")))]  # type: ignore[arg-type]

    def where(self, scene: Scene, given: Given, search: object) -> Where:
        """The line that runs."""
        file, line = scene.hot()
        return Where(file, line, "nested thread pools")

    def done(self, scene: Scene, given: Given) -> str:
        """What was done."""
        threads = scene.most("threads")
        seen = f" ({threads} threads were there for {scene.workers} workers)" if threads else ""
        return f"giving the pools inside the workers one thread each{seen}"

    def mend(self, scene: Scene, where: Where) -> Mend:
        """One level of parallelism."""
        return Mend(
            "parallelise on one level: with workers for every core, give inner pools one thread",
            "OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 program …\n"
            "# or: with threadpoolctl.threadpool_limits(limits=1): …\n",
        )

    def prove(self, scene: Scene, where: Where) -> str:
        """The variable is the mend."""
        return f"{self.command(scene)} --env OMP_NUM_THREADS={max(2, scene.cpus)} --env OMP_NUM_THREADS=1"
