"""The report of a search for causes on a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from knee.analysis.why import CauseReport, WhyReport
from knee.stats.interval import Interval
from knee.views import terminal

_WIDTH = 40


def render(report: WhyReport, console: Console) -> None:
    """Print a report."""
    console.print(Group(*_parts(report)))


def _parts(report: WhyReport) -> Iterator[RenderableType]:
    yield Text(report.workload, style="bold")
    yield Text(
        ", ".join(part for part in (report.interpreter, f"1 and {report.workers} workers") if part) + "."
    )
    yield Text()
    if report.status == "interrupted":
        yield Text("Interrupted: told from what was measured until then.", style="bold red")
    yield Text(report.summary, style="bold green" if report.verdict == "none" else "bold yellow")
    yield Text()
    yield from _loss(report)
    if report.causes:
        yield Text()
        yield waterfall(report)
    for number, cause in enumerate(report.causes, 1):
        yield Text()
        yield from _cause(number, cause)
    if report.rejected:
        yield Text()
        for entry in report.rejected:
            yield Text(f"Rejected: {entry['cause']}: {entry['reason']}.")
    if report.helped:
        yield Text()
        yield Text("Gives something back too, and removes more than one thing:", style="bold")
        yield Padding(_tried(report.helped), (0, 0, 0, 2))
    if report.innocent:
        yield Text()
        yield Text("Tried and innocent:", style="bold")
        yield Padding(_tried(report.innocent), (0, 0, 0, 2))
    if report.untried:
        yield Text()
        yield Text("Not tried here:", style="bold")
        for entry in report.untried:
            yield Padding(Text(f"{entry['arm']}: {entry['reason']}"), (0, 0, 0, 2))
    if report.hazards:
        yield Text()
        yield terminal.hazards(report.hazards)
    yield Text()
    for note in report.notes:
        yield Text(note, style="dim")
    yield Text(footing(report), style="dim")


def footing(report: WhyReport) -> str:
    """Which run this is, and what its figures are."""
    return (
        f"Run {report.run}, {report.launches} launches in {report.elapsed:.0f} s. A share is of the loss, with the "
        "95 % interval over launches."
    )


def scaling(report: WhyReport) -> list[tuple[str, str, str]]:
    """The ideal, the ceilings and the workload: a name, throughput over one worker, a note."""
    rows = [
        ("ideal", 1.0, ""),
        ("native code that shares nothing", report.ceiling.estimate, "the ceiling here"),
    ]
    if report.processes is not None:
        rows.append(("this workload in processes", report.processes.estimate, ""))
    rows.append((f"this workload, {report.workers} workers", report.slowdown.estimate, ""))
    return [(name, f"{report.workers / slowdown:.2f} × one worker", note) for name, slowdown, note in rows]


def lost(report: WhyReport) -> str:
    """How much is lost, and in which parts of the time; empty where nothing is."""
    if not report.lost:
        return ""
    parts = report.split["lost"]
    where = ", ".join(f"{share:.0%} {_PARTS[name]}" for name, share in parts.items() if share >= 0.05)
    return f"Lost: {span(report.loss)} of the time of {report.workers} workers; of that {where}."


def _loss(report: WhyReport) -> Iterator[RenderableType]:
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    for name, factor, note in scaling(report):
        table.add_row(name, factor, Text(note, style="dim"))
    yield table
    if report.lost:
        yield Text(lost(report))


_PARTS = {
    "user": "running in user mode",
    "system": "in the kernel",
    "wait": "waiting for a CPU",
    "blocked": "blocked",
}


def waterfall(report: WhyReport) -> RenderableType:
    """Where the loss went, a bar a cause, one below and beside the other."""
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    at = 0.0
    for cause in report.causes:
        share = min(max(cause.share.estimate, 0.0), max(0.0, 1.0 - at))
        table.add_row(cause.cause, _bar(at, share, "yellow"), span(cause.share))
        at += share
    if at < 0.97:
        table.add_row(
            Text("not explained", style="dim"), _bar(at, 1.0 - at, "dim"), Text(f"{1 - at:.0%}", style="dim")
        )
    return table


def _bar(start: float, share: float, style: str) -> Text:
    begin = round(start * _WIDTH)
    length = max(1, round((start + share) * _WIDTH) - begin)
    return Text.assemble("·" * begin, ("█" * length, style), "·" * max(0, _WIDTH - begin - length))


def findings(cause: CauseReport) -> list[tuple[str, str]]:
    """What is known of a cause, by what it answers; an empty name goes on with the one before."""
    lines = [("evidence", cause.evidence + ("" if cause.how == "removed" else " (observed, not removed)"))]
    place = _place(cause)
    if place:
        lines.append(("where", place))
    lines += [("", other) for other in cause.where.also]
    if len(cause.controls) > 1:
        told = ", ".join(f"{control['control']} {control['share']:.0%}" for control in cause.controls)
        lines.append(("controls", f"they give back: {told}"))
    if cause.apart:
        others = ", ".join(cause.apart)
        both = f"removing {others} gives back the same loss, and both together no more: one thing, two names"
        lines.append(("apart", both))
    if cause.mend:
        lines.append(("mend", cause.mend))
    return lines


def _cause(number: int, cause: CauseReport) -> Iterator[RenderableType]:
    yield Text.assemble((f"{number}. {cause.cause}", "bold"), f": {cause.title}")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    for name, text in findings(cause):
        grid.add_row(name, Text(text))
    yield Padding(grid, (0, 0, 0, 3))
    if cause.code:
        yield Padding(Text(cause.code.rstrip(), style="cyan"), (1, 0, 1, 13))
    proof = Table.grid(padding=(0, 2))
    proof.add_column(style="dim", no_wrap=True, min_width=8)
    proof.add_column()
    proof.add_row("prove", Text(cause.prove, style="bold"))
    yield Padding(proof, (0, 0, 0, 3))


def _place(cause: CauseReport) -> str:
    where = cause.where
    place = "" if where.file is None else f"{where.file}:{where.line}"
    return ": ".join(part for part in (place, where.name or "") if part)


def _tried(entries: Sequence[Mapping[str, Any]]) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for entry in entries:
        table.add_row(entry["arm"], Text(told(entry), style="dim"))
    return table


def told(entry: Mapping[str, Any]) -> str:
    """What an arm gave back, or why it had nothing to remove."""
    if entry["text"]:
        return str(entry["text"])
    once = not entry["share"].bounded and not math.isnan(entry["share"].estimate)
    return f"gives back {span(entry['share'])}" + " (seen once)" * once


def span(interval: Interval) -> str:
    """A share's interval in per cent; the share alone where there is none."""
    if not interval.bounded or interval.high - interval.low > 4:
        return "?" if math.isnan(interval.estimate) else f"{100 * interval.estimate:.0f} %"
    if interval.high - interval.low < 0.005:
        return f"{100 * interval.estimate:.0f} %"
    return f"{100 * interval.low:.0f} to {100 * interval.high:.0f} %"
