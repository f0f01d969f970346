"""The machine: too few cores, a quota, a memory bus that is full."""

from __future__ import annotations

from collections.abc import Sequence

from knee.causes.cause import Cause, Given, Mend, Removal, Scene, Where
from knee.causes.source import calls
from knee.causes.trial import Trial

PLACEMENT = "placement by the scheduler"


class Cores(Cause):
    """Seen when the native kernel, which shares nothing, does not scale here either, and no quota says why."""

    id = "machine.cores"
    title = "fewer cores than workers, or cores that others use"
    rank = 1
    always = True

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """Workers pinned to a CPU each, where there are as many."""
        if scene.command or scene.cpus < scene.workers:
            return ()
        if scene.most("starts") or scene.most("threads") > scene.workers + 1:
            return ()  # threads that a worker starts would share its CPU: that is no matter of placement
        return [Removal(Trial("pinned", pin=True))]

    def done(self, scene: Scene, given: Given) -> str:
        """What was done."""
        return "pinning each worker to a CPU of its own"

    def where(self, scene: Scene, given: Given, search: object) -> Where:
        """The workload itself, if it narrows its affinity."""
        if given.name == "pinned":
            return Where(name=PLACEMENT)
        place = calls(scene.base.workload.file, "sched_setaffinity")
        return Where() if place is None else Where(place[0], place[1], "CPU affinity")

    def mend(self, scene: Scene, where: Where) -> Mend:
        """Measure elsewhere, or pin."""
        if where.name == PLACEMENT:
            return Mend(
                "the scheduler puts several workers on one CPU while others idle: pin the workers",
                "def setup_worker(index, workers):\n"
                "    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[index]})\n",
            )
        if scene.cpus < scene.workers:
            return Mend(
                f"the process may run on {scene.cpus} CPU for {scene.workers} workers: widen its affinity "
                "(taskset, cpuset), "
                "or use as many workers as there are CPUs",
                "import knee\nworkers = knee.useful_workers()\n",
            )
        return Mend(
            "something else keeps the cores busy, or they are not all alike: stop it, or measure on a quiet machine",
            "import knee\nworkers = knee.useful_workers()\n",
        )

    def prove(self, scene: Scene, where: Where) -> str:
        """The machine's own report."""
        return "knee machine"


class Quota(Cores):
    """Seen when the native kernel does not scale, and a control group's quota is below the workers."""

    id = "machine.quota"
    title = "a CPU quota"

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """None: a quota is set from outside."""
        return ()

    def where(self, scene: Scene, given: Given, search: object) -> Where:
        """Outside of the program."""
        return Where()

    def mend(self, scene: Scene, where: Where) -> Mend:
        """More quota, or fewer workers."""
        return Mend(
            f"the control group allows {scene.quota:g} CPUs for {scene.workers} workers: raise the quota, or "
            "use fewer workers",
            "import knee\nworkers = knee.useful_workers()  # knows of the quota\n",
        )


class Bandwidth(Cause):
    """Seen when processes fare no better, the kernel scales, nothing else gives anything back, and streaming native
    code does not scale either."""

    id = "machine.bandwidth"
    title = "memory bandwidth"
    parts = ("user",)
    rank = 80

    def where(self, scene: Scene, given: Given, search: object) -> Where:
        """The line that runs."""
        file, line = scene.hot()
        return Where(file, line, "memory bus")

    def mend(self, scene: Scene, where: Where) -> Mend:
        """Move fewer bytes."""
        return Mend(
            "move fewer bytes: work in blocks that fit the cache, fuse passes over the data, use smaller types",
            "for start in range(0, n, BLOCK):      # a block stays in the cache for all passes\n"
            "    step_one(data[start:start + BLOCK])\n"
            "    step_two(data[start:start + BLOCK])\n",
        )
