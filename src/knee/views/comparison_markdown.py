"""A comparison as Markdown, for pull requests and issues."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from knee.analysis.compare import BLOCKINGS, CompareReport, KindComparison
from knee.views import cells, comparison
from knee.views.markdown import code, hazards, losses, plain, table


def render(report: CompareReport) -> str:
    """Heading, a table for each kind with what it means, phases, hazards and losses."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: CompareReport) -> Iterator[str]:
    new = ", ".join(f"`{code(label)}`" for label in report.labels[1:])
    yield f"### {new} against `{code(report.labels[0])}`"
    yield ""
    yield plain(BLOCKINGS[report.blocking])
    for label, found in zip(report.labels[1:], report.differences, strict=False):
        for difference in found:
            yield f"- {plain(label)} differs also in {plain(difference.text)}"
    for kind in report.kinds:
        yield ""
        yield from _kind(kind, report)
    if not report.kinds:
        yield from ("", "Nothing was measured.")
    yield from hazards(report.hazards)
    yield from losses(report.losses)
    yield ""
    yield f"<sub>{plain(cells.summary(report))}</sub>"


def _kind(kind: KindComparison, report: CompareReport) -> Iterator[str]:
    yield f"**{kind.comparison.kind}**"
    yield ""
    yield from _table(*comparison.rows(kind, report))
    for sentence in kind.explanations:
        yield from ("", f"**{plain(sentence)}**")
    if kind.phases:
        yield ""
        yield from _table(*comparison.phase_rows(kind, report))
    yield ""
    said = [comparison.legend(kind), *(text for text, _ in comparison.remarks(report, kind))]
    yield "  \n".join(map(plain, said))


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> Iterator[str]:
    yield from table(head, lines, left=int(head[0] == "treatment"))
