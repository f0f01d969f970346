"""``knee check`` on fake launches: what it refuses, what it says, and its exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from knee.plan.cell import counted
from tests.cli.conftest import Knee, Lab
from tests.launch.fake import raising
from tests.schemas import follows

# Fake launches take the same time to the last digit.
pytestmark = pytest.mark.filterwarnings("ignore:Precision loss occurred:RuntimeWarning")

QUICK = ("--workers", "1,2", "--launches", "5")


@pytest.fixture
def target(tmp_path: Path) -> str:
    """Two callables in one file."""
    (tmp_path / "work.py").write_text("def operation(): pass\ndef other(): pass\n")
    return "work.py:operation"


def test_last_is_the_run_before_this_one_not_this_one(lab: Lab, knee: Knee, target: str) -> None:
    knee("run", target, *QUICK)
    lab.cost = lambda *_: 0.002
    ended = knee("check", target, "--against", "last", *QUICK)
    assert ended.code == 1
    assert "FAIL: 1 thread: 2.000 of the time of the earlier run" in ended.out
    assert "FAIL: 2 threads: 2.000 of the time of the earlier run" in ended.out


@pytest.mark.parametrize(
    ("run", "check", "told"),
    [
        (("work.py:other",), (), "it measured work.py:other, not work.py:operation"),
        (("work.py:operation", "--fixed-total"), (), "it divided a fixed amount of work, and this does not"),
        (("work.py:operation",), ("--workers", "3,4"), "its worker counts are 1, 2, not 3, 4"),
        (("work.py:operation",), ("--kind", "processes"), "its kinds of worker are threads, not processes"),
    ],
)
def test_a_run_of_something_else_is_refused_in_one_line_before_anything_starts(
    lab: Lab, knee: Knee, target: str, run: tuple[str, ...], check: tuple[str, ...], told: str
) -> None:
    assert knee("run", *run, *QUICK).code == 0
    before = len(lab.experiments)
    ended = knee("check", target, "--against", "1", *QUICK, *check)
    assert (ended.code, ended.out, len(lab.experiments)) == (2, "", before)
    assert ended.err.splitlines()[0] == f"knee: run 1 cannot be compared: {told}"


def test_a_comparison_is_no_run_to_check_against(lab: Lab, knee: Knee, target: str) -> None:
    assert knee("compare", target, "work.py:other", *QUICK).code == 0
    ended = knee("check", target, "--against", "1", *QUICK)
    assert ended.code == 2
    assert "run 1 cannot be compared: it was made by knee compare" in ended.err


def test_a_changed_source_is_what_a_check_is_for(lab: Lab, knee: Knee, target: str, tmp_path: Path) -> None:
    knee("run", target, *QUICK)
    (tmp_path / "work.py").write_text("def operation(): return 1\n")
    assert knee("check", target, "--against", "1", *QUICK).code == 0


@pytest.mark.parametrize("asked", [("--min-efficiency", "0.5@2"), ("--against", "1")])
def test_a_workload_that_raises_fails_its_check(lab: Lab, knee: Knee, target: str, asked: Any) -> None:
    knee("run", target, *QUICK)
    lab.trouble = raising("raised", lambda what: what[0] == "rep")
    ended = knee("check", target, *asked, *QUICK, "--json", "check.json")
    assert ended.code == 1
    assert ended.out.startswith("FAIL: work.py:operation could not be measured: as told (knee show 2")
    document = json.loads(Path("check.json").read_text())
    follows(document, "check")
    assert [check["holds"] for check in document["checks"]] == [False]


def test_an_interrupted_check_does_not_pass(lab: Lab, knee: Knee, target: str) -> None:
    def press(what: tuple[Any, ...]) -> None:
        if what[0] == "rep":
            raise KeyboardInterrupt

    lab.trouble = press
    assert knee("check", target, "--min-efficiency", "0.5@2", *QUICK).code == 130


@pytest.mark.parametrize(("workers", "missing"), [("1,2", 4), ("4", 1), ("2,4", 1)])
def test_an_efficiency_whose_counts_are_not_measured_is_bad_input(
    lab: Lab, knee: Knee, target: str, workers: str, missing: int
) -> None:
    ended = knee("check", target, "--min-efficiency", "0.5@4", "--workers", workers)
    assert ended.code == 2
    assert ended.err.startswith(f"knee: --workers leaves out {missing}, and")
    assert not lab.experiments


def test_commands_and_statements_can_be_checked(lab: Lab, knee: Knee) -> None:
    assert knee("check", "--min-efficiency", "0.1@2", *QUICK, "1 + 1").code == 0
    ended = knee("check", "--min-efficiency", "0.1@2", *QUICK, "--", "./prog", "{workers}")
    assert (ended.code, ended.out.partition(":")[0]) == (0, "ok")
    assert "2 workers: efficiency" in ended.out


def test_a_command_is_not_checked_against_a_commit(lab: Lab, knee: Knee) -> None:
    ended = knee("check", "--against", "main", "--", "./prog", "{workers}")
    assert (ended.code, len(ended.err.splitlines())) == (2, 2)


def test_one_worker_is_named_in_the_singular() -> None:
    assert [counted(1, kind) for kind in ("threads", "processes", "subinterpreters", "command")] == [
        "1 thread",
        "1 process",
        "1 subinterpreter",
        "1 worker",
    ]
    assert counted(2, "command") == "2 workers"
