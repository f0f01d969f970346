"""Formats for other programs are read back by those programs' own readers."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from pathlib import Path

import pyperf
import pytest

from knee.analysis.report import RunReport
from knee.analysis.run import analyse
from knee.errors import KneeError
from knee.store.database import Store
from knee.views import csv as csvview
from knee.views import jsonview, markdown, rows
from knee.views import pyperf as pyperfview
from tests.schemas import follows

Report = Callable[[str], RunReport]


def test_json_follows_its_schema_which_knows_every_field(any_report: RunReport) -> None:
    text = jsonview.render(any_report)
    follows(json.loads(text, parse_constant=pytest.fail), "run")
    assert text.endswith("}\n")


def test_csv_has_a_line_for_each_row_and_nothing_for_the_unknown(any_report: RunReport) -> None:
    lines = list(csv.DictReader(io.StringIO(csvview.render(any_report))))
    expected = [row for kind in any_report.kinds if kind.ladder for row in kind.ladder.rows]
    assert [int(line["workers"]) for line in lines] == [row.workers for row in expected]
    for line, row in zip(lines, expected, strict=True):
        assert float(line["time"]) == row.time.estimate
        assert (line["time_low"] == "") == (not math.isfinite(row.time.low))
        assert (line["gain"] == "") == (row.gain is None)
        assert None not in line.values()


def test_rows_and_columns_agree(any_report: RunReport) -> None:
    assert {len(row) for row in rows.rows(any_report)} <= {len(rows.columns())}


def test_markdown_tables_have_as_many_cells_as_columns(any_report: RunReport) -> None:
    text = markdown.render(any_report)
    table = [line.replace("\\|", "") for line in text.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in table}) <= 1
    assert len(table) == sum(2 + len(kind.ladder.rows) for kind in any_report.kinds if kind.ladder)


def test_markdown_shows_marks_as_they_are(report: Report) -> None:
    assert "### `./p|<x> [b]*a*[/b] 'q' --n '{workers}'`" in markdown.render(report("fixed"))
    text = markdown.render(report("troubled"))
    assert "\\_x refuses" in text
    assert "(2 times)" in text


def test_pyperf_reads_a_benchmark_for_each_cell_and_a_run_for_each_launch(
    store: Store, tmp_path: Path, report: Report
) -> None:
    made = report("ladder")
    reps = store.reps(made.run)
    path = tmp_path / "suite.json"
    path.write_text(pyperfview.render(made, reps))
    suite = pyperf.BenchmarkSuite.load(str(path))
    assert suite.get_benchmark_names() == [
        f"bench.py:operation [{workers} {kind}]"
        for kind in ("threads", "processes")
        for workers in (1, 2, 4, 8)
    ]
    for benchmark in suite:
        assert benchmark.get_nrun() == 10
        assert benchmark.get_nvalue() == 20
        assert all(len(run.warmups) == 1 for run in benchmark.get_runs())
    bench = suite.get_benchmark("bench.py:operation [4 threads]")
    mine = reps.select(kind="threads", treatment=0, workers=4)
    assert sorted(bench.get_values()) == pytest.approx(sorted(mine.time / mine.calls))
    assert bench.get_metadata()["knee_law"] == "scaled"


def test_pyperf_compares_two_runs(store: Store, tmp_path: Path, report: Report) -> None:
    """``pyperf compare_to`` needs equal names and values in both."""
    for name in ("one", "two"):
        made = report("fixed")
        (tmp_path / name).write_text(pyperfview.render(made, store.reps(made.run)))
    suites = [pyperf.BenchmarkSuite.load(str(tmp_path / name)) for name in ("one", "two")]
    assert suites[0].get_benchmark_names() == suites[1].get_benchmark_names()


def test_pyperf_refuses_a_run_without_reps_in_knees_words(store: Store, report: Report) -> None:
    made = report("nothing")
    with pytest.raises(KneeError, match="nothing was measured"):
        pyperfview.render(made, store.reps(made.run))


def test_an_unfinished_cell_has_its_values_all_the_same(store: Store, tmp_path: Path) -> None:
    from tests.views.conftest import single

    run = single(store)
    store._connection.execute("DELETE FROM rep WHERE warmup OR workers = 4")
    path = tmp_path / "suite.json"
    path.write_text(pyperfview.render(analyse(store, run), store.reps(run)))
    assert len(pyperf.BenchmarkSuite.load(str(path))) == 2
