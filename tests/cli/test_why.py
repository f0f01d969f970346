"""``knee why``: what it refuses, and a real search from the command line to the store; no timing is asserted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from knee.errors import KneeError
from knee.launch.interpreter import find
from tests.cli.conftest import Knee
from tests.schemas import follows

SHARED = """
SETTING = ["endpoint", 1.5]

def setup(workers):
    return [{"setting": SETTING} for _ in range(workers)]

def operation(table):
    for _ in range(2_000):
        table["setting"]
"""


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    file = tmp_path / "bench.py"
    file.write_text(SHARED)
    return file


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing to look into"),
        (("bench.py:operation", "--workers", "1"), "one worker"),
        (("bench.py:operation", "--kind", "processes"), "--kind does not apply"),
        (("bench.py:operation", "--launches", "3"), "--launches does not apply"),
        (("bench.py:operation", "--env", "A=1", "--env", "A=2"), "one treatment"),
        (("bench.py:operation", "--", "prog", "{workers}"), "do not mix"),
        (("nowhere.py:operation",), "no file"),
        (("--", "prog"), "{workers}"),
        (("bench.py:operation", "--plot", "out.txt"), "no picture"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_runs(
    knee: Knee, bench: Path, arguments: tuple[str, ...], said: str
) -> None:
    ended = knee("why", *arguments)
    assert ended.code == 2
    assert said in ended.err


@pytest.mark.real
@pytest.mark.parametrize("python", ["3.13t", "own"])
def test_a_search_ends_in_a_report_a_picture_and_the_store(knee: Knee, bench: Path, python: str) -> None:
    try:
        path = sys.executable if python == "own" else find(python).path
    except KneeError:
        pytest.skip(f"no {python} here")
    ended = knee(
        "why",
        f"{bench}:operation",
        "--python",
        path,
        "--budget",
        "8s",
        "--json",
        "why.json",
        "--plot",
        "why.png",
    )
    assert ended.code == 0, ended.err
    data = json.loads(Path("why.json").read_text())
    follows(data, "why")
    assert data["workload"] == "bench.py:operation"
    assert data["launches"] >= 1
    assert Path("why.png").read_bytes().startswith(b"\x89PNG")
    again = knee("show", "last", "--format", "json")
    assert json.loads(again.out) == data


@pytest.mark.real
def test_a_workload_that_raises_is_told_in_one_line(knee: Knee, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def operation():\n    raise ValueError('no luck')\n")
    ended = knee("why", "broken.py:operation", "--budget", "5s")
    assert ended.code in (1, 2)
    assert "no luck" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.real
def test_a_command_is_searched_with_what_reaches_it(knee: Knee) -> None:
    ended = knee(
        "why", "--json", "-", "--budget", "8s", "--", sys.executable, "-c", "sum(range(10**5))", "{workers}"
    )
    assert ended.code == 0, ended.err
    data = json.loads(ended.out)
    follows(data, "why")
    assert data["interpreter"] == ""
