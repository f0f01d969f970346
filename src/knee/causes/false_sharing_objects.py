"""False sharing between Python objects: each worker uses its own, and they lie on one cache line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from knee.causes.cause import Cause, Given, Mend, Removal, Scene, Where
from knee.causes.lines import Line, culprits, quoted
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
        """Line-rounded memory; and rounded to two lines, which cores that fetch lines by pairs need."""
        return [
            Removal(
                self._trial(scene, line),
                tuple(self._trial(scene, line, mode) for mode in ("off", "ballast", "shuffle")),
            )
            for line in (scene.line, 2 * scene.line)
        ]

    def _trial(self, scene: Scene, line: int, mode: str = "", step: str = "", **options: Any) -> Trial:
        names = {"off": "wrapped only", "ballast": "extra bytes", "shuffle": "shuffled"}
        options = {"line": line, "folder": scene.folder, **options}
        if mode:
            options["mode"] = mode
        name = "rounded" if line == scene.line else "rounded to pairs"
        return Trial(name, names.get(mode, "arm"), file=_FILE, options=options, step=step)

    def where(self, scene: Scene, given: Given, search: Search) -> Where:
        """Record which lines allocate, then round what ever fewer of them do, then ever fewer sizes."""
        line = int(given.removal.arm.options["line"])
        found, recorded = culprits(
            search,
            scene.base.workload,
            given,
            lambda options, step: self._trial(scene, line, step=step, **options),
        )
        if recorded is None:
            return Where()
        near = (given.control[-1] if given.control else recorded).check.get("near", {})
        name = " and ".join(kind for kind, _ in near.get("kinds", [])[:2]) or None
        if not found:
            return Where(name=name)
        also = [f"and {quoted(place)}" for place in found[1:]]
        size = self._size(scene, given, search, found)
        if size is not None:
            also.append(f"blocks of {size[0]} to {size[1]} bytes")
        return Where(*found[0], name, tuple(also))

    def _size(
        self, scene: Scene, given: Given, search: Search, lines: Sequence[Line]
    ) -> tuple[int, int] | None:
        """The class of sizes that alone gives the loss back, likeliest first; None if none does, or no time is left."""
        line = int(given.removal.arm.options["line"])
        for least, most in _SIZES:
            if not search.left(0.15):
                break
            step = f"only {least} to {most} bytes"
            trial = self._trial(
                scene, line, step=step, lines=[[*one] for one in lines], least=least, most=most
            )
            if search.share(trial) >= 0.7 * given.share:
                return least, most
        return None

    def done(self, scene: Scene, given: Given) -> str:
        """What was done."""
        return f"rounding the objects made by module and setup to {_bytes(given)} bytes"

    def evidence(self, scene: Scene, given: Given, where: Where) -> str:
        """With the line that makes them."""
        from knee.causes.cause import beside, span

        made = (
            f"made at {where.file.rsplit('/', 1)[-1]}:{where.line}"
            if where.file
            else "made by module and setup"
        )
        what = f"objects ({where.name})" if where.name else "objects"
        back = f"gives back {span(given)} of the loss{beside(given)}"
        return f"rounding the {what} {made} to {_bytes(given)} bytes {back}"

    def mend(self, scene: Scene, where: Where) -> Mend:
        """Make them in the worker."""
        return Mend(
            f"let each worker make its own {where.name or 'objects'}: a thread's allocations never share a "
            "line with those of "
            "another live thread; or keep them apart with knee.padded",
            "def setup_worker(index, workers):\n"
            "    return make_objects()  # made by the worker, in its own memory\n",
        )


def _bytes(given: Given) -> int:
    return int(given.removal.arm.options["line"])
