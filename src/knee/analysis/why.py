"""What is to be said of a search for causes: data that every view renders and no view adds to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from knee.analysis.report import Hazard
from knee.errors import KneeError
from knee.stats.interval import Interval
from knee.store.database import Store

SCHEMA = 1
"""Version of the ``why`` JSON; fields are only ever added."""


@dataclass(frozen=True)
class Place:
    """Where a cause sits; None for what is not known.

    Attributes:
        file, line: of the source.
        name: the object, name, lock or library.
        also: further lines that belong to it, for people.
    """

    file: str | None = None
    line: int | None = None
    name: str | None = None
    also: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The ``where`` of the schema."""
        return {"file": self.file, "line": self.line, "name": self.name, "also": list(self.also)}


@dataclass(frozen=True)
class CauseReport:
    """One cause found.

    Attributes:
        cause: its identifier.
        title: what it is, in a few words.
        share: of the loss that its removal gives back.
        where: its place.
        evidence: one line.
        how: ``removed``: it was taken away and the loss came back; ``observed``: the machine, the interpreter or the
            split of time says so, and nothing could be taken away.
        mend, code: what to do, and a sketch of it.
        prove: the command that proves the mend.
        apart: other causes that it cannot be told apart from.
        arm: the arm that showed it; empty if none did.
        controls: each control with the share that it gives back.
    """

    cause: str
    title: str
    share: Interval
    where: Place
    evidence: str
    how: str
    mend: str
    code: str
    prove: str
    apart: tuple[str, ...] = ()
    arm: str = ""
    controls: tuple[Mapping[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The entry of ``causes``."""
        return {
            "cause": self.cause,
            "title": self.title,
            "share": self.share.to_json(),
            "where": self.where.to_json(),
            "evidence": self.evidence,
            "how": self.how,
            "mend": self.mend,
            "code": self.code,
            "prove": self.prove,
            "apart": list(self.apart),
            "arm": self.arm,
            "controls": [dict(control) for control in self.controls],
        }


@dataclass(frozen=True)
class WhyReport:
    """A search for causes.

    Attributes:
        run: its number in the store.
        status: how it ended.
        workload, interpreter: what was measured, and on what.
        workers: the greater worker count.
        lost: whether there is a loss to take apart.
        loss: the share of the time that would go if the workload scaled as the machine can.
        slowdown: time of a unit of work beside the others over alone; 1 is ideal.
        ceiling: the same of the native kernel that shares nothing; ``processes``: of the workload in processes.
        times: seconds of a unit of work, with one worker and with all.
        causes: largest share first.
        innocent: arm, title, share: what was tried and gave nothing back.
        helped: the same of what gave something back and names no cause by itself, or has a more specific name.
        untried: arm, reason.
        rejected: cause, reason: gave something back, and cannot reach where the time went.
        split: seconds per unit of work by part, with one worker and with all, and the share of the loss in each.
        summary: the answer in one sentence.
        verdict: the first cause's identifier, ``none`` or ``unknown``.
    """

    run: int
    status: str
    workload: str
    interpreter: str
    workers: int
    lost: bool
    loss: Interval
    slowdown: Interval
    ceiling: Interval
    processes: Interval | None
    times: tuple[float, float]
    causes: tuple[CauseReport, ...]
    innocent: tuple[Mapping[str, Any], ...]
    helped: tuple[Mapping[str, Any], ...]
    untried: tuple[Mapping[str, str], ...]
    rejected: tuple[Mapping[str, str], ...]
    split: Mapping[str, Any]
    summary: str
    verdict: str
    launches: int
    elapsed: float
    hazards: tuple[Hazard, ...] = ()
    store: str = ""
    notes: tuple[str, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """The document that ``knee schema why`` describes."""
        return {
            "schema": SCHEMA,
            "run": self.run,
            "status": self.status,
            "workload": self.workload,
            "interpreter": self.interpreter,
            "workers": self.workers,
            "verdict": self.verdict,
            "summary": self.summary,
            "lost": self.lost,
            "loss": self.loss.to_json(),
            "slowdown": self.slowdown.to_json(),
            "ceiling": {
                "kernel": self.ceiling.to_json(),
                "processes": None if self.processes is None else self.processes.to_json(),
                "ideal": 1.0,
            },
            "times": {"one": _number(self.times[0]), "many": _number(self.times[1])},
            "causes": [cause.to_json() for cause in self.causes],
            "innocent": [_plain(entry) for entry in self.innocent],
            "helped": [_plain(entry) for entry in self.helped],
            "untried": [dict(entry) for entry in self.untried],
            "rejected": [dict(entry) for entry in self.rejected],
            "split": dict(self.split),
            "launches": self.launches,
            "elapsed": self.elapsed,
            "hazards": [hazard.to_json() for hazard in self.hazards],
            "notes": list(self.notes),
            "store": self.store,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> WhyReport:
        """Rebuild a report from what ``to_json`` returned, as the store keeps it."""
        fields = {
            name: data[name]
            for name in (
                "run",
                "status",
                "workload",
                "interpreter",
                "workers",
                "lost",
                "split",
                "summary",
                "verdict",
                "launches",
                "elapsed",
                "store",
            )
        }
        return cls(
            **fields,
            loss=_interval(data["loss"]),
            slowdown=_interval(data["slowdown"]),
            ceiling=_interval(data["ceiling"]["kernel"]),
            processes=None
            if data["ceiling"]["processes"] is None
            else _interval(data["ceiling"]["processes"]),
            times=(_float(data["times"]["one"]), _float(data["times"]["many"])),
            causes=tuple(_cause(entry) for entry in data["causes"]),
            innocent=tuple({**entry, "share": _interval(entry["share"])} for entry in data["innocent"]),
            helped=tuple({**entry, "share": _interval(entry["share"])} for entry in data["helped"]),
            untried=tuple(data["untried"]),
            rejected=tuple(data["rejected"]),
            hazards=tuple(
                Hazard(entry["id"], entry["text"], entry["advice"], entry["seen"], tuple(entry["moments"]))
                for entry in data["hazards"]
            ),
            notes=tuple(data["notes"]),
        )


def analyse(store: Store, run: int) -> WhyReport:
    """The report of a stored search, as it was found: a search decides while it measures.

    Raises:
        KneeError: there is no such run, or it ended before there was an answer.
    """
    store.run(run)
    found = [data for _, kind, data in store.events(run) if kind == "why"]
    if not found:
        raise KneeError(f"run {run} ended before it had an answer", "ask again: knee why")
    return WhyReport.from_json(found[-1])


def _plain(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {**entry, "share": entry["share"].to_json()}


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _float(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _interval(data: Mapping[str, float | None]) -> Interval:
    low, estimate, high = data["low"], data["estimate"], data["high"]
    return Interval(-math.inf if low is None else low, _float(estimate), math.inf if high is None else high)


def _cause(entry: Mapping[str, Any]) -> CauseReport:
    where = entry["where"]
    return CauseReport(
        **{
            **{name: value for name, value in entry.items() if name not in ("share", "where", "apart")},
            "share": _interval(entry["share"]),
            "where": Place(where["file"], where["line"], where["name"], tuple(where["also"])),
            "apart": tuple(entry["apart"]),
            "controls": tuple(entry["controls"]),
        }
    )
