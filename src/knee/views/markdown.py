"""A report as Markdown, for pull requests and issues."""

from __future__ import annotations

from collections.abc import Iterator

from knee.analysis.report import LAWS, KindReport, RunReport
from knee.stats.ladder import Ladder
from knee.views import cells

_HEAD = "| " + " | ".join(cells.NAMES) + " |\n|" + "---:|" * (len(cells.NAMES) - 1) + ":---|"


def render(report: RunReport) -> str:
    """Heading, a table for each kind, knee, hazards and losses."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: RunReport) -> Iterator[str]:
    yield f"### `{_code(report.workload)}`"
    yield ""
    if report.interpreter is not None:
        yield f"{cells.interpreter(report.interpreter)}."
    yield f"{cells.capital(LAWS[report.law])}."
    for kind in report.kinds:
        yield ""
        yield from _kind(kind)
    if report.hazards:
        yield ""
        yield "Hazards:"
        yield ""
        for hazard in report.hazards:
            yield f"- **{hazard.id}**: {_plain(hazard.text)} {_plain(hazard.advice)}".rstrip()
    if report.losses:
        yield ""
        yield "Lost:"
        yield ""
        for loss, number in cells.grouped(report.losses):
            times = f" ({number} times)" if number > 1 else ""
            yield f"- **{loss.kind}**: {_plain(loss.text)}{cells.where(loss)}{times}"
    yield ""
    yield f"<sub>{cells.summary(report)}</sub>"


def _kind(kind: KindReport) -> Iterator[str]:
    if kind.ladder is None:
        yield f"**{kind.kind}**: {_plain(kind.reason)}"
        return
    yield f"**{kind.kind}**"
    yield ""
    yield from _table(kind.ladder, kind)
    notes = [*cells.notes(kind), cells.split(kind)]
    yield ""
    yield "  \n".join(_plain(note) for note in notes if note)
    if kind.phases:
        head, *lines = cells.phases(kind)
        yield ""
        yield f"| {' | '.join(head)} |"
        yield "|:---|" + "---:|" * (len(head) - 1)
        for line in lines:
            yield f"| {' | '.join(_plain(cell) for cell in line)} |"


def _table(ladder: Ladder, kind: KindReport) -> Iterator[str]:
    yield _HEAD
    for row in ladder.rows:
        texts = (text.replace("\n", "<br>").replace("|", "\\|") for text in cells.row(row, kind))
        yield "| " + " | ".join(texts) + " |"


def _plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    for mark in ("\\", "*", "_", "`", "<", "|"):
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())


def _code(text: str) -> str:
    return " ".join(text.replace("`", "'").split())
