"""A ladder as Markdown, for pull requests and issues; and what Markdown is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from knee.analysis.report import LAWS, Hazard, KindReport, RunReport
from knee.launch.sample import Loss
from knee.stats.ladder import Ladder
from knee.views import cells

_HEAD = "| " + " | ".join(cells.NAMES) + " |\n|" + "---:|" * (len(cells.NAMES) - 1) + ":---|"


def render(report: RunReport) -> str:
    """Heading, a table for each kind, knee, hazards and losses."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: RunReport) -> Iterator[str]:
    yield f"### `{code(report.workload)}`"
    yield ""
    if report.interpreter is not None:
        yield f"{cells.interpreter(report.interpreter)}."
    yield f"{cells.capital(LAWS[report.law])}."
    for kind in report.kinds:
        yield ""
        yield from _kind(kind)
    yield from hazards(report.hazards)
    yield from losses(report.losses)
    yield ""
    yield f"<sub>{cells.summary(report)}</sub>"


def _kind(kind: KindReport) -> Iterator[str]:
    if kind.ladder is None:
        yield f"**{kind.kind}**: {plain(kind.reason)}"
        return
    yield f"**{kind.kind}**"
    yield ""
    yield from _table(kind.ladder, kind)
    notes = [*cells.notes(kind), cells.split(kind)]
    yield ""
    yield "  \n".join(plain(note) for note in notes if note)
    if kind.phases:
        head, *lines = cells.phases(kind)
        yield ""
        yield from table(head, lines, left=1)


def _table(ladder: Ladder, kind: KindReport) -> Iterator[str]:
    yield _HEAD
    for row in ladder.rows:
        texts = (text.replace("\n", "<br>").replace("|", "\\|") for text in cells.row(row, kind))
        yield "| " + " | ".join(texts) + " |"


def table(head: Sequence[str], lines: Iterable[Sequence[str]], left: int) -> Iterator[str]:
    """A table whose first ``left`` columns are words and whose others are figures."""
    yield f"| {' | '.join(head)} |"
    yield "|" + ":---|" * left + "---:|" * (len(head) - left)
    for line in lines:
        yield f"| {' | '.join(plain(cell) for cell in line)} |"


def hazards(found: Sequence[Hazard]) -> Iterator[str]:
    """What spoils numbers; nothing where there is none."""
    if found:
        yield from ("", "Hazards:", "")
        for hazard in found:
            yield f"- **{hazard.id}**: {plain(hazard.text)} {plain(hazard.advice)}".rstrip()


def losses(found: Sequence[Loss]) -> Iterator[str]:
    """What was lost and why; nothing where nothing was."""
    if found:
        yield from ("", "Lost:", "")
        for loss, number in cells.grouped(found):
            times = f" ({number} times)" if number > 1 else ""
            yield f"- **{loss.kind}**: {plain(loss.text)}{cells.where(loss)}{times}"


def plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    for mark in ("\\", "*", "_", "`", "<", "|"):
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())


def code(text: str) -> str:
    """Text that may stand between backticks."""
    return " ".join(text.replace("`", "'").split())
