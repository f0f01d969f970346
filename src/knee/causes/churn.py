"""Threads started and ended again and again."""

from __future__ import annotations

from collections.abc import Sequence

from knee.causes.cause import Cause, Given, Mend, Removal, Scene, Where
from knee.causes.source import enclosing
from knee.causes.trial import ARMS, Trial


class Churn(Cause):
    """Removed by serving new threads from threads that stay."""

    id = "thread-churn"
    title = "threads started and ended again and again"
    rank = 14

    def refusal(self, scene: Scene) -> str:
        """A command's threads are its own."""
        if scene.command:
            return "a command starts its threads itself"
        version = tuple(int(part) for part in str(scene.interpreter.get("version", "0.0")).split(".")[:2])
        return "" if version >= (3, 13) else "threads can be put on others from CPython 3.13 on"

    def nothing(self, scene: Scene) -> str:
        """Needs starts."""
        return "" if scene.most("starts") or not scene.watched else "the workers start no threads"

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """Thread reuse."""
        return [Removal(Trial("thread reuse", file=ARMS / "thread_reuse.py"))]

    def where(self, scene: Scene, given: Given, search: object) -> Where:
        """The line that starts them."""
        file, line = scene.starting()
        block = enclosing(file, line) if file is not None and line is not None else range(0)
        if block:
            line = block[0]
        return Where(file, line, "threading.Thread")

    def done(self, scene: Scene, given: Given) -> str:
        """What was done."""
        starts = scene.most("starts")
        return (
            f"serving the threads that the workers start ({starts} in a watched rep) from threads that stay"
        )

    def mend(self, scene: Scene, where: Where) -> Mend:
        """Keep the pool."""
        return Mend(
            "keep threads: one pool for each worker, made once",
            "def setup_worker(index, workers):\n"
            "    return ThreadPoolExecutor(4)  # kept; not one for each request\n",
        )
