"""The steps of one search, in order: the loss, a look, screening and confirming, judgement, what overlaps."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import knee.native
from knee.causes.bench import KERNEL_TIME, Bench, Setting, Sink
from knee.causes.cause import Cause, Removal, Scene
from knee.causes.judge import WORTH, Case, Credit, Judgement, judge
from knee.causes.registry import causes
from knee.causes.search import BUSY, LEAST, MOST, Search
from knee.causes.seen import Lost, lost
from knee.causes.trial import ARMS, BASE, Trial, together
from knee.errors import KneeError
from knee.launch import host
from knee.launch.command import CommandHost
from knee.machine import hazards
from knee.native.elf import static
from knee.plan.cell import Law
from knee.plan.treatment import Treatment
from knee.stats.interval import Interval

UNREACHED = 0.1
"""A cause is not tried where less than this share of the lost time lies in parts that it can reach."""

_PATIENCE = 0.25
"""Share of the budget that a search waits for others to leave the CPUs, before it takes the machine as it is."""

_BETTER = 0.4
"""Processes that give back less of the loss than this, for certain, fare no better."""

_OUTSIDE = ("machine.cores", "oversubscription", "kernel")
"""Causes that processes do not take away."""

_TRIES = 4
"""Tries of the kernel beside a command until it is not disturbed."""

_FIRST = 3
"""Launches of the program as it is before anything is decided."""


@dataclass(frozen=True)
class Question:
    """What the command line asks.

    Attributes:
        base: the program as it is.
        workers: the greater worker count.
        law: ``scaled`` or ``fixed``.
        seed: every order is drawn from it.
        budget: seconds for the whole search.
        min_time: seconds that a rep of one worker lasts at least.
        timeout: seconds that a rep may last.
        native: whether the native library may be used.
    """

    base: Treatment
    workers: int
    law: Law
    seed: int
    budget: float = 60.0
    min_time: float = 0.02
    timeout: float = 30.0
    native: bool = True


@dataclass
class Untried:
    """What was not tried, and why.

    Attributes:
        refused: cannot be tried here.
        idle: there is nothing to remove.
        unreached: the share of the lost time that the cause can reach, which is too little.
    """

    refused: list[tuple[str, str]] = field(default_factory=list)
    idle: list[tuple[str, str]] = field(default_factory=list)
    unreached: list[tuple[str, float]] = field(default_factory=list)


class Course:
    """One search from its first launch to its judgement.

    Args:
        question: what is asked.
        store: where everything goes.
        run: the run's number there.
        machine: as ``knee machine --json`` gives it.
        tell: told of progress.
    """

    def __init__(
        self,
        question: Question,
        store: Sink,
        run: int,
        machine: Mapping[str, Any],
        tell: Callable[[str, float], None],
    ) -> None:
        self._question = question
        self._machine = machine
        self._native = knee.native.library_path() if question.native else None
        setting = Setting(
            question.base,
            question.workers,
            question.law,
            question.seed,
            min_time=question.min_time,
            native=question.native,
        )
        self._command = question.base.workload.form == "command"
        self._cpus = sorted(hazards.place().cpus)
        self.bench = Bench(setting, store, run, self._start, self._ceiling)
        self.search = Search(self.bench, question.budget, tell)
        self._causes = causes()
        self.untried = Untried()
        self._outside = False

    def _start(self, treatment: Treatment, trial: Trial) -> host.Host:
        cpus = self._cpus if trial.pin else []
        if self._command:
            return CommandHost([treatment], timeout=self._question.timeout, cpus=cpus)
        return host.AgentHost([treatment], native=self._native, timeout=self._question.timeout, cpus=cpus)

    def _ceiling(self) -> float:
        """Log efficiency of native threads that share nothing, in this process; the best of a few tries."""
        if self._native is None:
            return math.nan
        probes = knee.native.load(self._native).probes
        best = -math.inf
        for _ in range(_TRIES):
            try:
                alone = max(probes.ceiling(1, duration=KERNEL_TIME))
                beside = probes.ceiling(self._question.workers, duration=KERNEL_TIME)
            except OSError:
                return math.nan
            best = max(best, min(0.0, math.log(min(beside) / alone)))
            if best > -BUSY / 2:
                break
        return best

    def run(self) -> tuple[Scene, Judgement]:
        """Search and judge.

        Raises:
            KneeError: the workload does not run.
            KeyboardInterrupt: before anything was measured; later it ends the search, which is judged by what there is.
        """
        search = self.search
        if self._command:
            search.as_it_is = replace(BASE, kind="command")
        place = hazards.place()
        short = place.limits.quota is not None or len(self._cpus) < self._question.workers
        search.settle(0.0 if short else _PATIENCE)
        if not search.base:
            raise KeyboardInterrupt if search.stopped else _failed(self.bench)
        scene = self._scene()
        while self._undecided() and len(search.base) < MOST and search.left(0.5):
            search.more_base()
        if self._worth():
            scene = self._look(scene)
            self._search(scene)
        scene = self._renewed(scene)
        judgement = self._judge(scene)
        self._overlaps(judgement)
        return scene, judgement

    def _search(self, scene: Scene) -> None:
        """Processes first: where they fare no better, nothing that a process has one of can be to blame.

        Not where workers have threads of their own: pools that spin against each other's may take seconds for a rep.
        """
        pairs = self._pairs(scene)
        first = [pair for pair in pairs if pair[1].name == "processes" and not self.bench.own]
        if self.bench.own:
            pairs.sort(key=lambda pair: pair[0].rank)
        self.search.screen(first)
        calm = not self.search.noisy and not self.search.restless
        if first and calm and not scene.gil and self.search.settled(first[0][1].name, below=_BETTER):
            self._outside = True
            why = "processes, which do not share it, lose as much"
            dropped = dict.fromkeys(cause.id for cause, _ in pairs if cause.id not in _OUTSIDE)
            self.untried.idle += [(name, why) for name in dropped]
            pairs = [pair for pair in pairs if pair[0].id in _OUTSIDE]
        self.search.screen([pair for pair in pairs if pair not in first])
        self.search.confirm()

    def _overlaps(self, judgement: Judgement) -> None:
        """Tell overlapping removals apart by their combination: what it gives back beyond the first is the second's."""
        for cause, given in judgement.overlaps:
            first = next((credit for credit in judgement.credits if credit.given is not None), None)
            if (
                first is None
                or first.given is None
                or first.cause.id == cause.id
                or not self.search.left(0.1)
            ):
                continue
            both = together(first.given.removal.arm, given.removal.arm)
            if both is None:
                continue
            extra = self.search.share(both, launches=3) - first.given.share
            place = next(
                (i for i, credit in enumerate(judgement.credits) if credit.cause.id == cause.id), None
            )
            if extra >= WORTH:
                share = Interval(0.0, min(extra, 1.0), 1.0)
                if place is None:
                    judgement.credits.append(Credit(cause, given, share))
                else:
                    judgement.credits[place] = replace(judgement.credits[place], share=share)
            elif extra == extra:
                if place is not None:
                    del judgement.credits[place]
                index = judgement.credits.index(first)
                judgement.credits[index] = replace(first, apart=(*first.apart, cause.id))

    def _worth(self) -> bool:
        """Whether there may be a loss to take apart."""
        loss = self.search.attribution()[0].loss
        return loss.estimate > LEAST or (loss.estimate > LEAST / 2 and loss.high > 2 * LEAST)

    def _undecided(self) -> bool:
        """Whether more launches of the program as it is could tell if there is a loss."""
        loss = self.search.attribution()[0].loss
        if len(self.search.base) < _FIRST:
            return True
        return loss.low < LEAST and loss.high > LEAST and loss.high - loss.low > LEAST / 2

    def _scene(self) -> Scene:
        facts = self.search.base[-1].facts
        workload = self._question.base.workload
        place = hazards.place()
        quota = place.limits.quota
        folder = str(Path(workload.file).parent) if workload.form == "callable" else "<"
        linked = static(workload.argv[0] if self._command else self._question.base.python)
        return Scene(
            base=self._question.base,
            workers=self._question.workers,
            interpreter=facts.get("interpreter", {}) if not self._command else {},
            scout={},
            watched=(),
            facts=facts,
            lost=Lost(0.0, {}),
            folder=folder,
            line=int((self._machine.get("line") or {}).get("stated") or 64),
            quota=quota,
            cpus=len(self._cpus),
            native=self._native,
            shim=None if linked else knee.native.shim_path(),
            heaps=None if linked else knee.native.shim_path("kneeheaps"),
            static=linked,
        )

    def _look(self, scene: Scene) -> Scene:
        """Let the scout look; a workload that it cannot look at is searched all the same."""
        if self._command:
            return self._renewed(scene)
        options = {"folder": scene.folder, "file": scene.base.workload.file, "line": scene.line}
        trial = Trial("scout", file=ARMS / "scout.py", options=options)
        try:
            told, watched = self.bench.scout(trial)
        except KeyboardInterrupt:
            self.search.stopped = True
            return self._renewed(scene)
        except host.Lost as lost:
            self.untried.refused.append(("scout", f"looking at the workload failed: {lost.text}"))
            return self._renewed(scene)
        return self._renewed(replace(scene, scout=told, watched=watched))

    def _renewed(self, scene: Scene) -> Scene:
        base = self.search.base
        return replace(
            scene,
            lost=lost(base),
            facts={**base[-1].facts, "gil": [state for seen in base for state in seen.facts.get("gil", [])]},
            slowdown=fmean(seen.slowdown for seen in base),
            call=fmean(seen.one.time for seen in base),
            faults=fmean(seen.many.faults for seen in base),
            kernel_alone=fmean(seen.one.system / seen.one.time for seen in base),
        )

    def _pairs(self, scene: Scene) -> list[tuple[Cause, Removal]]:
        """What can be tried, and notes why the rest cannot."""
        pairs = []
        for cause in self._causes:
            refusal = cause.refusal(scene)
            if refusal:
                self.untried.refused.append((cause.id, refusal))
                continue
            nothing = cause.nothing(scene)
            if nothing:
                self.untried.idle.append((cause.id, nothing))
                continue
            removals = cause.removals(scene)
            reached = scene.lost.share(*cause.parts)
            if removals and reached < UNREACHED and not cause.always:
                self.untried.unreached.append((cause.id, reached))
                continue
            pairs += [(cause, removal) for removal in removals]
        if scene.gil:
            # Threads take turns: what they share costs nothing until the GIL is off.
            kept = ("gil", "kernel", "oversubscription", "thread-churn")
            dropped = dict.fromkeys(cause.id for cause, _ in pairs if cause.id not in kept)
            why = "under the GIL threads take turns: what they share shows once it is off"
            self.untried.refused += [(name, why) for name in dropped]
            pairs = [pair for pair in pairs if pair[0].id in kept]
        return pairs

    def _judge(self, scene: Scene) -> Judgement:
        attribution, given = self.search.attribution()
        owners = {tried.removal.name: tried.cause for tried in self.search.tried.values()}
        processes = next((one.share for one in given if one.name == "processes"), math.nan)
        return judge(
            Case(
                scene=scene,
                attribution=attribution,
                given=[(owners[one.name], one) for one in given],
                kernel=self.search.kernel,
                base=scene.slowdown,
                processes=processes,
                stream=self._stream(scene, attribution.lost),
                causes={cause.id: cause for cause in self._causes},
                outside=self._outside,
            )
        )

    def _stream(self, scene: Scene, wanted: bool) -> float | None:
        """Efficiency of native streaming code with all workers, over one."""
        if not wanted or self._native is None or scene.lost.share("user") < 0.5:
            return None
        probes = knee.native.load(self._native).probes
        try:
            alone = probes.bandwidth(1, 96 << 20, duration=0.15)
            beside = probes.bandwidth(scene.workers, 96 << 20, duration=0.15)
        except OSError:
            return None
        return sum(beside) / (scene.workers * alone[0])


def _failed(bench: Bench) -> KneeError:
    _, lost = bench.losses[-1]
    advice = "knee run shows where it was raised" if lost.traceback.strip() else "run it once by hand"
    return KneeError(f"the workload does not run: {lost.text}", advice, exit_code=1)
