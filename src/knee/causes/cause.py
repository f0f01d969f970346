"""What a cause is to a search: when it can be, how it is removed, where it sits, what to do about it.

A file of this package, or of another one that registers in the entry point group ``knee.causes``, defines a class
derived from :class:`Cause`. ``docs/causes.md`` walks through one.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from knee.causes.seen import Lost, Seen
from knee.causes.source import enclosing, twin
from knee.causes.trial import Trial
from knee.plan.treatment import Treatment

if TYPE_CHECKING:
    from knee.causes.search import Search


STATIC = "the program is linked statically: no other malloc can be preloaded into it"
"""Why arms that preload are not tried."""

GENERAL = ("processes", "subinterpreters", "worker-made")
"""Arms that take away so much at once that they name no cause by themselves."""


@dataclass(frozen=True)
class Where:
    """The place of a cause, as far as it is known.

    Attributes:
        file, line: of the source; None where there is none.
        name: the object, name, lock, function or library.
        also: other lines that belong to it, ``file:line`` with what they are.
    """

    file: str | None = None
    line: int | None = None
    name: str | None = None
    also: tuple[str, ...] = ()

    def __str__(self) -> str:
        place = "" if self.file is None else f"{self.file.rsplit('/', 1)[-1]}:{self.line}"
        return " ".join(part for part in (self.name, f"at {place}" if place else "") if part)


@dataclass(frozen=True)
class Mend:
    """What to do about a cause: a sentence, and a sketch in code (may be empty)."""

    text: str
    code: str = ""


@dataclass(frozen=True)
class Scene:
    """What is known when causes are asked.

    Attributes:
        base: the program as it is.
        workers: the greater worker count.
        interpreter: the interpreter's facts; empty for a command.
        scout: what the scout told at its end; empty if it did not run.
        watched: what it saw in each watched rep.
        facts: what launches of the program as it is told at their end.
        lost: where the time goes.
        folder: files below it are the workload's own.
        line: bytes of a cache line.
        quota: CPUs that the control group allows; None for no bound.
        cpus: CPUs that the process may run on.
        native: path of the native library, or None.
        shim, heaps: paths of the preloadable mallocs that round, and that let no threads meet, or None.
        static: whether nothing can be preloaded, since the program is linked statically.
        printed: the end of what a launch printed.
        call: seconds of one call by one worker alone.
        faults: page faults per call with all workers.
        kernel_alone: share of its time that one worker alone spends in the kernel.
        slowdown: time of a unit of work beside the others over alone.
    """

    base: Treatment
    workers: int
    interpreter: Mapping[str, Any]
    scout: Mapping[str, Any]
    watched: Sequence[Mapping[str, Any]]
    facts: Mapping[str, Any]
    lost: Lost
    folder: str
    line: int = 64
    quota: float | None = None
    cpus: int = 1
    native: str | None = None
    shim: str | None = None
    heaps: str | None = None
    static: bool = False
    printed: str = ""
    slowdown: float = 1.0
    call: float = 0.0
    faults: float = 0.0
    kernel_alone: float = 0.0

    @property
    def command(self) -> bool:
        """Whether the workload is a command line."""
        return self.base.workload.form == "command"

    @property
    def free_threaded(self) -> bool:
        """Whether threads of the target run at the same time."""
        return bool(self.interpreter.get("free_threaded"))

    @property
    def gil(self) -> bool:
        """Whether the GIL was on."""
        return bool(self.interpreter) and any(state is not False for state in self.facts.get("gil") or [None])

    @property
    def beside(self) -> Sequence[Mapping[str, Any]]:
        """The watched reps of all workers."""
        return [rep for rep in self.watched if rep["workers"] == self.workers]

    @property
    def stopped(self) -> float:
        """The share of the watched time of all workers in which a collection ran."""
        found = [float(rep.get("stopped", 0.0)) for rep in self.beside]
        return sum(found) / len(found) if found else 0.0

    @property
    def started(self) -> float:
        """The share of all looks at the workers on lines that start threads, or wait for those started."""
        looks = sum(self._lines(self.beside).values())
        if not looks or not self.most("starts"):
            return 0.0
        places = {(file, line) for rep in self.beside for file, line, _ in rep.get("starting", [])}
        blocks = {place: enclosing(*place) for place in places}
        lines = self._lines(self.beside)
        found = sum(
            times
            for place, times in lines.items()
            if place in places
            or any(place[0] == file and place[1] in span for (file, _), span in blocks.items())
        )
        return found / looks

    def most(self, key: str) -> int:
        """The greatest of a figure over the watched reps of all workers; 0 if there are none."""
        return max((int(rep[key]) for rep in self.beside), default=0)

    def hot(self, waiting: bool = False) -> tuple[str | None, int | None]:
        """The line of the workload on which workers were seen most, beyond what one worker alone shows.

        Args:
            waiting: prefer lines on which a worker was blocked.
        """
        found = self._lines(self.beside, "S") if waiting else {}
        if sum(found.values()) < 3:
            found = self._lines(self.beside)
            alone = self._lines([rep for rep in self.watched if rep["workers"] == 1])
            scale = sum(found.values()) / max(1, sum(alone.values())) / max(1.0, self.slowdown)
            excess = {place: times - scale * alone.get(place, 0) for place, times in found.items()}
            found = excess if excess and max(excess.values()) > 0 else found
        if not found:
            return None, None
        return max(found, key=lambda place: found[place])

    def place(self) -> tuple[str, int] | None:
        """``hot`` as one value; None where nothing was seen."""
        file, line = self.hot()
        return None if file is None or line is None else (file, line)

    @staticmethod
    def _lines(reps: Sequence[Mapping[str, Any]], state: str = "") -> dict[tuple[str, int], float]:
        found: dict[tuple[str, int], float] = {}
        for rep in reps:
            for _, file, line, letter, times in rep.get("lines", []):
                if state in ("", letter):
                    found[(file, line)] = found.get((file, line), 0) + times
        return found

    def starting(self) -> tuple[str | None, int | None]:
        """The line of the workload that started threads most."""
        counts: dict[tuple[str, int], int] = {}
        for rep in self.beside:
            for file, line, times in rep.get("starting", []):
                counts[(file, line)] = counts.get((file, line), 0) + times
        return max(counts, key=lambda place: counts[place]) if counts else (None, None)


@dataclass(frozen=True)
class Removal:
    """One way of removing a kind of sharing.

    Attributes:
        arm: the trial without it.
        controls: trials that do the same work and leave the sharing; the first is the one that the arm must beat.
        cheap: few launches tell, so it is screened first.
    """

    arm: Trial
    controls: tuple[Trial, ...] = ()

    @property
    def name(self) -> str:
        """The arm's name."""
        return self.arm.arm


@dataclass(frozen=True)
class Given:
    """What a removal gave back.

    Attributes:
        removal: which.
        arm, control: its launches.
        low, share, high: of the loss, against the program as it is; low and high are NaN with too few launches.
        control_share: what the control gave back; NaN without one.
        found: more than chance, and more than the control (see ``stats.attribution``).
    """

    removal: Removal
    arm: tuple[Seen, ...]
    control: tuple[Seen, ...]
    low: float
    share: float
    high: float
    control_low: float
    control_share: float
    control_high: float
    found: bool
    why: str = ""

    @property
    def name(self) -> str:
        """The arm's name."""
        return self.removal.name

    @property
    def net(self) -> float:
        """Share beyond the control's."""
        return self.share - (
            max(0.0, self.control_share) if self.control_share == self.control_share else 0.0
        )


class Cause:
    """One kind of sharing.

    Attributes:
        id: the identifier, as JSON has it.
        title: what it is, in a few words.
        parts: where the lost time can go: of ``user``, ``system``, ``wait``, ``blocked``. A cause that cannot
            reach the part where the time went is rejected.
        rank: more specific causes have a smaller one, and are credited first when arms overlap.
    """

    id: str = "unknown"
    title: str = ""
    parts: tuple[str, ...] = ("user", "system", "wait", "blocked")
    rank: int = 50
    always: bool = False
    """Try it even where the lost time lies elsewhere: other judgements need it."""

    def refusal(self, scene: Scene) -> str:
        """Why it cannot be tried here; empty when it can."""
        return ""

    def nothing(self, scene: Scene) -> str:
        """Why there is nothing to remove, which makes it innocent untried; empty when there is."""
        return ""

    def removals(self, scene: Scene) -> Sequence[Removal]:
        """The ways to remove it."""
        return ()

    def where(self, scene: Scene, given: Given, search: Search) -> Where:
        """Find its place; may launch further trials."""
        return Where()

    def evidence(self, scene: Scene, given: Given, where: Where) -> str:
        """One line: what was done and what it gave back, beside the control."""
        place = f" ({where})" if str(where) else ""
        return f"{self.done(scene, given)}{place} gives back {span(given)} of the loss{beside(given)}"

    def done(self, scene: Scene, given: Given) -> str:
        """What the arm did, as the subject of a sentence."""
        return given.name

    def mend(self, scene: Scene, where: Where) -> Mend:
        """What to do about it."""
        return Mend("")

    def prove(self, scene: Scene, where: Where) -> str:
        """The command that proves the mend."""
        workload = scene.base.workload
        if workload.form == "command":
            return f"knee compare -- '{' '.join(workload.argv)}' './mended {{workers}}'"
        if workload.form == "statement":
            return f"knee compare {workload.statement!r} MENDED --python {_python(scene)}"
        file = _short(workload.file)
        pair = shlex.join([f"{file}:{workload.name}", f"{file}:{twin(workload)}"])
        return f"knee compare {pair} --python {_python(scene)}"

    def command(self, scene: Scene) -> str:
        """``knee compare`` of the workload with itself, for what a variable mends."""
        workload = scene.base.workload
        if workload.form == "command":
            return f"knee compare -- '{' '.join(workload.argv)}'"
        named = (
            shlex.quote(f"{_short(workload.file)}:{workload.name}")
            if workload.form == "callable"
            else repr(workload.statement)
        )
        return f"knee compare {named} --python {_python(scene)}"


def span(given: Given) -> str:
    """The share with its interval, as percentages."""
    if given.low != given.low or given.high - given.low > 4:
        return f"{given.share:.0%}".replace("%", " %")
    return f"{100 * given.low:.0f} to {100 * given.high:.0f} %"


def beside(given: Given) -> str:
    """What the control gave back, as the end of a sentence."""
    if given.control_share != given.control_share:
        return ""
    if given.control_low != given.control_low or given.control_high - given.control_low > 4:
        return f"; the control gives back {100 * given.control_share:.0f} %"
    return f"; the control gives back {100 * given.control_low:.0f} to {100 * given.control_high:.0f} %"


def _short(file: str) -> str:
    import os

    relative = os.path.relpath(file)
    return file if relative.startswith("../..") else relative


def _python(scene: Scene) -> str:
    version = ".".join(str(scene.interpreter.get("version", "3")).split(".")[:2])
    return f"{version}t" if scene.free_threaded else version
