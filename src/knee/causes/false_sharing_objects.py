"""False sharing between Python objects: each worker uses its own, and they lie on one cache line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from knee.causes.cause import Cause, Given, Mend, Removal, Scene, Where
from knee.causes.source import name_of, text
from knee.causes.trial import ARMS, Trial

if TYPE_CHECKING:
    from knee.causes.search import Search

_FILE = ARMS / "rounded.py"

_SIZES = ((33, 48), (49, 64), (17, 32), (65, 128), (129, 1024))
"""Classes of sizes, those of which most share a line first."""


class FalseSharingObjects(Cause):
    """Removed by rounding what module and setup allocate up to the line; controls: wrapped but not rounded, the same
    bytes elsewhere, and sizes shuffled."""

    id = "false-sharing.objects"
    title = "Python objects of different workers on one cache line"
    parts = ("user",)
    rank = 30

    def refusal(self, scene: Scene) -> str:
        """Rounding is honoured by the allocator of free-threaded builds."""
        if scene.command:
            return "a command's objects are out of reach"
        if not scene.free_threaded:
            return "with the GIL one thread at a time touches objects, and its allocator does not align rounded sizes"
        return "" if scene.native else "rounding needs the native library"

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """Line-rounded memory."""
        return [
            Removal(
                self._trial(scene), tuple(self._trial(scene, mode) for mode in ("off", "ballast", "shuffle"))
            )
        ]

    def _trial(self, scene: Scene, mode: str = "", step: str = "", **options: Any) -> Trial:
        names = {"off": "wrapped only", "ballast": "extra bytes", "shuffle": "shuffled"}
        options = {"line": scene.line, "folder": scene.folder, **options}
        if mode:
            options["mode"] = mode
        return Trial("rounded", names.get(mode, "arm"), file=_FILE, options=options, step=step)

    def where(self, scene: Scene, given: Given, search: Search) -> Where:
        """Record which lines allocate, then round what ever fewer of them do, then ever fewer sizes."""
        recorded = search.launch(self._trial(scene, step="recording lines", record=True))
        if recorded is None:
            return Where()
        lines = {f"{file}:{line}": blocks for file, line, blocks in recorded.check.get("lines", [])}
        found = search.narrow(
            list(lines),
            given,
            lambda some, step: self._trial(scene, step=_short(step), lines=[[*_place(one)] for one in some]),
        )
        near = (given.control[-1] if given.control else recorded).check.get("near", {})
        name = " and ".join(kind for kind, _ in near.get("kinds", [])[:2]) or None
        if not found:
            return Where(name=name)
        file, line = _place(found[0])
        also = [f"and {name_of(_place(place))} {text(*_place(place))}" for place in found[1:]]
        size = self._size(scene, given, search, found)
        if size is not None:
            also.append(f"blocks of {size[0]} to {size[1]} bytes")
        return Where(file, line, name, tuple(also))

    def _size(
        self, scene: Scene, given: Given, search: Search, lines: Sequence[str]
    ) -> tuple[int, int] | None:
        """The class of sizes that alone gives the loss back, likeliest first; None if none does, or no time is left."""
        places = [[*_place(one)] for one in lines]
        for least, most in _SIZES:
            if not search.left(0.15):
                break
            step = f"only {least} to {most} bytes"
            trial = self._trial(scene, step=step, lines=places, least=least, most=most)
            if search.share(trial) >= 0.7 * given.share:
                return least, most
        return None

    def done(self, scene: Scene, given: Given) -> str:
        """What was done."""
        return f"rounding the objects made by module and setup to {scene.line} bytes"

    def evidence(self, scene: Scene, given: Given, where: Where) -> str:
        """With the line that makes them."""
        from knee.causes.cause import beside, span

        made = (
            f"made at {where.file.rsplit('/', 1)[-1]}:{where.line}"
            if where.file
            else "made by module and setup"
        )
        what = f"objects ({where.name})" if where.name else "objects"
        return f"rounding the {what} {made} to {scene.line} bytes gives back {span(given)} of the loss{beside(given)}"

    def mend(self, scene: Scene, where: Where) -> Mend:
        """Make them in the worker."""
        return Mend(
            f"let each worker make its own {where.name or 'objects'}: a thread's allocations never share a "
            "line with those of "
            "another live thread; or keep them apart with knee.padded",
            "def setup_worker(index, workers):\n"
            "    return make_objects()  # made by the worker, in its own memory\n",
        )


def _place(place: str) -> tuple[str, int]:
    file, _, line = place.rpartition(":")
    return file, int(line)


def _short(step: str) -> str:
    return step.replace("only /", "only …/") if len(step) < 60 else "only …" + step[-55:]
