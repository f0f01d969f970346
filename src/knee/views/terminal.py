"""A report as tables and sentences for a terminal."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import compress

from rich.console import Console, Group, RenderableType
from rich.text import Text

from knee.analysis.compare import CompareReport
from knee.analysis.report import LAWS, Hazard, KindReport, RunReport
from knee.launch.sample import Loss
from knee.stats.ladder import MODES, SUSPECT
from knee.views import cells
from knee.views.fitting import Column, Fitting
from knee.views.hanging import Hanging

_LEGEND = "± is half of the 95 % interval over launches. Gain: speedup for each worker added. Ceiling: "
_CEILING = "the speedup of native code that shares nothing, beside it."
_NO_CEILING = "not measured, for want of native code beside it."
_NO_CEILING_OF_A_COMMAND = "not measured, a command is timed as a whole process."
_ALARMING = {SUSPECT, MODES}


def render(report: RunReport, console: Console) -> None:
    """Print a run."""
    console.print(Group(*_parts(report)))


def text(report: RunReport, width: int = 140) -> str:
    """A run as plain text."""
    console = Console(file=io.StringIO(), width=width, highlight=False)
    render(report, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def _parts(report: RunReport) -> Iterator[RenderableType]:
    yield from heading(report)
    for kind in report.kinds:
        yield Text()
        yield ladder(kind)
    if any(kind.ladder is not None for kind in report.kinds):
        yield Text()
        yield Hanging(Text(_LEGEND + _ceiling(report), style="dim"), more=0)
        if report.variance is not None:
            spread = f"{report.variance.within:.1%} within a launch, {report.variance.between:.1%} between launches"
            yield Hanging(Text(f"Spread of a rep's time: {spread}.", style="dim"))
        if report.hazards:
            yield Text()
            yield hazards(report.hazards)
    if report.losses:
        yield Text()
        yield losses(report.losses)
    yield Text()
    yield from footing(report)


def _ceiling(report: RunReport) -> str:
    """What the ceiling is, or why there is none."""
    if any(_has_ceiling(kind) for kind in report.kinds):
        return _CEILING
    return _NO_CEILING_OF_A_COMMAND if report.kinds[0].kind == "command" else _NO_CEILING


def _has_ceiling(kind: KindReport) -> bool:
    return kind.ladder is not None and any(row.ceiling is not None for row in kind.ladder.rows)


def heading(report: RunReport) -> Iterator[RenderableType]:
    """What was measured, by what, under which law."""
    yield Hanging(Text(report.workload, style="bold"))
    if report.interpreter is not None:
        alarming = report.interpreter.free_threaded and report.interpreter.gil
        yield Hanging(Text(f"{cells.interpreter(report.interpreter)}.", style="yellow" if alarming else ""))
    yield Hanging(f"{cells.capital(LAWS[report.law])}.")


def ladder(kind: KindReport) -> RenderableType:
    """The table of one kind of worker, with its knee and notes."""
    if kind.ladder is None:
        how = "no result" if kind.available else "not available"
        return Hanging(Text.assemble((kind.kind, "bold"), f": {how}: {kind.reason}"))
    shown = [True] * (len(cells.NAMES) - 2) + [_has_ceiling(kind), any(row.flags for row in kind.ladder.rows)]
    columns = [Column(name, "left" if name == "flags" else "right") for name in cells.NAMES]
    table = Fitting([*compress(columns, shown)])
    for row in kind.ladder.rows:
        table.add([*compress(cells.row(row, kind), shown)], "yellow" if set(row.flags) & _ALARMING else "")
    parts: list[RenderableType] = [Text(kind.kind, style="bold cyan"), table, Text()]
    parts += [Hanging(note) for note in cells.notes(kind)]
    if split := cells.split(kind):
        parts.append(Hanging(split))
    if kind.phases:
        parts += [Text(), phases(kind)]
    return Group(*parts)


def phases(kind: KindReport) -> RenderableType:
    """The table of the phases that the workload declares."""
    head, *lines = cells.phases(kind)
    table = Fitting([Column(name, "right" if number else "left") for number, name in enumerate(head)])
    for line in lines:
        table.add(line)
    return table


def hazards(found: Sequence[Hazard]) -> RenderableType:
    """Each kind of hazard with what was last seen of it at each moment, and its advice."""
    lines: list[RenderableType] = [Text("Hazards", style="bold")]
    for id in dict.fromkeys(hazard.id for hazard in found):
        last = {hazard.moments: hazard for hazard in found if hazard.id == id}.values()
        lines += [Hanging(Text.assemble((id, "yellow"), f": {hazard.text}"), 2) for hazard in last]
        advice = dict.fromkeys(hazard.advice for hazard in last if hazard.advice)
        lines += [Hanging(Text(text, style="dim"), 4) for text in advice]
    return Group(*lines)


def losses(found: Sequence[Loss]) -> RenderableType:
    """What was lost, each kind once with its number, with the traceback of the first."""
    lines: list[RenderableType] = [Text("Lost", style="bold")]
    for loss, number in cells.grouped(found):
        times = (
            f" ({number} times, first in launch {loss.launch})" if number > 1 else f" (launch {loss.launch})"
        )
        lines.append(
            Hanging(Text.assemble((loss.kind, "red"), f": {loss.text}{cells.where(loss)}{times}"), 2)
        )
        if loss.traceback.strip():
            lines.append(Hanging(Text(loss.traceback.rstrip(), style="dim"), 4))
    return Group(*lines)


def footing(report: RunReport | CompareReport) -> Iterator[RenderableType]:
    """Where the run is stored and how to see it again, or go on with it."""
    yield Hanging(f"{cells.summary(report)}.")
    if report.status in ("unfinished", "interrupted"):
        yield Text(f"knee run --resume {report.run} goes on with it.", style="dim")
    else:
        yield Text(f"knee show {report.run} shows it again.", style="dim")
