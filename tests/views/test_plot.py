"""The picture holds the curves, the ideal line, the ceiling, the intervals and the fast cores."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from knee.analysis.report import RunReport
from knee.analysis.run import analyse
from knee.store.database import Store
from knee.views import plot
from tests.synthetic import Synthetic, amdahl

Report = Callable[[str], RunReport]


def test_every_report_can_be_drawn_in_every_format(any_report: RunReport, tmp_path: Path) -> None:
    for suffix, head in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        plot.save(any_report, tmp_path / f"out{suffix}")
        assert (tmp_path / f"out{suffix}").read_bytes().startswith(head)


def test_the_legend_names_all_that_is_drawn(report: Report) -> None:
    (axes,) = plot.draw(report("ladder")).axes
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [
        "ideal",
        "machine's ceiling",
        "threads",
        "processes",
    ]


def test_the_curves_go_through_the_estimates(report: Report) -> None:
    made = report("ladder")
    (axes,) = plot.draw(made).axes
    lines = [(line.get_xdata(), line.get_ydata()) for line in axes.lines]
    assert any(np.array_equal(x, [1, 8]) and np.array_equal(y, [1, 8]) for x, y in lines)
    for kind in made.kinds:
        assert kind.ladder is not None
        speedups = [row.speedup.estimate for row in kind.ladder.rows if row.speedup]
        assert any(np.array_equal(y, speedups) for _, y in lines)


def test_text_in_an_svg_can_be_searched(report: Report, tmp_path: Path) -> None:
    plot.save(report("ladder"), tmp_path / "out.svg")
    texts = "".join(ET.parse(tmp_path / "out.svg").getroot().itertext())
    for text in (
        "bench.py:operation",
        "4 fast cores",
        "knee",
        "10 launches, 95 % intervals",
        "every worker does the same work",
    ):
        assert text in texts


def test_no_line_is_drawn_through_modes(report: Report) -> None:
    made = report("split")
    (axes,) = plot.draw(made).axes
    texts = [text.get_text() for text in axes.texts]
    assert sum("of launches" in text for text in texts) == 4
    ladder = made.kinds[0].ladder
    assert ladder is not None
    means = {row.speedup.estimate for row in ladder.rows[1:] if row.speedup}
    assert all(not means & set(np.atleast_1d(line.get_ydata())) for line in axes.lines)


def test_a_wide_ladder_is_drawn_on_logarithmic_scales(store: Store) -> None:
    counts = tuple(1 << bit for bit in range(7))
    (axes,) = plot.draw(
        analyse(store, Synthetic(curves={"threads": amdahl(0.05)}, workers=counts).into(store))
    ).axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert [label.get_text() for label in axes.get_xticklabels()] == [str(count) for count in counts]


def test_marks_of_mathematics_in_a_name_are_drawn_as_they_are(report: Report, tmp_path: Path) -> None:
    plot.save(replace(report("ladder"), workload="cost $\\frac{x"), tmp_path / "out.svg")
    assert "cost $\\frac{x" in "".join(ET.parse(tmp_path / "out.svg").getroot().itertext())


@pytest.mark.parametrize("cores", [None, 0, 3, 64])
def test_fast_cores_are_marked_where_they_lie_in_the_ladder(report: Report, cores: int | None) -> None:
    (axes,) = plot.draw(replace(report("ladder"), fast_cores=cores)).axes
    assert any("fast core" in text.get_text() for text in axes.texts) == (cores == 3)
