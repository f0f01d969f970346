"""The runs of a store, one line each."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from knee.store.record import StoredRun
from knee.views import units
from knee.views.fitting import Column, Fitting
from knee.views.hanging import Hanging

SCHEMA = 1
"""Version of the ``list`` JSON; fields are only ever added."""

_STYLES = {
    "running": "cyan",
    "finished": "",
    "interrupted": "yellow",
    "unfinished": "yellow",
    "failed": "red",
}


def render(runs: Sequence[StoredRun], path: str, console: Console) -> None:
    """Print a table, the newest run last."""
    if not runs:
        console.print(Hanging(f"No runs in {path}."))
        return
    table = Fitting(
        [
            Column("run"),
            Column("when", "left"),
            Column("verb", "left"),
            Column("workload", "left", wraps=True),
            Column("launches"),
            Column("took"),
            Column("status", "left"),
        ]
    )
    for run in runs:
        when = datetime.datetime.fromtimestamp(run.record.created).strftime("%Y-%m-%d %H:%M")
        took = "" if run.finished is None else units.span(run.finished - run.record.created)
        cells = (run.name, when, run.record.verb, run.record.workload, str(run.launches), took, run.status)
        table.add([" ".join(cell.split()) for cell in cells], _STYLES[run.status])
    console.print(table)
    console.print()
    console.print(Hanging(Text(f"In {path}. knee show RUN shows one.", style="dim")))


def to_json(runs: Sequence[StoredRun]) -> str:
    """All runs, without their results."""
    listed = [
        {
            "run": run.id,
            "verb": run.record.verb,
            "workload": run.record.workload,
            "created": run.record.created,
            "finished": run.finished,
            "status": run.status,
            "launches": run.launches,
            "law": run.record.law,
            "seed": run.record.seed,
            "machine": run.record.machine.get("id"),
            "argv": list(run.record.argv),
        }
        for run in runs
    ]
    return json.dumps({"schema": SCHEMA, "runs": listed}, indent=2, ensure_ascii=False) + "\n"
