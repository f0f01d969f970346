"""The kernel's locks on what a process has one of: its address space above all."""

from __future__ import annotations

from collections.abc import Sequence

from knee.causes.cause import Cause, Given, Mend, Removal, Scene, Where
from knee.causes.trial import Trial


class Kernel(Cause):
    """Removed by processes, which share no address space; named where the time is spent in the kernel."""

    id = "kernel"
    title = "the kernel's lock on the address space (mmap, munmap, page faults)"
    parts = ("system", "blocked", "wait")
    rank = 70
    always = True

    def refusal(self, scene: Scene) -> str:
        """A command has the workers that it has."""
        return "a command starts its own workers" if scene.command else ""

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """Processes; and subinterpreters, which share the address space, but not the interpreter's own locks."""
        return [
            Removal(Trial("processes", kind="processes")),
            Removal(Trial("subinterpreters", kind="subinterpreters")),
        ]

    def where(self, scene: Scene, given: Given, search: object) -> Where:
        """The line that runs."""
        file, line = scene.hot()
        return Where(file, line, "address space")

    def done(self, scene: Scene, given: Given) -> str:
        """What was done."""
        return "running the workers as processes, each with an address space of its own,"

    def mend(self, scene: Scene, where: Where) -> Mend:
        """Keep memory."""
        return Mend(
            "keep large buffers and use them again instead of making and dropping them; let the allocator "
            "keep freed memory",
            "def setup_worker(index, workers):\n"
            "    return bytearray(SIZE)  # mapped and faulted in once, used again by every call\n"
            "# C's malloc:  MALLOC_MMAP_THRESHOLD_=1073741824 MALLOC_TRIM_THRESHOLD_=1073741824\n",
        )
