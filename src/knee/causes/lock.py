"""A lock: Python's or a library's, or the critical section of one object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from knee.causes.cause import Cause, Given, Mend, Removal, Scene, Where
from knee.causes.source import text, used
from knee.causes.trial import ARMS, Trial

if TYPE_CHECKING:
    from knee.causes.search import Search


class Lock(Cause):
    """Removed by giving each worker what could hold the lock: the module's names, modules that it imports, its state.

    These arms take more away than locks. They name a lock only for what no more specific arm gives back, and only where
    the workers' lost time is blocked, or in the kernel, where they wait their turn.
    """

    id = "lock"
    title = "a lock, or one object's critical section"
    parts = ("system", "blocked", "wait")
    rank = 60

    def refusal(self, scene: Scene) -> str:
        """Objects are out of reach of a command."""
        return "a command's locks are its own: only its split of time tells of them" if scene.command else ""

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """Private module, private imports, private arguments."""
        result = [_removal("private module", "private_module")]
        if scene.scout.get("modules", True):
            result.append(_removal("private imports", "private_imports"))
        if scene.scout.get("states", True):
            result.append(_removal("private arguments", "private_arguments"))
        return result

    def where(self, scene: Scene, given: Given, search: Search) -> Where:
        """The name by making one at a time private; the line by looking where workers wait."""
        workload = scene.base.workload
        check = given.arm[0].check if given.arm else {}
        name = None
        file, line = scene.hot(waiting=True)
        if given.name == "private module":
            names = _likely(check.get("names", []), scene)
            chosen = search.narrow(
                names,
                given,
                lambda some, step: Trial(
                    "private names", file=ARMS / "private_module.py", options={"private": some}, step=step
                ),
            )
            name = ", ".join(chosen) or None
            file, line = (used(workload, chosen[0]) if chosen else None) or (file, line)
        elif given.name == "private imports":
            modules = check.get("modules", [])
            name = f"hidden in module {', '.join(modules)}" if modules else None
            file, line = next(filter(None, (used(workload, module) for module in modules)), (file, line))
        elif given.name == "private arguments":
            name = "shared by the states"
        return Where(file, line, name, _other(scene))

    def done(self, scene: Scene, given: Given) -> str:
        """What was done."""
        return {
            "private module": "giving each worker a copy of the module, with locks of its own,",
            "private imports": "giving each worker copies of the imported modules, with hidden instances of its own,",
            "private arguments": "giving each worker a copy of its state, with locks of its own,",
        }.get(given.name, given.name)

    def mend(self, scene: Scene, where: Where) -> Mend:
        """Hold it for less, or have one for each worker."""
        name = where.name or "the lock"
        if name.startswith("hidden"):
            name = f"what is {name}"
        return Mend(
            f"hold {name} for less (do the work outside, publish the result inside), or give each worker one "
            "of its own and "
            "merge at the end",
            "def setup_worker(index, workers):\n"
            "    return make_it()  # a lock, generator or queue of the worker's own\n"
            "\n"
            "def operation(mine):\n"
            "    result = work(mine)   # outside of any lock\n"
            "    with GUARD:\n"
            "        publish(result)   # short\n",
        )


def _removal(name: str, module: str) -> Removal:
    file = ARMS / f"{module}.py"
    return Removal(Trial(name, file=file), (Trial(name, "copied but shared", file=file),))


def _likely(names: Sequence[str], scene: Scene) -> list[str]:
    """Names whose source line says that they are used where workers wait come first, then locks, then the others."""
    file, line = scene.hot(waiting=True)
    used = text(file, line) if file is not None and line is not None else ""
    locks = {lock["name"] for lock in scene.scout.get("locks", [])}
    return sorted(names, key=lambda name: (name not in used, name not in locks))


def _other(scene: Scene) -> tuple[str, ...]:
    """The lines on which the other workers were while one waited."""
    counts: dict[tuple[str, int], int] = {}
    for rep in scene.beside:
        for _, _, file, line, times in rep.get("against", []):
            counts[(file, line)] = counts.get((file, line), 0) + times
    ranked = sorted(counts, key=lambda place: -counts[place])[:2]
    return tuple(f"held at {file.rsplit('/', 1)[-1]}:{line} {text(file, line)}" for file, line in ranked)
