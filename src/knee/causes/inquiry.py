"""One call of ``knee why``, put together: scene, search, judgement, places, report; all of it in the store."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import knee.native
from knee.analysis import fingerprint
from knee.analysis.hazards import gather
from knee.analysis.run import interpreter_report
from knee.analysis.why import CauseReport, Place, WhyReport
from knee.causes.bench import Bench, Setting
from knee.causes.cause import Cause, Given, Removal, Scene
from knee.causes.judge import WORTH, Case, Credit, Judgement, judge
from knee.causes.registry import causes
from knee.causes.search import LEAST, MOST, Search
from knee.causes.seen import PARTS, Lost, lost
from knee.causes.trial import ARMS, BASE, Trial, together
from knee.errors import KneeError
from knee.launch import host
from knee.launch.command import CommandHost
from knee.launch.interpreter import ask
from knee.machine import describe, hazards
from knee.plan.cell import Law
from knee.plan.experiment import treatment_to_json
from knee.plan.treatment import Treatment
from knee.stats.interval import Interval, of_mean
from knee.store.database import Store
from knee.store.record import RunRecord

UNREACHED = 0.1
"""A cause is not tried where less than this share of the lost time lies in parts that it can reach."""


KINDS = ("processes", "subinterpreters")
"""Arms that are kinds of worker: the report shows them as ceilings."""

_FIRST = 3
"""Launches of the program as it is before anything is decided."""

_LONG_CALL = 1.0
"""Seconds of a call from which on the report asks for a shorter one."""


@dataclass(frozen=True)
class Question:
    """What the command line asks."""

    base: Treatment
    workers: int
    law: Law
    seed: int
    budget: float = 60.0
    min_time: float = 0.02
    timeout: float = 30.0
    native: bool = True


def inquire(
    question: Question, store: Store, tell: Callable[[str, float], None], argv: Sequence[str] | None = None
) -> WhyReport:
    """Search for the causes of a workload's loss; the report is stored as the run's event ``why``.

    Raises:
        KneeError: the interpreter does not answer, or the workload does not run.
    """
    run = _begin(question, store, argv)
    where = hazards.place(workers=question.workers)
    snapshot = hazards.snapshot(where)
    store.hazards(run, "before", [hazard.to_json() for hazard in hazards.before(snapshot, where)])
    status = "failed"
    try:
        report = _Inquiry(question, store, run, tell).report()
        status = "finished"
    except KeyboardInterrupt:
        status = "interrupted"
        raise
    finally:
        store.hazards(run, "after", [hazard.to_json() for hazard in hazards.after(snapshot, where)])
        store.finish(run, status)  # type: ignore[arg-type]
    stored = store.run(run)
    launches = store.launches(run)
    interpreter = interpreter_report(stored, launches)
    report = replace(
        report,
        interpreter="" if interpreter is None else _named(interpreter.label, interpreter.gil),
        hazards=gather(store, run, interpreter, launches),
        store=str(store.path),
    )
    store.event(run, "why", report.to_json())
    return report


def _named(label: str, gil: bool | None) -> str:
    return f"CPython {label}" + ("" if gil is None else ", GIL on" if gil else ", GIL off")


def _begin(question: Question, store: Store, argv: Sequence[str] | None) -> int:
    base = question.base
    given = ask(base.python).to_json() if base.python else None
    machine = describe().to_json()
    plan = {
        "verb": "why",
        "workers": [1, question.workers],
        "law": question.law,
        "seed": question.seed,
        "budget": question.budget,
        "min_time": question.min_time,
        "kinds": ["command" if base.workload.form == "command" else "threads"],
    }
    return store.begin(
        RunRecord(
            verb="why",
            created=time.time(),
            law=question.law,
            seed=question.seed,
            workload=base.workload.label,
            treatments=({**treatment_to_json(base), "interpreter": given},),
            plan=plan,
            fingerprint=fingerprint.take([base], [given], [base.packages], machine),
            machine=machine,
            argv=tuple(sys.argv if argv is None else argv),
        )
    )


class _Inquiry:
    """The steps of one search, in order."""

    def __init__(
        self, question: Question, store: Store, run: int, tell: Callable[[str, float], None]
    ) -> None:
        self._question = question
        self._run = run
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
        if self._command:
            setting = replace(setting, reps=2)
        self._cpus = sorted(hazards.place().cpus)
        self.bench = Bench(setting, store, run, self._start)
        self.search = Search(self.bench, question.budget, tell)
        self._causes = causes()
        self._refused: list[tuple[str, str]] = []
        self._idle: list[tuple[str, str]] = []
        self._unreached: list[tuple[str, float]] = []

    def _start(self, treatment: Treatment, trial: Trial) -> host.Host:
        cpus = self._cpus if trial.pin else []
        if self._command:
            return CommandHost([treatment], timeout=self._question.timeout, cpus=cpus)
        return host.AgentHost([treatment], native=self._native, timeout=self._question.timeout, cpus=cpus)

    def report(self) -> WhyReport:
        """Search, judge, find the places, and put it into words."""
        search = self.search
        if self._command:
            search.as_it_is = replace(BASE, kind="command")
        search.more_base(2)
        if not search.base:
            raise _failed(self.bench)
        scene = self._scene()
        while self._undecided() and len(search.base) < MOST and search.left(0.5):
            search.more_base()
        if self._worth():
            scene = self._look(scene)
            pairs = self._pairs(scene)
            search.screen(pairs)
            search.confirm()
        scene = self._renewed(scene)
        judgement = self._judge(scene)
        self._overlaps(judgement)
        return self._told(scene, judgement)

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
        return Scene(
            base=self._question.base,
            workers=self._question.workers,
            interpreter=facts.get("interpreter", {}) if not self._command else {},
            scout={},
            watched=(),
            facts=facts,
            lost=Lost(0.0, {}),
            folder=folder,
            line=64,
            quota=quota,
            cpus=len(self._cpus),
            native=self._native,
            shim=knee.native.shim_path(),
            heaps=knee.native.shim_path("kneeheaps"),
        )

    def _look(self, scene: Scene) -> Scene:
        """Let the scout look; a workload that it cannot look at is searched all the same."""
        if self._command:
            return self._renewed(scene)
        options = {"folder": scene.folder, "file": scene.base.workload.file, "line": scene.line}
        trial = Trial("scout", file=ARMS / "scout.py", options=options)
        try:
            told, watched = self.bench.scout(trial)
        except host.Lost as lost:
            self._refused.append(("scout", f"looking at the workload failed: {lost.text}"))
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
                self._refused.append((cause.id, refusal))
                continue
            nothing = cause.nothing(scene)
            if nothing:
                self._idle.append((cause.id, nothing))
                continue
            removals = cause.removals(scene)
            reached = scene.lost.share(*cause.parts)
            if removals and reached < UNREACHED and not cause.always:
                self._unreached.append((cause.id, reached))
                continue
            pairs += [(cause, removal) for removal in removals]
        if scene.gil:
            # Threads take turns: what they share costs nothing until the GIL is off.
            kept = ("gil", "kernel", "oversubscription", "thread-churn")
            dropped = dict.fromkeys(cause.id for cause, _ in pairs if cause.id not in kept)
            why = "under the GIL threads take turns: what they share shows once it is off"
            self._refused += [(name, why) for name in dropped]
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

    def _told(self, scene: Scene, judgement: Judgement) -> WhyReport:
        attribution, given = self.search.attribution()
        found = [self._cause(scene, credit) for credit in judgement.credits]
        base = self.search.base
        verdict = found[0].cause if found else "unknown" if attribution.lost else "none"
        titles = {tried.removal.name: tried.cause.title for tried in self.search.tried.values()}
        tried = self.search.tried.values()
        untried = [(name, reason) for name, reason in self._refused]
        untried += [(one.removal.name, one.why) for one in tried if one.why]
        untried += [
            (one.removal.name, "the budget was spent") for one in tried if not one.arm and not one.why
        ]
        processes = next((one for one in given if one.name == "processes"), None)
        kernel = of_mean([math.exp(-value) for value in self.search.kernel]) or Interval.exactly(1.0)
        slowdown = of_mean([seen.slowdown for seen in base]) or Interval.exactly(math.nan)
        return WhyReport(
            run=self._run,
            status="finished",
            workload=scene.base.workload.label,
            interpreter="",
            workers=scene.workers,
            lost=attribution.lost,
            loss=attribution.loss,
            slowdown=slowdown,
            ceiling=kernel,
            processes=None if processes is None else of_mean([seen.slowdown for seen in processes.arm]),
            times=(fmean(s.one.time for s in base), fmean(s.many.time for s in base)),
            causes=tuple(found),
            innocent=(
                *(
                    {"arm": one.name, "title": titles[one.name], "share": _interval(one), "text": ""}
                    for one in judgement.innocent
                    if one.name not in KINDS
                ),
                *(
                    {"arm": name, "title": "", "share": Interval.exactly(0.0), "text": why}
                    for name, why in self._idle
                ),
            ),
            helped=tuple(
                {"arm": one.name, "title": titles[one.name], "share": _interval(one), "text": ""}
                for one in judgement.helped
                if one.name not in KINDS
            ),
            untried=tuple({"arm": name, "reason": reason} for name, reason in untried),
            rejected=(
                *({"cause": name, "reason": reason} for name, reason in judgement.rejected),
                *(
                    {"cause": name, "reason": f"{1 - reached:.0%} of the lost time is where it cannot put it"}
                    for name, reached in self._unreached
                ),
            ),
            split=_split(scene, base),
            summary=_summary(scene, found, attribution.lost, attribution.loss),
            verdict=verdict,
            launches=self.bench.launches,
            elapsed=self.search.elapsed,
            notes=self._notes(),
        )

    def _cause(self, scene: Scene, credit: Credit) -> CauseReport:
        cause, given = credit.cause, credit.given
        where = cause.where(scene, given or _nothing(), self.search)
        evidence = credit.text or (cause.evidence(scene, given, where) if given is not None else "")
        mend = cause.mend(scene, where)
        controls: list[dict[str, Any]] = []
        tried = self.search.tried.get("" if given is None else given.name)
        if tried is not None:
            self.search.controls(tried)
            controls = [
                {"control": name, "share": self.search.given_back(launches)}
                for name, launches in tried.controls.items()
                if launches
            ]
        return CauseReport(
            cause=cause.id,
            title=cause.title,
            share=credit.share,
            where=Place(where.file, where.line, where.name, where.also),
            evidence=evidence,
            how="observed" if given is None or credit.text else "removed",
            mend=mend.text,
            code=mend.code,
            prove=cause.prove(scene, where),
            apart=credit.apart,
            arm="" if given is None else given.name,
            controls=tuple(controls),
        )

    def _notes(self) -> tuple[str, ...]:
        notes = []
        call = self.search.base[0].one.time if self.search.base else 0.0
        if call > _LONG_CALL:
            notes.append(
                f"A call takes {call:.1f} s: a shorter operation would leave time for more launches."
            )
        if self.search.disturbed:
            notes.append(
                f"{self.search.disturbed} of {self.bench.launches} launches were made again: something else had "
                "the CPUs."
            )
        return tuple(notes)


def _interval(given: Given) -> Interval:
    if math.isnan(given.low):
        return Interval(-math.inf, given.share, math.inf)
    return Interval(given.low, given.share, given.high)


def _nothing() -> Given:
    nan = math.nan
    return Given(Removal(Trial("")), (), (), nan, nan, nan, nan, nan, nan, False)


def _split(scene: Scene, base: Sequence[Any]) -> dict[str, Any]:
    return {
        "one": {part: fmean(seen.one.part(part) for seen in base) for part in PARTS},
        "many": {part: fmean(seen.many.part(part) for seen in base) for part in PARTS},
        "lost": {part: scene.lost.share(part) for part in PARTS},
        "faults": scene.faults,
        "switches": fmean(seen.many.switches for seen in base),
    }


def _summary(scene: Scene, found: Sequence[CauseReport], lost: bool, loss: Interval) -> str:
    if not found:
        if not lost:
            return (
                f"Nothing worth naming is lost: {scene.workers} workers keep up with what the machine can do."
            )
        return f"{loss.estimate:.0%} of the time is lost, and nothing that was removed gives it back."
    first = found[0]
    place = f" ({first.where.name})" if first.where.name else ""
    line = f", at {first.where.file.rsplit('/', 1)[-1]}:{first.where.line}" if first.where.file else ""
    return f"{first.cause}: {first.title}{place}{line}."


def _failed(bench: Bench) -> KneeError:
    trial, lost = bench.losses[-1]
    del trial
    advice = lost.traceback.strip().splitlines()[-1] if lost.traceback.strip() else "run it once by hand"
    return KneeError(
        f"the workload does not run: {lost.text}", advice, exit_code=1 if lost.kind != "raised" else 2
    )
