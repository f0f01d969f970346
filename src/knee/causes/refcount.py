"""Reference counts of objects that all workers use: reading is writing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knee.causes.cause import Cause, Given, Mend, Removal, Scene, Where
from knee.causes.search import Search
from knee.causes.source import defined, name_of, used
from knee.causes.trial import ARMS, Trial


class Refcount(Cause):
    """Removed by making the shared objects immortal; control: the same walk without the write."""

    id = "refcount"
    title = "reference counts of shared objects"
    parts = ("user",)
    rank = 40

    def refusal(self, scene: Scene) -> str:
        """Only free-threaded builds count in contention."""
        if scene.command:
            return "a command's objects are out of reach"
        return "" if scene.free_threaded else "with the GIL, references are counted by one thread at a time"

    def nothing(self, scene: Scene) -> str:
        """Without shared counted objects there is nothing to remove."""
        if scene.scout and not scene.scout.get("shared"):
            return "the workers share no object that is reference-counted"
        return ""

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """Immortal objects; and states that the worker makes and owns."""
        made = ARMS / "worker_made.py"
        if not scene.scout.get("states", True):
            return [self.removal(scene)]
        return [
            self.removal(scene),
            Removal(Trial("worker-made", file=made), (Trial("worker-made", "made as often", file=made),)),
        ]

    def removal(self, scene: Scene, only: list[str] | None = None, step: str = "") -> Removal:
        """Immortal objects: all that are shared, or those with these labels."""
        options: dict[str, Any] = {"workers": scene.workers}
        if only is not None:
            options["only"] = only
        arm = Trial("immortal", file=ARMS / "immortal.py", options=options, step=step)
        control = Trial(
            "immortal", "walk only", file=ARMS / "immortal.py", options={"workers": scene.workers}
        )
        return Removal(arm, (control,))

    def where(self, scene: Scene, given: Given, search: Search) -> Where:
        """Halve the objects whose counts move, most moved first, until the fewest are left that give the loss back."""
        if given.name == "worker-made":
            made = defined(scene.base.workload, "state")
            return Where(name="the states") if made is None else Where(made[0], made[1], "the states")
        found = {entry["label"]: entry for entry in scene.scout.get("found", [])}
        moved: dict[str, int] = {}
        for rep in scene.beside:
            for label, times in rep.get("moved", []):
                moved[label] = moved.get(label, 0) + times
        ranked = [label for label in sorted(moved, key=lambda label: -moved[label]) if label in found]
        if not ranked:
            ranked = list(found)
        chosen = search.narrow(ranked, given, lambda labels, step: self.removal(scene, labels, step).arm)
        entries = [found[label] for label in chosen if label in found]
        if not entries:
            return Where()
        first = entries[0]
        file, line = first["file"] or None, first["line"] or None
        also = [_told(entry) for entry in entries[1:4]]
        if not first["name"].startswith("literal "):
            owner = first["owner"]
            places = [
                place
                for place in (used(scene.base.workload, owner), defined(scene.base.workload, owner))
                if place
            ]
            if places:
                file, line = places[0]
                also += [f"made at {name_of(place)}" for place in places[1:]]
        return Where(file, line, _names(entries), tuple(also))

    def done(self, scene: Scene, given: Given) -> str:
        """What was done."""
        if given.name == "worker-made":
            return "letting each worker make its own state"
        return "making the shared objects immortal (their counts are never written)"

    def mend(self, scene: Scene, where: Where) -> Mend:
        """By what the object is."""
        name = where.name or "the object"
        if name.startswith("literal"):
            return Mend(
                "the literals of an imported function are counted by every thread on this version: give each worker "
                "operands of its own, as local variables",
                "def setup_worker(index, workers):\n"
                '    return tuple(int(digits) for digits in ("12345", "1103515245"))  # objects of the worker\'s own\n'
                "\n"
                "def operation(operands):\n"
                "    step, factor = operands  # locals instead of literals\n",
            )
        return Mend(
            f"let each worker have a {name} of its own, made by the worker; or take it once, outside of the "
            "loop, into a "
            "local variable",
            "def setup_worker(index, workers):\n"
            "    return make_it()  # made in the worker: counted by its owner, without contention\n",
        )


def _names(entries: Sequence[dict[str, Any]]) -> str:
    return ", ".join(dict.fromkeys(entry["name"] for entry in entries))


def _told(entry: dict[str, Any]) -> str:
    return f"{entry['name']} ({entry['file'].rsplit('/', 1)[-1]}:{entry['line']})"
