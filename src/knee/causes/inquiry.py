"""One call of ``knee why``, put together: scene, search, judgement, places, report; all of it in the store."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from knee.analysis import fingerprint
from knee.analysis.hazards import gather
from knee.analysis.run import interpreter_report
from knee.analysis.why import WhyReport
from knee.causes.course import Course, Question
from knee.causes.telling import told
from knee.launch.interpreter import ask
from knee.machine import describe, hazards
from knee.plan.experiment import treatment_to_json
from knee.store.database import Store
from knee.store.record import RunRecord


def inquire(
    question: Question, store: Store, tell: Callable[[str, float], None], argv: Sequence[str] | None = None
) -> WhyReport:
    """Search for the causes of a workload's loss; the report is stored as the run's event ``why``.

    Ctrl-C ends the search; the report then tells what was measured until then.

    Raises:
        KneeError: the interpreter does not answer, or the workload does not run.
    """
    machine = describe().to_json()
    run = _begin(question, store, machine, argv)
    where = hazards.place(workers=question.workers)
    snapshot = hazards.snapshot(where)
    store.hazards(run, "before", [hazard.to_json() for hazard in hazards.before(snapshot, where)])
    status = "failed"
    try:
        course = Course(question, store, run, machine, tell)
        report = told(course, run, *course.run())
        status = report.status
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


def _begin(question: Question, store: Store, machine: Mapping[str, Any], argv: Sequence[str] | None) -> int:
    base = question.base
    given = ask(base.python).to_json() if base.python else None
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
