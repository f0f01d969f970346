"""Different elements of one container, used by different workers."""

from __future__ import annotations

from collections.abc import Sequence

from knee.causes.cause import Cause, Given, Mend, Removal, Scene, Where
from knee.causes.source import defined, name_of, used
from knee.causes.trial import ARMS, Trial


class Container(Cause):
    """Removed by a copy for each worker, laid apart; control: copied too, but one object, or side by side."""

    id = "sharing.container"
    title = "different elements of one container"
    parts = ("user", "system", "blocked")
    rank = 20

    def refusal(self, scene: Scene) -> str:
        """Objects are out of reach of a command."""
        return "a command's objects are out of reach" if scene.command else ""

    def nothing(self, scene: Scene) -> str:
        """Needs a container that several workers hold."""
        if scene.scout and not self._held(scene) and not self._global(scene):
            return "the workers hold no container of which they use different elements"
        return ""

    def _held(self, scene: Scene) -> list[str]:
        return [
            one["name"]
            for one in scene.scout.get("containers", [])
            if one["held"] and (not one["one"] or one.get("apart") is not False)
        ]

    def _global(self, scene: Scene) -> list[str]:
        return [
            one["name"] for one in scene.scout.get("containers", []) if not one["held"] and one.get("apart")
        ]

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """Copies of those in the states, and of those that are names of the module."""
        result = []
        if self._held(scene):
            options = {"only": self._held(scene)}
            result.append(
                Removal(
                    Trial("spread", file=ARMS / "spread.py", options=options),
                    (Trial("spread", "copied only", file=ARMS / "spread.py", options=options),),
                )
            )
        if self._global(scene):
            names = self._global(scene)
            result.append(
                Removal(
                    Trial("private names", file=ARMS / "private_module.py", options={"private": names}),
                    (
                        Trial(
                            "private names",
                            "functions only",
                            file=ARMS / "private_module.py",
                            options={"private": []},
                        ),
                    ),
                )
            )
        return result

    def where(self, scene: Scene, given: Given, search: object) -> Where:
        """The line that writes, and the container's name."""
        names = self._held(scene) if given.name == "spread" else self._global(scene)
        workload = scene.base.workload
        owner = names[0] if given.name != "spread" else "state"
        found = (used(workload, owner), defined(workload, owner), scene.place())
        places = list(dict.fromkeys(place for place in found if place is not None))
        file, line = places[0] if places else (None, None)
        kinds = {one["name"]: one["kind"] for one in scene.scout.get("containers", [])}
        also = tuple(f"and {name_of(place)}" for place in places[1:])
        return Where(file, line, f"{names[0]} ({kinds.get(names[0], 'container')})", also)

    def done(self, scene: Scene, given: Given) -> str:
        """What was done."""
        return "giving each worker a copy of the container, laid apart,"

    def mend(self, scene: Scene, where: Where) -> Mend:
        """A part for each worker."""
        return Mend(
            f"give each worker a container of its own and put the parts together at the end; or space the elements of "
            f"{where.name or 'the container'} a line ({scene.line} bytes) and more apart",
            "parts = [make() for _ in range(workers)]  # one for each worker, made by the worker\n"
            "…\n"
            "total = merge(parts)  # once, at the end\n",
        )
