"""A comparison as tables and sentences for a terminal."""

from __future__ import annotations

import io
from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.text import Text

from knee.analysis.compare import BLOCKINGS, CompareReport, KindComparison
from knee.stats.comparison import Row
from knee.stats.interval import Interval
from knee.stats.phases import PhaseRow
from knee.views import terminal, units
from knee.views.fitting import Column, Fitting
from knee.views.hanging import Hanging

_STYLES = {"faster": "green", "slower": "red", "same": "", "cannot-tell": "dim", "suspect": "yellow"}

_FOLLOWS = {
    "treatment": "The effect follows the treatment, not its position in the order.",
    "position": "Whatever ran second differs from what ran first, and the treatment does not: no effect of the code.",
    "both": "The effect follows the treatment; whatever ran second differs from what ran first as well, and the drawn "
    "order cancels that.",
}


def render(report: CompareReport, console: Console) -> None:
    """Print a comparison."""
    for part in parts(report):
        console.print(part)


def text(report: CompareReport, width: int = 140) -> str:
    """A comparison as plain text."""
    console = Console(file=io.StringIO(), width=width, highlight=False)
    render(report, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def parts(report: CompareReport) -> Iterator[RenderableType]:
    """What is printed, from the top: heading, a table a kind, phases, what they mean, control, hazards, losses."""
    names = [f"{', '.join(report.labels[1:])} against {report.labels[0]}"]
    yield Hanging(Text(names[0], style="bold"))
    yield Hanging(Text(BLOCKINGS[report.blocking], style="dim"))
    for label, found in zip(report.labels[1:], report.differences, strict=False):
        for difference in found:
            yield Hanging(Text(f"{label} differs also in {difference.text}", style="yellow"))
    for kind in report.kinds:
        yield Text()
        yield table(kind, report)
        if kind.phases:
            yield Text()
            yield phases(kind, report)
        for sentence in kind.explanations:
            yield Hanging(Text(sentence, style="bold"))
        yield control(report, kind)
    if not report.kinds:
        yield Text("Nothing was measured.", style="bold")
    if report.kinds and report.hazards:
        yield Text()
        yield terminal.hazards(report.hazards)
    if report.losses:
        yield Text()
        yield terminal.losses(report.losses)
    yield Text()
    yield from terminal.footing(report)


def table(kind: KindComparison, report: CompareReport) -> RenderableType:
    """Ratio and interval first, absolute times beside."""
    head, lines = rows(kind, report)
    several = head[0] == "treatment"
    left = ("treatment", "verdict")
    found = Fitting(
        [Column(name, "left" if name in left else "right", wraps=name == "verdict") for name in head],
        keys=1 + several,
    )
    for row, cells in zip(kind.comparison.rows, lines, strict=True):
        found.add(cells, _STYLES[row.verdict])
    note = Hanging(Text(legend(kind), style="dim"))
    return Group(Text(kind.comparison.kind, style="bold cyan"), found, Text(), note)


def rows(kind: KindComparison, report: CompareReport) -> tuple[list[str], list[list[str]]]:
    """The table's head and its rows, as text."""
    several = len(report.labels) > 2
    head = [*(["treatment"] if several else []), "workers", "ratio", "interval", "verdict", "time", "against"]
    lines = []
    for row in kind.comparison.rows:
        label = [report.labels[row.treatment]] if several else []
        lines.append([*label, *_cells(row, kind.comparison.margin, report.seconds_per_launch)])
    return head, lines


def legend(kind: KindComparison) -> str:
    """What the table's figures are."""
    return (
        "Ratio: time of the new over time of the old; below 1 is faster. Differences up to "
        f"{kind.comparison.margin:.0%} are the same. Intervals hold with {kind.comparison.confidence:.0%} over all "
        "treatments and looks."
    )


def phases(kind: KindComparison, report: CompareReport) -> RenderableType:
    """Where the difference lands."""
    head, lines = phase_rows(kind, report)
    left = ("treatment", "phase")
    found = Fitting(
        [Column(name, "left" if name in left else "right") for name in head],
        keys=2 + (head[0] == "treatment"),
    )
    for row, cells in zip(kind.phases, lines, strict=True):
        found.add(cells, "" if row.difference.excludes(0.0) else "dim")
    return Group(Text("Where the difference lands", style="bold"), found)


def phase_rows(kind: KindComparison, report: CompareReport) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of the table of phases, as text."""
    several = len(report.labels) > 2
    head = ["workers", "phase", "time per call", "against", "difference", "share"]
    lines = []
    for row in kind.phases:
        label = [report.labels[row.treatment]] if several else []
        lines.append([*label, *_phase(row)])
    return [*(["treatment"] if several else []), *head], lines


def control(report: CompareReport, kind: KindComparison) -> RenderableType:
    """What ``remarks`` says, in its styles."""
    return Group(*(Hanging(Text(text, style=style)) for text, style in remarks(report, kind)))


def remarks(report: CompareReport, kind: KindComparison) -> Iterator[tuple[str, str]]:
    """Sentences, each with its style: the A/A control, what effects follow, what was done about waiting for a CPU."""
    found = kind.comparison.control
    if found.ratio is None:
        yield "A/A control: not measured.", "yellow"
    else:
        text = f"A/A control: {_range(found.ratio)}, {found.verdict.replace('-', ' ')}"
        ending = ": identical code differs, so the whole comparison is suspect." if found.failed else "."
        yield text + ending, "bold yellow" if found.failed else "dim"
    follows = _FOLLOWS.get(kind.comparison.position.follows)
    if follows:
        yield follows, "dim"
    waited = kind.comparison.waiting
    if waited.counts:
        where = " and ".join(str(n) for n in waited.counts)
        yield (
            f"Other programs made even the control wait for a CPU, {waited.share:.0%} of its time: "
            f"ratios at {where} leave out what workers waited; absolute times do not.",
            "dim",
        )
    if waited.culprit is not None:
        # The A/A copy has no label of its own.
        name = (*report.labels, f"{report.labels[0]} again")[waited.culprit]
        yield f"{name} waits for a CPU by its own doing: that stayed in.", "dim"


def _cells(row: Row, margin: float, seconds: float | None) -> list[str]:
    workers = "all" if row.workers is None else str(row.workers)
    verdict = row.verdict.replace("-", " ")
    if row.verdict == "cannot-tell":
        if row.needed is None:
            verdict += f": it lies at the margin of {margin:.0%}, or too few launches tell the spread"
        else:
            took = "" if seconds is None else f" ({units.span(row.needed * seconds)})"
            verdict += f": about {row.needed} {'launch' if row.needed == 1 else 'launches'} more{took}"
    ratio = f"{row.ratio.estimate:.3f}"
    interval = _range(row.ratio, estimate=False)
    if row.modes:
        ratio = "modes"
        interval = "\n".join(f"{mode.share:.0%}: {mode.value.exp().estimate:.3f}" for mode in row.modes)
    return [workers, ratio, interval, verdict, _time(row.time), _time(row.time_against)]


def _phase(row: PhaseRow) -> list[str]:
    sign = "+" if row.difference.estimate > 0 else "−"
    return [
        str(row.workers),
        row.name or "outside phases",
        _time(row.time),
        _time(row.time_against),
        f"{sign}{units.time(abs(row.difference.estimate))} ± {_half(row.difference)}",
        "" if row.share is None else f"{row.share:.0%}",
    ]


def _time(interval: Interval | None) -> str:
    return "" if interval is None else f"{units.time(interval.estimate)} {units.spread(interval)}"


def _half(interval: Interval) -> str:
    return units.time((interval.high - interval.low) / 2) if interval.bounded else "?"


def _range(interval: Interval, *, estimate: bool = True) -> str:
    ends = f"{interval.low:.3f} to {interval.high:.3f}" if interval.bounded else "unknown"
    return f"{interval.estimate:.3f} ({ends})" if estimate else ends
