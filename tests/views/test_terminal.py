"""The tables say what was measured, under which law, and what to believe of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from knee.analysis.report import LAWS, RunReport
from knee.analysis.run import analyse
from knee.store.database import Store
from knee.views import terminal
from tests.synthetic import Synthetic, perfect

Report = Callable[[str], RunReport]


def flat(text: str) -> str:
    return " ".join(text.split())


def test_every_report_can_be_printed_at_every_width(any_report: RunReport) -> None:
    for width in (40, 80, 200):
        text = terminal.text(any_report, width)
        assert f"Run {any_report.run}," in flat(text)
        assert flat(LAWS[any_report.law])[1:] in flat(text)


def test_a_row_shows_time_throughput_speedup_gain_efficiency_and_ceiling(report: Report) -> None:
    text = terminal.text(report("ladder"))
    row = next(line for line in text.splitlines() if line.strip().startswith("4 "))
    for figure in ("137 ms", "29.", "2.9", "0.5", "73%", "4.0"):
        assert figure in row
    assert "CONFIRMED-CODE" in text


def test_a_ceiling_that_was_not_measured_has_no_column_but_a_reason(store: Store) -> None:
    told = {"command": "a command is timed as a whole process", "threads": "for want of native code"}
    for kind, why in told.items():
        made = analyse(store, Synthetic(curves={kind: perfect}, control=False).into(store))
        text = terminal.text(made)
        head = next(line for line in text.splitlines() if line.startswith("workers "))
        assert "ceiling" not in head
        assert f"Ceiling: not measured, {why}" in flat(text)


@pytest.mark.parametrize("workers", [(1, 2), (2, 4)])
def test_what_is_not_against_one_worker_is_said_so(store: Store, workers: tuple[int, ...]) -> None:
    text = flat(terminal.text(analyse(store, Synthetic(workers=workers).into(store))))
    assert ("are against 2 workers, not against one" in text) is (workers[0] != 1)


def test_the_knee_is_named_with_its_reason(report: Report) -> None:
    text = flat(terminal.text(report("ladder")))
    assert "The knee is at 4 workers: up to 4 each worker is worth" in text
    assert "No knee up to 8 workers" in text


def test_a_row_with_modes_shows_each_and_no_single_number(report: Report) -> None:
    made = report("split")
    (kind,) = made.kinds
    assert kind.ladder is not None
    text = terminal.text(made)
    row = kind.ladder.rows[1]
    assert row.speedup is not None
    assert f"{row.speedup.estimate:.2f}" not in text
    for mode in kind.modes(2):
        assert mode.speedup is not None
        assert f"{mode.share:.0%}: {mode.speedup.estimate:.2f}" in text


def test_one_launch_shows_that_nothing_is_known_of_the_spread(report: Report) -> None:
    text = terminal.text(report("single"))
    assert "± ?" in text
    assert "FEW-LAUNCHES" in text


def test_trouble_is_shown_as_it_was_told_and_losses_once(report: Report) -> None:
    text = terminal.text(report("troubled"))
    assert "GIL ON in a free-threaded build" in text
    assert "subinterpreters: not available: _x refuses" in text
    assert "Clocks [b]rise[/b]." in text
    assert "Turn it off | on." in text
    assert "raised: ValueError: [x], 4 threads, worker 1, rep 2 (2 times, first in launch 2)" in text
    assert text.count("Traceback") == 1
    assert "knee run --resume" in text


def test_a_run_without_results_does_not_bury_its_reason(report: Report) -> None:
    text = terminal.text(report("nothing"))
    assert "nothing of it was measured" in text
    assert "Hazards" not in text
    assert "±" not in text


@pytest.mark.parametrize("name", ["ladder", "troubled"])
def test_prose_has_no_spaces_at_line_ends(report: Report, name: str) -> None:
    lines = terminal.text(report(name), 60).splitlines()
    prose = lines[next(n for n, line in enumerate(lines) if line.startswith("± is half")) :]
    assert [line for line in prose if line != line.rstrip()] == []
