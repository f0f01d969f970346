"""A comparison as a forest plot: each ratio with its interval, the margin, and the A/A control among them."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from knee.analysis.compare import CompareReport
from knee.plan.cell import counted
from knee.stats.interval import Interval

_COLOURS = {
    "faster": "#009E73",
    "slower": "#D55E00",
    "same": "#0072B2",
    "cannot-tell": "#888888",
    "suspect": "#E69F00",
}
"""Okabe and Ito's palette, which colour-blind readers can tell apart."""


def save(report: CompareReport, path: Path) -> None:
    """Draw the comparison into a file; the suffix says which format."""
    rows = _rows(report)
    figure = Figure(figsize=(9, 1.8 + 0.42 * len(rows)), layout="constrained")
    axes = figure.subplots()
    margin = report.kinds[0].comparison.margin if report.kinds else 0.02
    axes.axvspan(1 / (1 + margin), 1 + margin, color="#eeeeee", zorder=0)
    axes.axvline(1.0, color="#666666", linewidth=1)
    for place, (label, verdict, ratio) in enumerate(rows):
        _draw(axes, place, ratio, _COLOURS[verdict])
        axes.annotate(
            f"{ratio.estimate:.3f}  {verdict.replace('-', ' ')}",
            (1.01, place),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=9,
            color=_COLOURS[verdict],
        )
        del label
    axes.set_yticks(range(len(rows)), [label for label, _, _ in rows])
    axes.invert_yaxis()
    axes.set_xlabel(f"time over that of {report.labels[0]}  (below 1 is faster; grey: within {margin:.0%})")
    axes.set_title(
        f"{', '.join(report.labels[1:])} against {report.labels[0]}", loc="left", fontweight="bold"
    )
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.savefig(path, dpi=140)


def _rows(report: CompareReport) -> list[tuple[str, str, Interval]]:
    """Label, verdict and ratio of every row, each kind's control last."""
    rows: list[tuple[str, str, Interval]] = []
    for kind in report.kinds:
        for row in kind.comparison.rows:
            count = "all counts" if row.workers is None else counted(row.workers, kind.comparison.kind)
            name = f"{report.labels[row.treatment]}, " if len(report.labels) > 2 else ""
            rows.append((f"{name}{count}", row.verdict, row.ratio))
        control = kind.comparison.control
        if control.ratio is not None:
            rows.append(("A/A control", control.verdict, control.ratio))
    return rows


def _draw(axes: Axes, place: int, ratio: Interval, colour: str) -> None:
    if ratio.bounded:
        axes.plot([ratio.low, ratio.high], [place, place], color=colour, linewidth=2.5, solid_capstyle="butt")
    axes.plot(ratio.estimate, place, "o", color=colour, markersize=7)
