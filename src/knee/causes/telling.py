"""A search put into words: places are found, controls completed, and the report made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, median
from typing import Any

from knee.analysis.why import CauseReport, Place, WhyReport
from knee.causes.cause import Given, Removal, Scene
from knee.causes.course import Course
from knee.causes.judge import Credit, Judgement
from knee.causes.search import LEAST, Search
from knee.causes.seen import PARTS
from knee.causes.trial import Trial
from knee.stats.interval import Interval, of_mean

KINDS = ("processes", "subinterpreters")
"""Arms that are kinds of worker: the report shows them as ceilings."""

_LONG_CALL = 1.0
"""Seconds of a call from which on the report asks for a shorter one."""

_SLOW = 1.25
"""How much longer the control kernel takes alone than at its fastest on a core that something outside slows down."""


def told(course: Course, run: int, scene: Scene, judgement: Judgement) -> WhyReport:
    """Make the report of a search; localising may launch further trials."""
    search, untried = course.search, course.untried
    attribution, given = search.attribution()
    found = [_cause(search, scene, credit) for credit in judgement.credits]
    base = search.base
    small = settled(attribution.loss, bool(slowed(course.bench.speeds)))
    unsettled = not attribution.lost and not small
    verdict = found[0].cause if found else "unknown" if attribution.lost or unsettled else "none"
    titles = {tried.removal.name: tried.cause.title for tried in search.tried.values()}
    tried = search.tried.values()
    reasons = list(untried.refused)
    reasons += [(one.removal.name, one.why) for one in tried if one.why]
    ended = "the search was interrupted" if search.stopped else "the budget was spent"
    reasons += [(one.removal.name, ended) for one in tried if not one.arm and not one.why]
    processes = next((one for one in given if one.name == "processes"), None)
    kernel = of_mean([math.exp(-value) for value in search.kernel]) or Interval.exactly(1.0)
    slowdown = of_mean([seen.slowdown for seen in base]) or Interval.exactly(math.nan)
    return WhyReport(
        run=run,
        status="interrupted" if search.stopped else "finished",
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
                for name, why in untried.idle
            ),
        ),
        helped=tuple(
            {"arm": one.name, "title": titles[one.name], "share": _interval(one), "text": ""}
            for one in judgement.helped
            if one.name not in KINDS
        ),
        untried=tuple({"arm": name, "reason": reason} for name, reason in reasons),
        rejected=(
            *({"cause": name, "reason": reason} for name, reason in judgement.rejected),
            *(
                {"cause": name, "reason": f"{1 - reached:.0%} of the lost time is where it cannot put it"}
                for name, reached in untried.unreached
            ),
        ),
        split=_split(scene, base),
        summary=_summary(scene, found, attribution.lost, small, attribution.loss),
        verdict=verdict,
        launches=course.bench.launches,
        elapsed=search.elapsed,
        notes=_notes(course),
    )


def _cause(search: Search, scene: Scene, credit: Credit) -> CauseReport:
    cause, given = credit.cause, credit.given
    where = cause.where(scene, given or _nothing(), search)
    evidence = credit.text or (cause.evidence(scene, given, where) if given is not None else "")
    mend = cause.mend(scene, where)
    controls: list[dict[str, Any]] = []
    tried = search.tried.get("" if given is None else given.name)
    if tried is not None:
        search.controls(tried)
        controls = [
            {"control": name, "share": search.given_back(launches)}
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


def _notes(course: Course) -> tuple[str, ...]:
    search = course.search
    notes = []
    call = search.base[0].one.time if search.base else 0.0
    if call > _LONG_CALL:
        notes.append(f"A call takes {call:.1f} s: a shorter operation would leave time for more launches.")
    if search.disturbed:
        notes.append(
            f"{search.disturbed} of {course.bench.launches} launches were made again: something else had "
            "the CPUs."
        )
    if search.drifts:
        notes.append("The machine changed meanwhile: each arm is held against the launches around it.")
    slow = slowed(course.bench.speeds)
    if slow:
        notes.append(slow)
    return tuple(notes)


def slowed(speeds: Sequence[float]) -> str:
    """What to say of launches on cores that were slower than they can be; empty where they were few.

    Args:
        speeds: seconds that an iteration of the control kernel alone took, for each launch.
    """
    slow = [each for each in speeds if each > _SLOW * min(speeds)]
    if 3 * len(slow) < len(speeds) or not slow:
        return ""
    return (
        f"In {len(slow)} of {len(speeds)} launches a core ran at {min(speeds) / median(slow):.0%} of the best speed "
        "seen here: another guest shares it, or it is throttled. What workers lose to each other looks smaller then; "
        "measure again at another time."
    )


def settled(loss: Interval, slow: bool) -> bool:
    """Whether a loss that is not established is known to be small.

    Args:
        slow: many launches ran on cores slower than they can be, where losses look smaller.
    """
    if slow:
        return loss.estimate <= LEAST / 2 and loss.high < 2 * LEAST
    return loss.estimate <= LEAST and loss.high < 3 * LEAST


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


def _summary(scene: Scene, found: Sequence[CauseReport], lost: bool, small: bool, loss: Interval) -> str:
    if not found:
        if not lost and not small:
            return (
                f"Cannot tell: {scene.workers} workers lose something between nothing and {min(1.0, loss.high):.0%} "
                "of their time. Ask on a calmer machine, or with a greater --budget."
            )
        if not lost:
            return (
                f"Nothing worth naming is lost: {scene.workers} workers keep up with what the machine can do."
            )
        return f"{loss.estimate:.0%} of the time is lost, and nothing that was removed gives it back."
    first = found[0]
    place = f" ({first.where.name})" if first.where.name else ""
    line = f", at {first.where.file.rsplit('/', 1)[-1]}:{first.where.line}" if first.where.file else ""
    return f"{first.cause}: {first.title}{place}{line}."
