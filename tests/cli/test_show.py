"""Stored runs are shown again, in every format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from knee.cli.show import FORMATS
from knee.store.database import Store
from tests.cli.conftest import Knee
from tests.synthetic import Synthetic


@pytest.fixture
def run(knee: Knee, tmp_path: Path) -> int:
    """A stored run, after one that is not wanted."""
    with Store.open(tmp_path / "knee.db") as store:
        Synthetic(workload="other.py:operation", launches=1).into(store)
        return Synthetic().into(store)


def test_the_last_run_is_shown_unless_another_is_named(knee: Knee, run: int) -> None:
    assert "bench.py:operation" in knee("show").out
    assert "other.py:operation" in knee("show", "1").out
    assert knee("show", "last").out == knee("show", str(run)).out == knee("show").out


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_can_go_to_a_file_and_is_the_same_there(knee: Knee, run: int, form: str) -> None:
    shown = knee("show", "--format", form)
    assert shown.code == 0
    ended = knee("show", "--format", form, "-o", "out.txt")
    assert (ended.code, ended.out) == (0, "")
    assert Path("out.txt").read_text().splitlines() == shown.out.splitlines()


def test_formats_for_programs_can_be_read_by_them(knee: Knee, run: int) -> None:
    assert json.loads(knee("show", "--format", "json").out)["run"] == run
    assert json.loads(knee("show", "--json", "-").out)["run"] == run
    assert len(list(csv.DictReader(io.StringIO(knee("show", "--format", "csv").out)))) == 3
    assert len(json.loads(knee("show", "--format", "pyperf").out)["benchmarks"]) == 3


def test_a_plot_can_be_drawn_again(knee: Knee, run: int) -> None:
    assert "Plot in out.svg" in knee("show", "--plot", "out.svg").out
    assert "<svg" in Path("out.svg").read_text()


def test_showing_needs_no_write_access(knee: Knee, run: int) -> None:
    Path("knee.db").chmod(0o444)
    before = Path("knee.db").read_bytes()
    assert knee("show").code == 0
    assert Path("knee.db").read_bytes() == before


@pytest.mark.parametrize("name", ["9", "first", "-1"])
def test_a_run_that_is_not_there_is_one_line(knee: Knee, run: int, name: str) -> None:
    ended = knee("show", name)
    assert (ended.code, ended.out) == (2, "")
    assert len(ended.err.splitlines()) == 2


def test_a_file_that_cannot_be_written_is_one_line(knee: Knee, run: int) -> None:
    ended = knee("show", "--format", "csv", "-o", "none/out.csv")
    assert ended.code == 2
    assert "cannot be written" in ended.err


@pytest.mark.parametrize("beside", [("--format", "csv"), ("--format", "json"), ("-o", "out.txt")])
def test_json_that_would_be_left_out_is_refused(knee: Knee, run: int, beside: tuple[str, str]) -> None:
    ended = knee("show", "--json", "out.json", *beside)
    assert (ended.code, ended.out, len(ended.err.splitlines())) == (2, "", 2)
    assert not Path("out.json").exists()
    assert not Path("out.txt").exists()


@pytest.mark.parametrize("form", FORMATS)
def test_a_plot_is_drawn_beside_every_format(knee: Knee, run: int, form: str) -> None:
    assert knee("show", "--format", form, "-o", "out.txt", "--plot", "out.svg").code == 0
    assert "<svg" in Path("out.svg").read_text()
