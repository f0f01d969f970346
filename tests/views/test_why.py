"""The report of a search on a terminal and as a picture."""

from __future__ import annotations

import io
import itertools
import math
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from knee.analysis.why import WhyReport
from knee.stats.interval import Interval
from knee.views import waterfall, why, why_markdown
from tests.causes.reports import ALL, cause, report


def text(of: WhyReport, width: int = 140) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    why.render(of, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("name", ALL)
def test_every_report_is_rendered_and_drawn(name: str, tmp_path: Path) -> None:
    assert ALL[name].summary in " ".join(text(ALL[name]).split())
    for suffix, head in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        waterfall.save(ALL[name], tmp_path / f"out{suffix}")
        assert (tmp_path / f"out{suffix}").read_bytes().startswith(head)


def test_a_cause_is_told_with_evidence_place_mend_and_proof() -> None:
    shown = " ".join(text(ALL["one"]).split())
    for part in (
        "gives back 71 to 88 % of the loss; the control gives back -3 to 4 %",
        "/w/examples/tallies.py:24",
        "Tally",
        "let each worker make its own",
        "def setup_worker(index, workers):",
        "knee compare tallies.py:operation tallies.py:fixed",
        "shuffled 40%",
    ):
        assert part in shown


def test_innocent_untried_and_rejected_are_told() -> None:
    shown = " ".join(text(ALL["one"]).split())
    assert "immortal gives back -10 to 10 %" in shown
    assert "no collection ran" in shown
    assert "allocator: no other allocator" in shown
    assert "Rejected: lock: 95%" in shown


def test_what_a_single_launch_showed_says_so() -> None:
    once = {"arm": "rounded", "title": "", "share": Interval(-math.inf, 0.03, math.inf), "text": ""}
    assert "gives back 3 % (seen once)" in text(replace(ALL["one"], innocent=(once,)))
    assert "seen once" not in text(ALL["one"])


def test_what_was_only_observed_is_marked() -> None:
    assert "(observed, not removed)" in " ".join(text(ALL["two"]).split())


def test_an_unknown_bound_is_not_printed() -> None:
    assert "inf" not in text(ALL["few launches"])


def test_the_bars_of_the_waterfall_follow_each_other_down_to_the_ceiling() -> None:
    made = waterfall.steps(ALL["two"])
    assert made[0].end == pytest.approx(1.9)
    for above, below in itertools.pairwise(made[:-1]):
        assert below.start == pytest.approx(above.end)
    assert made[-2].end == pytest.approx(1.01)
    assert made[-1].end == pytest.approx(1.01)


def test_what_no_cause_explains_has_a_bar_of_its_own() -> None:
    labels = [step.label for step in waterfall.steps(ALL["one"])]
    assert labels == [
        "2 workers, as it is",
        "false-sharing.objects",
        "not explained",
        "what this machine can do",
    ]
    assert "not explained" not in [step.label for step in waterfall.steps(ALL["none"])]


def test_causes_that_together_give_back_more_than_all_stop_at_the_ceiling() -> None:
    made = waterfall.steps(report(cause("refcount", 0.7, 0.8, 0.9), cause("lock", 0.5, 0.6, 0.7)))
    assert min(step.end for step in made) == pytest.approx(1.01)


def test_the_same_report_gives_the_same_svg(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        waterfall.save(ALL["two"], tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_long_name_does_not_break_the_picture(tmp_path: Path) -> None:
    long = cause("lock", 0.5, 0.6, 0.7)
    long = replace(long, where=replace(long.where, name="a name " * 30), evidence="words " * 100)
    waterfall.save(report(long, slowdown=Interval(40.0, 60.0, 80.0)), tmp_path / "out.png")


def test_a_report_of_an_interrupted_search_says_so() -> None:
    assert "Interrupted:" in text(replace(ALL["one"], status="interrupted"))
    assert "Interrupted" not in text(ALL["one"])


@pytest.mark.parametrize("name", ALL)
def test_markdown_says_what_the_terminal_says(name: str) -> None:
    shown = why_markdown.render(ALL[name])
    plain = shown.replace("\\", "").replace("<sub>", "")
    for found in ALL[name].causes:
        assert f". {found.cause}**: {found.title}" in plain
        assert " ".join(found.evidence.split()) in plain
        assert found.prove in plain
    for entry in ALL[name].innocent:
        assert f"- {entry['arm']}: {why.told(entry)}" in plain
    assert shown.count("```") % 2 == 0
    for block in shown.split("\n\n"):
        if block.startswith("|"):
            assert len({line.count("|") for line in block.splitlines()}) == 1
