"""The report of a search for causes as Markdown, for issues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from knee.analysis.why import CauseReport, WhyReport
from knee.views.markdown import code, hazards, plain, table
from knee.views.why import findings, footing, lost, scaling, span, told


def render(report: WhyReport) -> str:
    """Heading, loss, causes with their evidence and mends, and what else was tried."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: WhyReport) -> Iterator[str]:
    yield f"### Why `{code(report.workload)}` stops scaling"
    yield ""
    where = ", ".join(part for part in (report.interpreter, f"1 and {report.workers} workers") if part)
    yield f"{plain(where)}."
    if report.status == "interrupted":
        yield from ("", "Interrupted: told from what was measured until then.")
    yield from ("", f"**{plain(report.summary)}**", "")
    yield from table(["", "throughput", ""], scaling(report), left=1)
    if report.lost:
        yield from ("", plain(lost(report)))
    if report.causes:
        yield ""
        yield from table(["cause", "of the loss"], [(c.cause, span(c.share)) for c in report.causes], left=1)
    for number, cause in enumerate(report.causes, 1):
        yield ""
        yield from _cause(number, cause)
    if report.rejected:
        yield from ("", "Rejected:", "")
        yield from (f"- {plain(entry['cause'])}: {plain(entry['reason'])}." for entry in report.rejected)
    yield from _tried("Gives something back too, and removes more than one thing:", report.helped)
    yield from _tried("Tried and innocent:", report.innocent)
    if report.untried:
        yield from ("", "Not tried here:", "")
        yield from (f"- {plain(entry['arm'])}: {plain(entry['reason'])}" for entry in report.untried)
    yield from hazards(report.hazards)
    yield ""
    yield f"<sub>{plain(' '.join((*report.notes, footing(report))))}</sub>"


def _cause(number: int, cause: CauseReport) -> Iterator[str]:
    yield f"**{number}. {cause.cause}**: {plain(cause.title)}"
    yield ""
    for name, text in findings(cause):
        yield f"- {name}: {plain(text)}" if name else f"  {plain(text)}"
    if cause.code:
        yield from ("", "```", cause.code.rstrip(), "```")
    yield from ("", "Prove it:", "", "```sh", cause.prove, "```")


def _tried(title: str, entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if entries:
        yield from ("", title, "")
        yield from (f"- {plain(entry['arm'])}: {plain(told(entry))}" for entry in entries)
