"""A report as pyperf JSON: one benchmark for each kind and worker count, one pyperf run for each launch.

Values are seconds per call of the pool as a whole (the time of a rep over the calls of all workers), so that
``pyperf compare_to`` compares throughput. The format: pyperf's documentation, "pyperf JSON format", version 1.0.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from knee.analysis.report import RunReport
from knee.errors import KneeError
from knee.stats.reps import Reps

FORMAT = "1.0"


def render(report: RunReport, reps: Reps) -> str:
    """The run as a pyperf suite.

    Raises:
        KneeError: nothing was measured; pyperf has no empty suites.
    """
    benchmarks = list(_benchmarks(report, reps))
    if not benchmarks:
        raise KneeError(
            f"nothing was measured in run {report.run}", "knee list shows runs that have launches"
        )
    suite = {"version": FORMAT, "metadata": _metadata(report), "benchmarks": benchmarks}
    return json.dumps(suite, indent=2, allow_nan=False) + "\n"


def _metadata(report: RunReport) -> dict[str, Any]:
    found: dict[str, Any] = {"unit": "second", "knee_run": report.run, "knee_law": report.law}
    if report.interpreter is not None:
        found["python_version"] = report.interpreter.label
        found["python_executable"] = report.interpreter.executable
    return found


def _benchmarks(report: RunReport, reps: Reps) -> Iterator[dict[str, Any]]:
    date = datetime.datetime.fromtimestamp(report.created).isoformat(sep=" ")
    for kind in report.kinds:
        mine = reps.select(kind=kind.kind, treatment=0, warmup=None)
        for workers in mine.counts:
            cell = mine.select(workers=workers, warmup=None)
            runs = [_run(cell.where(cell.launch == launch), date) for launch in cell.launches]
            name = f"{report.workload} [{workers} {kind.kind}]"
            yield {"metadata": {"name": name, "knee_kind": kind.kind, "knee_workers": workers}, "runs": runs}


def _run(launch: Reps, date: str) -> dict[str, Any]:
    seconds = launch.time / np.maximum(launch.calls, 1)
    run: dict[str, Any] = {"metadata": {"date": date, "loops": int(launch.calls[0])}}
    if launch.warmup.any():
        # pyperf keeps the loops of each warm-up beside its value.
        warm = launch.warmup
        run["warmups"] = [[int(c), float(s)] for c, s in zip(launch.calls[warm], seconds[warm], strict=True)]
    run["values"] = [float(value) for value in seconds[~launch.warmup]]
    return run
