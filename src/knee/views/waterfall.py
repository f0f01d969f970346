"""A search for causes as a picture: from what the workload is down to what the machine can do, a step a cause."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knee.analysis.why import CauseReport, WhyReport
from knee.stats.interval import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INK = "#222222"
_FAINT = "#8a8a8a"
_WORKLOAD = "#44546a"
_CEILING = "#009E73"
_UNKNOWN = "#c9c9c9"
# Okabe and Ito's palette (Color Universal Design, 2008), the warm colours first: a loss is what is to be seen.
_CAUSES = ("#D55E00", "#E69F00", "#CC79A7", "#56B4E9", "#F0E442")
_STYLE: Any = {
    "font.size": 10,
    "svg.fonttype": "none",
    "svg.hashsalt": "knee",
    "axes.edgecolor": _INK,
    "text.color": _INK,
}


@dataclass(frozen=True)
class Step:
    """A bar from ``start`` to ``end`` on the axis of slowdowns.

    Attributes:
        label, note: left of it, and below the label.
        colour: of the bar.
        error: interval of its lower end; None if it has none.
        value: what is written beside it.
    """

    label: str
    note: str
    start: float
    end: float
    colour: str
    value: str
    error: tuple[float, float] | None = None


def save(report: WhyReport, path: Path) -> None:
    """Draw a report into a file; its suffix decides the format.

    Raises:
        OSError: the file cannot be written.
    """
    import matplotlib as mpl

    with mpl.rc_context(_STYLE):
        # Without the date, the same report gives the same SVG.
        draw(report).savefig(
            path, dpi=160, metadata={"Date": None} if path.suffix.lower() == ".svg" else None
        )


def steps(report: WhyReport) -> list[Step]:
    """The bars from top to bottom; each cause begins where the one above it ends."""
    base, ceiling = report.slowdown.estimate, report.ceiling.estimate
    workers = report.workers
    found = [
        Step(
            f"{workers} workers, as it is",
            "",
            0.0,
            base,
            _WORKLOAD,
            _times(base, workers),
            (report.slowdown.low, report.slowdown.high) if report.slowdown.bounded else None,
        )
    ]
    at, lost = base, max(base - ceiling, 1e-9)
    for number, cause in enumerate(report.causes):
        share = min(max(cause.share.estimate, 0.0), (at - ceiling) / lost)
        end = at - share * lost
        found.append(
            Step(
                cause.cause,
                _where(cause),
                at,
                end,
                _CAUSES[number % len(_CAUSES)],
                _percent(cause.share),
                _error(cause.share, at, lost),
            )
        )
        at = end
    if (at - ceiling) / lost > 0.03 and report.lost:
        found.append(Step("not explained", "", at, ceiling, _UNKNOWN, f"{100 * (at - ceiling) / lost:.0f} %"))
    found.append(
        Step(
            "what this machine can do",
            "native code, nothing shared",
            0.0,
            ceiling,
            _CEILING,
            _times(ceiling, workers),
        )
    )
    return found


def draw(report: WhyReport) -> Figure:
    """The figure."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        bars = steps(report)
        figure = Figure(figsize=(9, 1.75 + 0.72 * len(bars)), layout="constrained")
        FigureCanvasAgg(figure)
        figure.get_layout_engine().set(w_pad=0.15, h_pad=0.12)  # type: ignore[union-attr, call-arg]
        axes = figure.add_subplot()
        _bars(axes, bars)
        _titles(axes, report)
        _scale(axes, report, bars)
    return figure


def _bars(axes: Axes, bars: list[Step]) -> None:
    for row, bar in enumerate(bars):
        left, width = min(bar.start, bar.end), abs(bar.start - bar.end)
        axes.barh(row, width, left=left, height=0.56, color=bar.colour, zorder=3, linewidth=0)
        if bar.error is not None:
            low, high = bar.error
            place = bar.end
            axes.errorbar(
                place,
                row,
                xerr=[[max(0.0, place - low)], [max(0.0, high - place)]],
                fmt="none",
                ecolor=_INK,
                elinewidth=1.1,
                capsize=3,
                alpha=0.75,
                zorder=4,
            )
        if row + 1 < len(bars):
            # What one bar ends at, the next begins at.
            axes.plot([bar.end, bar.end], [row + 0.28, row + 0.72], color=_FAINT, lw=0.9, zorder=2)
        right = max(bar.start, bar.end, bar.error[1] if bar.error else 0.0)
        axes.annotate(
            bar.value,
            (right, row),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            ha="left",
            fontweight="bold" if bar.start else "normal",
            color=bar.colour if bar.start and bar.colour not in (_UNKNOWN, "#F0E442") else _INK,
            zorder=5,
        )
        axes.annotate(
            bar.label,
            (0, row),
            xycoords=("axes fraction", "data"),
            xytext=(-10, 6 if bar.note else 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontweight="bold",
        )
        if bar.note:
            axes.annotate(
                bar.note,
                (0, row),
                xycoords=("axes fraction", "data"),
                xytext=(-10, -8),
                textcoords="offset points",
                ha="right",
                va="center",
                fontsize=8.5,
                color=_FAINT,
            )


def _titles(axes: Axes, report: WhyReport) -> None:
    title = "Where the time of " + (f"{report.workers} workers goes: {report.workload}")
    said = report.causes[0].evidence if report.causes else report.summary
    lines = textwrap.wrap(said, 96)[:3]
    axes.set_title(title, loc="left", fontsize=12.5, fontweight="bold", pad=16 + 12 * len(lines))
    under = "\n".join(lines)
    axes.annotate(
        under[:1].upper() + under[1:],
        (0, 1),
        xycoords="axes fraction",
        xytext=(0, 10),
        textcoords="offset points",
        fontsize=9,
        color=_FAINT,
    )


def _scale(axes: Axes, report: WhyReport, bars: list[Step]) -> None:
    most = max(max(bar.start, bar.end, bar.error[1] if bar.error else 0.0) for bar in bars)
    axes.axvline(1.0, color=_FAINT, lw=0.9, ls=(0, (5, 4)), zorder=1)
    axes.annotate(
        "one worker alone",
        (1.0, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(4, -3),
        textcoords="offset points",
        ha="left",
        va="top",
        fontsize=8,
        color=_FAINT,
    )
    axes.set_xlim(0, most * 1.22)
    axes.set_ylim(len(bars) - 0.45, -0.72)
    axes.set_yticks([])
    axes.grid(axis="x", color="#ececec", lw=0.8, zorder=0)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="x", length=0, labelcolor=_FAINT)
    notes = [
        "time for a unit of work; one worker alone takes 1",
        report.interpreter,
        "bars: 95 % intervals over launches",
    ]
    first, *others = filter(None, notes)
    axes.set_xlabel(f"{first}\n{'  ·  '.join(others)}", loc="left", fontsize=8.5, color=_FAINT)


def _times(slowdown: float, workers: int) -> str:
    return f"{slowdown:.2f}   ({workers / slowdown:.2f} × the work of one)"


def _percent(share: Interval) -> str:
    if not share.bounded or share.high - share.low < 0.005 or share.high - share.low > 4:
        return f"{100 * share.estimate:.0f} % of the loss"
    return f"{100 * share.low:.0f}–{100 * share.high:.0f} % of the loss"


def _error(share: Interval, at: float, lost: float) -> tuple[float, float] | None:
    if not share.bounded or share.high - share.low > 4:
        return None
    return at - share.high * lost, at - share.low * lost


def _where(cause: CauseReport) -> str:
    where = cause.where
    place = "" if where.file is None else f"{where.file.rsplit('/', 1)[-1]}:{where.line}"
    name = textwrap.shorten(where.name or "", 34, placeholder=" …")
    return "  ".join(part for part in (name, place) if part)
