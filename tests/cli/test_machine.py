"""``knee machine``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Knee
from tests.views.machines import recorded


def test_workers_prints_the_number_alone(knee: Knee) -> None:
    ended = knee("machine", "--workers")
    assert ended.code == 0
    assert int(ended.out) >= 1
    assert ended.err == ""


def test_json_to_standard_output_is_all_that_goes_there(knee: Knee) -> None:
    ended = knee("machine", "--json", "-")
    assert ended.code == 0
    assert json.loads(ended.out)["useful_workers"]["count"] >= 1


def test_the_table_is_shown_beside_a_json_file(knee: Knee, tmp_path: Path) -> None:
    ended = knee("machine", "--json", "machine.json")
    assert "Useful workers" in ended.out
    assert json.loads((tmp_path / "machine.json").read_text())["probes"] == {}


@pytest.mark.parametrize("more", [["--probe"], ["--json", "-"], ["--plot", "a.png"]])
def test_workers_goes_with_nothing_else(knee: Knee, more: list[str]) -> None:
    ended = knee("machine", "--workers", *more)
    assert ended.code == 2
    assert "one number only" in ended.err


def test_files_that_cannot_be_written_are_refused_before_anything_is_measured(knee: Knee) -> None:
    assert knee("machine", "--plot", "a.gif").code == 2
    assert knee("machine", "--json", "nowhere/a.json").code == 2


def test_a_plot_runs_the_probes(knee: Knee, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    def fake(**options: Any) -> object:
        asked.append(options)
        return recorded("vm_2vcpu", probed=True)

    monkeypatch.setattr("knee.machine.describe", fake)
    ended = knee("machine", "--plot", "machine.png", "--seed", "3")
    assert ended.code == 0
    assert (tmp_path / "machine.png").exists()
    assert "Plot in machine.png." in ended.out
    assert asked[0]["probe"] is True
    assert asked[0]["seed"] == 3
    assert asked[0]["earlier"] == []
