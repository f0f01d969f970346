"""From the command line to an experiment, and from its run to the exit code."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.cli import options
from knee.cli.run import ladder_to
from knee.plan.experiment import Experiment
from knee.store.database import Store
from tests.cli.conftest import Knee, Lab
from tests.launch.fake import raising
from tests.schemas import follows
from tests.synthetic import Synthetic

SCALES = lambda _, kind, workers: 0.001 * (1 + 0.1 * (workers - 1))  # noqa: E731


def measured(lab: Lab, knee: Knee, *arguments: str) -> Experiment:
    ended = knee("run", *arguments)
    assert ended.code == 0, ended.err
    return lab.experiments[-1]


@given(st.integers(-1, 2000))
def test_the_default_ladder_doubles_up_to_the_useful_workers(useful: int) -> None:
    counts = ladder_to(useful)
    assert counts[:2] == (1, 2)
    assert counts[-1] == max(useful, 2)
    assert all(b <= 2 * a for a, b in pairwise(counts))
    assert counts == tuple(sorted(set(counts)))


def test_the_defaults_are_those_of_the_documentation(lab: Lab, knee: Knee, bench: str) -> None:
    experiment = measured(lab, knee, bench, "--workers", "1,2")
    assert (experiment.kinds, experiment.law, experiment.precision, experiment.budget) == (
        ("threads",),
        "scaled",
        0.03,
        60,
    )
    assert (experiment.minimum, experiment.min_time, experiment.timeout, experiment.native) == (
        5,
        0.1,
        60,
        True,
    )
    assert experiment.launches is None
    (treatment,) = experiment.treatments
    assert (treatment.python, treatment.loader, treatment.env, treatment.label) == (
        "/fake/python",
        "import",
        {},
        "bench.py:operation",
    )


def test_every_option_reaches_the_experiment(lab: Lab, knee: Knee, bench: str) -> None:
    words = "--workers 1-3 --kind threads,processes --precision 10% --budget 9s --launches 3 --min-time 20ms"
    more = "--timeout 3s --fixed-total --loader script --seed 7 --no-native --env A=1 --env B=x=y"
    experiment = measured(lab, knee, bench, *words.split(), *more.split())
    assert (experiment.workers, experiment.kinds) == ((1, 2, 3), ("threads", "processes"))
    assert (experiment.precision, experiment.budget, experiment.launches) == (0.1, 9, 3)
    assert (experiment.min_time, experiment.timeout, experiment.seed) == (0.02, 3, 7)
    assert (experiment.law, experiment.native) == ("fixed", False)
    assert experiment.treatments[0].env == {"A": "1", "B": "x=y"}
    assert experiment.treatments[0].loader == "script"


def test_two_runs_draw_different_seeds(lab: Lab, knee: Knee, bench: str) -> None:
    seeds = {measured(lab, knee, bench, "--launches", "1").seed for _ in range(2)}
    assert len(seeds) == 2


def test_a_statement_with_its_set_up(lab: Lab, knee: Knee) -> None:
    workload = (
        measured(lab, knee, "-s", "d = dict.fromkeys(range(100))", "sum(d)", "--launches", "1")
        .treatments[0]
        .workload
    )
    assert (workload.form, workload.statement, workload.setup) == (
        "statement",
        "sum(d)",
        "d = dict.fromkeys(range(100))",
    )


def test_a_command_with_options_of_its_own(lab: Lab, knee: Knee) -> None:
    experiment = measured(lab, knee, "--launches", "1", "--", "./prog", "--budget", "{workers}")
    assert experiment.treatments[0].workload.argv == ("./prog", "--budget", "{workers}")
    assert experiment.kinds == ("command",)
    assert experiment.law == "fixed"
    assert experiment.treatments[0].python == ""


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ((), "nothing to measure"),
        (("--",), "no command after --"),
        (("--", "./prog"), "has no {workers} in it"),
        (("bench.py:operation", "--", "./prog", "{workers}"), "do not mix"),
        (("none.py:operation",), "there is no file none.py"),
        (("bench.py",), "is not a workload"),
        (("bench",), "is not a workload"),
        (("bench:operation",), "is not a workload"),
        (("bench.py:operation", "-s", "x = 1"), "-s is for statements"),
        (("bench.txt:operation",), "is not a workload"),
        (("src/bench:operation",), "is not a workload"),
        (("sum(",), "does not compile"),
        (("",), "the statement '' is empty"),
        ((" # nothing",), "the statement ' # nothing' is empty"),
        (("sum(d)", "-s", "d = ("), "the setup"),
        (("-s", "x", "--", "./prog", "{workers}"), "-s is for statements"),
        (("--kind", "threads", "--", "./prog", "{workers}"), "--kind is for Python workloads"),
        (("--python", "3.13", "--", "./prog", "{workers}"), "--python is for Python workloads"),
        (("--with", "x", "--", "./prog", "{workers}"), "--with is for Python workloads"),
        (("bench.py:operation", "--plot", "x.bmp"), "is no picture"),
        (("bench.py:operation", "--plot", "none/x.png"), "there is no folder"),
        (("bench.py:operation", "--json", "none/x.json"), "there is no folder"),
        (("bench.py:operation", "--json", "."), "cannot be written"),
        (("bench.py:operation", "--resume"), "has its workload already"),
        (("--resume", "--budget", "9s"), "--budget would change it"),
        (("--resume",), "no run to go on with"),
        (("--resume", "4"), "there is no run 4"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_two_lines_before_anything_starts(
    lab: Lab, knee: Knee, bench: str, arguments: tuple[str, ...], line: str
) -> None:
    ended = knee("run", *arguments)
    assert (ended.code, ended.out) == (2, "")
    first, advice = ended.err.splitlines()
    assert line in first
    assert advice.strip()
    assert lab.experiments == ()


def test_a_store_that_cannot_be_used_is_refused_before_anything_starts(
    lab: Lab, knee: Knee, bench: str
) -> None:
    Path("notes.txt").write_text("not a database, " * 100)
    ended = knee("run", bench, "--store", "notes.txt")
    assert ended.code == 2
    assert "is not a database" in ended.err
    assert lab.experiments == ()


def test_the_run_is_stored_in_the_project_and_shown(lab: Lab, knee: Knee, bench: str, tmp_path: Path) -> None:
    lab.cost = SCALES
    ended = knee("run", bench, "--workers", "1,2,4", "--plot", "out.png")
    assert ended.code == 0
    assert "The knee" in ended.out or "No knee" in ended.out
    assert str(tmp_path / "knee.db") in ended.out
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    with Store.open(tmp_path / "knee.db", readonly=True) as store:
        assert [run.status for run in store.runs()] == ["finished"]


def test_json_on_standard_output_is_alone_there(lab: Lab, knee: Knee, bench: str) -> None:
    lab.cost = SCALES
    ended = knee("run", bench, "--workers", "1,2", "--json", "-", "--plot", "out.svg")
    report: dict[str, Any] = json.loads(ended.out)
    assert report["kinds"][0]["rows"][1]["speedup"]["estimate"] == pytest.approx(2 / 1.1, rel=0.01)
    assert Path("out.svg").exists()


def test_json_in_a_file_stands_beside_the_table(lab: Lab, knee: Knee, bench: str) -> None:
    ended = knee("run", bench, "--workers", "1,2", "--json", "out.json")
    assert "workers" in ended.out
    assert json.loads(Path("out.json").read_text())["workload"] == "bench.py:operation"


def test_a_workload_that_raises_ends_the_run_with_its_traceback_and_code_1(
    lab: Lab, knee: Knee, bench: str
) -> None:
    def late(what: tuple[object, ...]) -> bool:
        return what[:3] == ("rep", "threads", 2)

    lab.trouble = raising("raised", late, traceback="Traceback of it", worker=1)
    ended = knee("run", bench, "--workers", "1,2")
    assert ended.code == 1
    assert "Traceback of it" in ended.out
    assert "2 threads, worker 1" in ended.out
    assert "Traceback" not in ended.err
    assert knee("list").out.count("failed") == 1


def test_a_workload_that_does_not_load_is_bad_input(lab: Lab, knee: Knee, bench: str) -> None:
    lab.trouble = raising(
        "raised",
        lambda what: what[0] == "open",
        traceback='File "<frozen importlib>", line 3\n  File "bench.py", line 9, in <module>',
        where="load",
    )
    ended = knee("run", bench)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.splitlines() == [
        "knee: bench.py:operation cannot be loaded: as told",
        "  see line 9 of bench.py",
    ]


@pytest.mark.real
def test_a_command_that_does_not_start_is_bad_input(knee: Knee) -> None:
    for verb in ("run", "compare"):
        ended = knee(
            verb,
            "--workers",
            "1",
            "--",
            *(["./none {workers}"] * 2 if verb == "compare" else ["./none", "{workers}"]),
        )
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.splitlines() == [
            "knee: ./none cannot be run: No such file or directory",
            "  check its path; it is run without a shell",
        ]


def test_ctrl_c_shows_what_was_measured_and_resuming_goes_on_with_it(
    lab: Lab, knee: Knee, bench: str
) -> None:
    reps = iter(range(10**9))

    def interrupted(what: tuple[object, ...]) -> None:
        if what[0] == "rep" and next(reps) == 40:
            raise KeyboardInterrupt

    lab.trouble = interrupted
    ended = knee("run", bench, "--workers", "1,2", "--launches", "12", "--seed", "5")
    assert ended.code == 130
    assert "speedup" in ended.out
    assert "knee run --resume 1 goes on with it" in ended.out
    first = len(lab.experiments)
    ended = knee("run", "--resume")
    assert ended.code == 0
    assert "11 launches" in ended.out  # and what the interrupted one had measured
    assert {experiment.seed for experiment in lab.experiments} == {5}
    assert 12 <= len(lab.experiments) <= 13
    assert first < 12


def test_a_comparison_is_resumed_and_shown_as_one(lab: Lab, knee: Knee, bench: str, tmp_path: Path) -> None:
    (tmp_path / "bench.py").write_text("def operation(): pass\ndef other(): pass\n")
    reps = iter(range(10**9))

    def interrupted(what: tuple[object, ...]) -> None:
        if what[0] == "rep" and next(reps) == 200:
            raise KeyboardInterrupt

    lab.trouble = interrupted
    ended = knee("compare", bench, "bench.py:other", "--workers", "1,2", "--launches", "9")
    assert ended.code == 130
    assert "knee run --resume 1 goes on with it" in ended.out
    ended = knee("run", "--resume", "--json", "resumed.json")
    assert ended.code == 0
    assert "bench.py:other against bench.py:operation" in ended.out
    assert "A/A control" in ended.out
    follows(json.loads(Path("resumed.json").read_text()), "compare")


def test_a_search_for_causes_is_not_resumed(lab: Lab, knee: Knee, bench: str) -> None:
    with Store.open("knee.db") as store:
        Synthetic(launches=1, status="interrupted").into(store)
        run = store.begin(replace(Synthetic().record(), verb="why"))
        store.finish(run, "interrupted")
        assert store.resolve("last", resumable=True) == 1
    ended = knee("run", "--resume", str(run))
    assert (ended.code, ended.out, lab.experiments) == (2, "", ())
    assert ended.err.startswith(f"knee: run {run} was made by knee why, and a search starts anew\n")


def test_a_target_is_told_from_a_statement_by_its_looks(knee: Knee, bench: str) -> None:
    assert options.workload(bench, None).form == "callable"
    assert options.workload("bench.py:ünïcode.Über_2", None).name == "ünïcode.Über_2"
    for text in ("sum(range(3))", "x = {1: 2}", "pass", "x.y", "a:b"):
        assert options.workload(text, None).form == "statement"
