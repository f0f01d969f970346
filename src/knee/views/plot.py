"""A report as a picture: speedup against workers, with the ideal line, the ceiling and the fast cores."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knee.analysis.modes import ModeReport
from knee.analysis.report import KindReport, RunReport
from knee.stats.interval import Interval
from knee.stats.ladder import SUSPECT, Ladder
from knee.views import cells

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

# Okabe and Ito's palette (Color Universal Design, 2008): told apart with every kind of colour vision.
COLOURS = {"threads": "#0072B2", "processes": "#D55E00", "subinterpreters": "#009E73", "command": "#0072B2"}
_WIDE = 16
"""Ladders that span more than this are drawn on logarithmic scales."""
_IDEAL = "#9a9a9a"
_CEILING = "#CC79A7"
_INK = "#222222"
_STYLE: Any = {
    "font.size": 10,
    "svg.fonttype": "none",
    "svg.hashsalt": "knee",
    "axes.edgecolor": _INK,
    "text.color": _INK,
}


def save(report: RunReport, path: Path) -> None:
    """Draw a run into a file; its suffix decides the format.

    Raises:
        OSError: the file cannot be written.
    """
    import matplotlib as mpl

    with mpl.rc_context(_STYLE):
        # Without the date, the same run gives the same SVG.
        draw(report).savefig(
            path, dpi=160, metadata={"Date": None} if path.suffix.lower() == ".svg" else None
        )


def draw(report: RunReport) -> Figure:
    """A figure with one panel: every kind of worker that was measured."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.transforms import ScaledTranslation

    with mpl.rc_context(
        {"font.size": 10, "svg.fonttype": "none", "axes.edgecolor": _INK, "text.color": _INK}
    ):
        figure = Figure(figsize=(8, 5), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        ladders = [
            (kind, kind.ladder) for kind in report.kinds if kind.ladder is not None and kind.ladder.rows
        ]
        if not ladders:
            axes.text(0.5, 0.5, "nothing was measured", ha="center", va="center", transform=axes.transAxes)
        else:
            _frame(axes, report, [ladder for _, ladder in ladders])
            for index, (kind, ladder) in enumerate(ladders):
                # Kinds stand a little beside each other, so that no interval hides another's.
                aside = ScaledTranslation(
                    (index - (len(ladders) - 1) / 2) * 4 / 72, 0, figure.dpi_scale_trans
                )
                pen = _Pen(COLOURS.get(kind.kind, _INK), axes.transData + aside, index)
                _curve(axes, kind, ladder, pen)
        _titles(figure, axes, report)
    return figure


def _frame(axes: Axes, report: RunReport, ladders: list[Ladder]) -> None:
    """The ideal line, the ceiling, the fast cores, and the scales."""
    base = min(ladder.base for ladder in ladders)
    counts = sorted({row.workers for ladder in ladders for row in ladder.rows})
    most = counts[-1]
    axes.plot([base, most], [1, most / base], color=_IDEAL, ls=(0, (6, 4)), lw=1.2, zorder=1, label="ideal")
    # The control ran beside every kind; its curve is drawn once, from the kind that has most of it.
    best = max(ladders, key=lambda ladder: sum(row.ceiling is not None for row in ladder.rows))
    ceiling = [(row.workers, row.ceiling) for row in best.rows if row.ceiling is not None]
    if len(ceiling) > 1:
        x = [workers for workers, _ in ceiling]
        axes.plot(
            x,
            [c.estimate for _, c in ceiling],
            color=_CEILING,
            lw=1.2,
            ls=":",
            zorder=2,
            label="machine's ceiling",
        )
        bounded = [(workers, c) for workers, c in ceiling if c.bounded]
        axes.fill_between(
            [workers for workers, _ in bounded],
            [c.low for _, c in bounded],
            [c.high for _, c in bounded],
            color=_CEILING,
            alpha=0.15,
            lw=0,
        )
    fast = report.fast_cores
    if fast is not None and base <= fast <= most:
        axes.axvline(fast, color=_INK, lw=0.8, alpha=0.35, zorder=0)
        axes.annotate(
            f"{fast} fast core{'' if fast == 1 else 's'}",
            (fast, 0),
            xycoords=("data", "axes fraction"),
            xytext=(-5, 5),
            textcoords="offset points",
            ha="right",
            va="bottom",
            fontsize=8.5,
            color=_INK,
            alpha=0.7,
        )
    if most / base > _WIDE:
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_xlim(base / 1.15, most * 1.15)
    else:
        margin = 0.04 * (most - base + 1)
        axes.set_xlim(base - margin, most + margin)
        axes.set_ylim(bottom=0)
    axes.set_xticks(counts, [str(count) for count in counts])
    axes.minorticks_off()
    axes.grid(axis="y", color="#e6e6e6", lw=0.8, zorder=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("workers")
    axes.set_ylabel("speedup" if base == 1 else f"speedup over {base} workers")


@dataclass(frozen=True)
class _Pen:
    """How a kind is drawn: its colour, where its points stand, and which kind it is."""

    colour: str
    place: Transform
    index: int


def _curve(axes: Axes, kind: KindReport, ladder: Ladder, pen: _Pen) -> None:
    """A kind's points with their intervals, joined where one number holds; a row with modes has a point for each."""
    line = [
        (row.workers, row.speedup.estimate)
        for row in ladder.rows
        if row.speedup is not None and (row.workers == ladder.base or not row.modes)
    ]
    axes.plot(*zip(*line, strict=True), color=pen.colour, lw=1.8, zorder=3, transform=pen.place)
    axes.plot([], [], color=pen.colour, lw=1.8, marker="o", ms=6, label=kind.kind)
    for row in ladder.rows:
        if row.modes and row.workers != ladder.base:
            for mode in kind.modes(row.workers):
                _mode(axes, row.workers, mode, pen)
        elif row.speedup is not None:
            _point(axes, row.workers, row.speedup, pen, hollow=SUSPECT in row.flags)
    knee = ladder.knee
    at = None if knee is None or not knee.reached else ladder.row(knee.workers)
    if knee is not None and at is not None and at.speedup is not None and not at.modes:
        axes.annotate(
            "knee" if knee.low == knee.high else f"knee ({knee.low} to {knee.high})",
            (knee.workers, at.speedup.estimate),
            xycoords=pen.place,
            xytext=(0, -24 - 13 * pen.index),
            textcoords="offset points",
            ha="center",
            fontsize=9,
            color=pen.colour,
            arrowprops={"arrowstyle": "-", "color": pen.colour, "lw": 0.8, "shrinkB": 4},
        )


def _mode(axes: Axes, workers: int, mode: ModeReport, pen: _Pen) -> None:
    """A hollow point with the share of the launches beside it."""
    if mode.speedup is None:
        return
    _point(axes, workers, mode.speedup, pen, hollow=True)
    right = workers > axes.get_xlim()[1] * 0.8
    axes.annotate(
        f"{mode.share:.0%} of launches",
        (workers, mode.speedup.estimate),
        xycoords=pen.place,
        xytext=(-8 if right else 8, 0),
        textcoords="offset points",
        ha="right" if right else "left",
        va="center",
        fontsize=8,
        color=pen.colour,
    )


def _point(axes: Axes, workers: int, value: Interval, pen: _Pen, *, hollow: bool) -> None:
    error = [[value.estimate - value.low], [value.high - value.estimate]] if value.bounded else None
    axes.errorbar(
        [workers],
        [value.estimate],
        yerr=error,
        fmt="o",
        ms=6,
        color=pen.colour,
        mfc="white" if hollow else pen.colour,
        mew=1.4,
        capsize=3,
        lw=1.2,
        zorder=4,
        transform=pen.place,
    )


def _titles(figure: Figure, axes: Axes, report: RunReport) -> None:
    title = report.workload if len(report.workload) <= 70 else f"{report.workload[:67]}..."
    axes.set_title(title, loc="left", fontsize=12, fontweight="bold", pad=22, parse_math=False)
    law = "every worker does the same work" if report.law == "scaled" else "a fixed amount of work is divided"
    facts = [law, f"{report.launches} launches, 95 % intervals"]
    if report.interpreter is not None:
        facts.insert(0, cells.interpreter(report.interpreter).split(", workload")[0])
    axes.text(
        0,
        1.02,
        " · ".join(facts),
        transform=axes.transAxes,
        fontsize=8.5,
        color="#555555",
        va="bottom",
        parse_math=False,
    )
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        axes.legend(handles, labels, frameon=False, loc="upper left", fontsize=9)
    if report.hazards:
        names = ", ".join(dict.fromkeys(hazard.id for hazard in report.hazards))
        figure.supxlabel(f"hazards: {names}", fontsize=8, color="#8a5a00", x=0.01, ha="left")
