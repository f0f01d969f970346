"""A probed machine as a picture: the curve of distances, the hand-over matrix, the ceiling's ladder."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knee.errors import KneeError
from knee.machine.description import Machine
from knee.machine.probes import Probes
from knee.machine.probes.median import Median
from knee.views.machine import RELATIONS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette (Color Universal Design, 2008): told apart with every kind of colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_IDEAL = "#9a9a9a"
_MOST_LABELS = 12
_STYLE: Any = {"font.size": 10, "svg.fonttype": "none", "svg.hashsalt": "knee"}


def save(machine: Machine, path: Path) -> None:
    """Draw a machine into a file; its suffix decides the format.

    Raises:
        KneeError: the machine was not probed.
        OSError: the file cannot be written.
    """
    import matplotlib as mpl

    with mpl.rc_context(_STYLE):
        draw(machine).savefig(
            path, dpi=160, metadata={"Date": None} if path.suffix.lower() == ".svg" else None
        )


def draw(machine: Machine) -> Figure:
    """A figure of three panels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if machine.probes is None:
        raise KneeError("there is nothing to draw: the probes were not run", "add --probe")
    figure = Figure(figsize=(15, 4.8), layout="constrained")
    FigureCanvasAgg(figure)
    line, latency, ceiling = figure.subplots(1, 3)
    _line(line, machine)
    _latency(latency, machine.probes, figure)
    _ceiling(ceiling, machine.probes)
    names = (machine.topology.model, machine.topology.system, machine.topology.architecture)
    figure.suptitle(" · ".join(name for name in names if name))
    return figure


def _line(axes: Axes, machine: Machine) -> None:
    assert machine.probes is not None
    for index, ((relation, operation), curve) in enumerate(machine.probes.line.curves.items()):
        if not curve.curve:
            continue
        distances = [point.distance for point in curve.curve]
        axes.errorbar(
            distances,
            [point.time.estimate * 1e9 for point in curve.curve],
            yerr=_bars([point.time for point in curve.curve], 1e9),
            label=f"{operation}, {RELATIONS.get(relation, f'same {relation}')}",
            color=COLOURS[index % len(COLOURS)],
            marker="o" if operation == "atomic" else "s",
            capsize=3,
        )
    measured, stated = machine.line.measured, machine.line.stated
    if measured:
        axes.axvline(measured, color=_IDEAL, linestyle="-", label=f"measured: {measured} bytes")
    if stated and stated != measured:
        axes.axvline(stated, color=_IDEAL, linestyle=":", label=f"stated: {stated} bytes")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else "")
    axes.set(
        title="Two workers, counters some bytes apart", xlabel="bytes apart", ylabel="time of a bump, ns"
    )
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False)
    else:
        axes.text(0.5, 0.5, "not measured", ha="center", transform=axes.transAxes)


def _latency(axes: Axes, probes: Probes, figure: Figure) -> None:
    latency = probes.latency
    numbers = sorted({number for pair in latency.pairs for number in pair})
    axes.set_title("Hand-over of a line, one way")
    if not latency.pairs:
        axes.text(0.5, 0.5, "not measured", ha="center", transform=axes.transAxes)
        axes.set_axis_off()
        return
    if latency.sampled:
        times = latency.by_relation
        axes.barh(
            [RELATIONS.get(name, f"same {name}") for name in times],
            [t.estimate * 1e9 for t in times.values()],
        )
        axes.set_xlabel("ns")
        return
    place = {number: index for index, number in enumerate(numbers)}
    cells = [[math.nan] * len(numbers) for _ in numbers]
    for (a, b), time in latency.pairs.items():
        cells[place[a]][place[b]] = cells[place[b]][place[a]] = time.estimate * 1e9
    top = max(time.estimate * 1e9 for time in latency.pairs.values())
    image = axes.imshow(cells, cmap="viridis", vmin=0, vmax=top)
    axes.set_xticks(range(len(numbers)), [str(number) for number in numbers])
    axes.set_yticks(range(len(numbers)), [str(number) for number in numbers])
    axes.set(xlabel="CPU", ylabel="CPU")
    if len(numbers) <= _MOST_LABELS:
        for row, values in enumerate(cells):
            for column, value in enumerate(values):
                if not math.isnan(value):
                    colour = "white" if value < 0.6 * top else "black"
                    axes.text(column, row, f"{value:.0f}", ha="center", va="center", color=colour)
    figure.colorbar(image, ax=axes, label="ns", shrink=0.8)


def _ceiling(axes: Axes, probes: Probes) -> None:
    counts = sorted({1, *probes.ceiling.gains, *probes.bandwidth.gains})
    axes.plot(counts, counts, color=_IDEAL, linestyle="--", label="ideal")
    for name, rates, colour in (
        ("work that shares nothing", probes.ceiling, COLOURS[0]),
        ("memory bandwidth", probes.bandwidth, COLOURS[1]),
    ):
        gains = rates.gains
        axes.errorbar(
            list(gains),
            [gain.estimate for gain in gains.values()],
            yerr=_bars(list(gains.values()), 1.0),
            label=name,
            color=colour,
            marker="o",
            capsize=3,
        )
    axes.set(title="What the machine gives", xlabel="workers", ylabel="speedup", ylim=(0, None))
    if len(counts) <= _MOST_LABELS:
        axes.set_xticks(counts)
    axes.legend(frameon=False)


def _bars(intervals: list[Median], scale: float) -> Any:
    """Lengths below and above each estimate; none where an end is not known."""
    rows = [
        (max(0.0, (i.estimate - i.low) * scale), max(0.0, (i.high - i.estimate) * scale))
        if math.isfinite(i.low) and math.isfinite(i.high)
        else (0.0, 0.0)
        for i in intervals
    ]
    return [[low for low, _ in rows], [high for _, high in rows]]
