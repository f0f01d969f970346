"""Reports of searches that every view must be able to render."""

from __future__ import annotations

import math

from knee.analysis.report import Hazard
from knee.analysis.why import CauseReport, Place, WhyReport
from knee.stats.interval import Interval


def cause(name: str, low: float, share: float, high: float, **known: object) -> CauseReport:
    given: dict[str, object] = {
        "where": Place("/w/examples/tallies.py", 24, "Tally", ("tallies.py:25 more",)),
        "evidence": "rounding the objects (Tally) made at tallies.py:24 to 64 bytes gives back 71 to 88 % of the loss; "
        "the control gives back -3 to 4 %",
        "how": "removed",
        "mend": "let each worker make its own",
        "code": "def setup_worker(index, workers):\n    return make()\n",
        "prove": "knee compare tallies.py:operation tallies.py:fixed",
        "arm": "rounded",
        "controls": ({"control": "wrapped only", "share": 0.01}, {"control": "shuffled", "share": 0.4}),
    }
    return CauseReport(name, f"the title of {name}", Interval(low, share, high), **{**given, **known})  # type: ignore[arg-type]


def report(*causes: CauseReport, lost: bool = True, **known: object) -> WhyReport:
    given: dict[str, object] = {
        "run": 3,
        "status": "finished",
        "workload": "tallies.py:operation",
        "interpreter": "CPython 3.13.5t, GIL off",
        "workers": 2,
        "lost": lost,
        "loss": Interval(0.42, 0.46, 0.5) if lost else Interval(-0.01, 0.01, 0.03),
        "slowdown": Interval(1.78, 1.9, 2.02) if lost else Interval(0.99, 1.01, 1.03),
        "ceiling": Interval(1.0, 1.01, 1.02),
        "processes": Interval(0.99, 1.0, 1.02),
        "times": (0.001, 0.0019),
        "causes": causes,
        "innocent": (
            {"arm": "immortal", "title": "counts", "share": Interval(-0.1, 0.0, 0.1), "text": ""},
            {"arm": "gc", "title": "", "share": Interval.exactly(0.0), "text": "no collection ran"},
        ),
        "helped": ({"arm": "worker-made", "title": "counts", "share": Interval(0.5, 0.6, 0.7), "text": ""},),
        "untried": ({"arm": "allocator", "reason": "no other allocator"},),
        "rejected": ({"cause": "lock", "reason": "95% of the lost time is where it cannot put it"},),
        "split": {
            "one": {"user": 0.001, "system": 0.0, "wait": 0.0, "blocked": 0.0},
            "many": {"user": 0.0019, "system": 0.0, "wait": 0.0, "blocked": 0.0},
            "lost": {"user": 1.0, "system": 0.0, "wait": 0.0, "blocked": 0.0},
            "faults": 0.0,
            "switches": 0.0,
        },
        "summary": "false-sharing.objects: objects on one line, at tallies.py:24."
        if causes
        else "Nothing is lost.",
        "verdict": causes[0].cause if causes else "unknown" if lost else "none",
        "launches": 40,
        "elapsed": 25.0,
        "hazards": (Hazard("load", "Other work runs.", "Stop it.", "top", ("before",)),),
        "notes": ("2 launches were made again.",),
        "store": "/w/knee.db",
    }
    return WhyReport(**{**given, **known})  # type: ignore[arg-type]


ALL = {
    "one": report(cause("false-sharing.objects", 0.71, 0.8, 0.88)),
    "two": report(
        cause("refcount", 0.5, 0.6, 0.7), cause("lock", 0.1, 0.3, 0.5, how="observed", arm="", controls=())
    ),
    "apart": report(cause("false-sharing.objects", 0.9, 0.95, 1.0, apart=("refcount",))),
    "unknown": report(),
    "none": report(lost=False),
    "bare": report(
        cause("machine.cores", 1.0, 1.0, 1.0, where=Place(), code="", controls=()),
        processes=None,
        interpreter="",
        innocent=(),
        untried=(),
        rejected=(),
        hazards=(),
        notes=(),
    ),
    "few launches": report(cause("refcount", -math.inf, 0.9, math.inf)),
}
