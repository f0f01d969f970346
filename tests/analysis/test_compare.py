"""A comparison's report: verdicts, control, phases and what they mean, from fake launches in a real store."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from importlib import resources

import jsonschema
import pytest
from rich.console import Console

from knee.analysis import check
from knee.analysis.compare import analyse, unmeant
from knee.analysis.run import kind_report
from knee.plan.experiment import Experiment
from knee.plan.treatment import Treatment
from knee.plan.workload import Workload
from knee.store.database import Store
from knee.views import comparison as view
from knee.views import comparison_markdown, forest
from tests.launch.fake import measure

OLD = Treatment("old", Workload("callable", file="/w.py", name="old"), "/python")
NEW = Treatment("new", Workload("callable", file="/w.py", name="new"), "/python")
OTHER = Treatment("other", Workload("callable", file="/w.py", name="old"), "/other/python")


def noisy(
    cost: Callable[[int, int], float], noise: float = 0.003, seed: int = 1
) -> Callable[[int, str, int], float]:
    """A cost per call and worker with noise; the A/A copy costs what the first does."""
    draw = random.Random(seed)
    return lambda treatment, _, workers: (
        cost(0 if treatment == 2 else treatment, workers) * draw.lognormvariate(0, noise)
    )


def plan(*treatments: Treatment, workers: tuple[int, ...] = (1, 2), **more: object) -> Experiment:
    return Experiment("compare", treatments, workers=workers, again=True, launches=12, seed=4, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("ratio", "verdict"), [(1.1, "slower"), (0.9, "faster"), (1.0, "same")])
def test_a_true_difference_gets_its_verdict_at_every_count(store: Store, ratio: float, verdict: str) -> None:
    run = measure(store, plan(OLD, NEW), noisy(lambda t, _: 0.001 * (ratio if t else 1.0)))
    report = analyse(store, run)
    assert report.blocking == "pool"
    assert [row.workers for row in report.kinds[0].comparison.rows] == [1, 2, None]
    assert set(report.verdicts) == {verdict}
    assert not report.kinds[0].comparison.control.failed


def test_treatments_of_two_interpreters_are_blocked_by_time_or_pinning(store: Store) -> None:
    cost = noisy(lambda *_: 0.001)
    assert analyse(store, measure(store, plan(OLD, OTHER), cost)).blocking == "time"
    assert analyse(store, measure(store, plan(OLD, OTHER, pin=True), cost)).blocking == "pinned"


def test_the_difference_lands_in_the_phase_that_made_it(store: Store) -> None:
    cost = noisy(lambda t, _: 0.0012 if t else 0.001)
    phases = {
        0: {"parse": 0.5, "emit": 0.4},
        1: {"parse": 0.7 / 1.2, "emit": 0.4 / 1.2},
        2: {"parse": 0.5, "emit": 0.4},
    }
    kind = analyse(store, measure(store, plan(OLD, NEW), cost, phases)).kinds[0]
    shares = {row.name: row.share for row in kind.phases if row.workers == 1}
    assert shares["parse"] == pytest.approx(1.0, abs=0.1)
    assert shares["emit"] == pytest.approx(0.0, abs=0.1)
    assert shares[""] == pytest.approx(0.0, abs=0.1)


def test_a_phase_that_only_one_treatment_has_costs_the_other_nothing(store: Store) -> None:
    phases = {0: {"parse": 1.0}, 1: {"parse": 1 / 1.2, "check": 0.2 / 1.2}, 2: {"parse": 1.0}}
    kind = analyse(
        store, measure(store, plan(OLD, NEW), noisy(lambda t, _: 0.0012 if t else 0.001), phases)
    ).kinds[0]
    row = next(row for row in kind.phases if row.name == "check")
    assert row.time_against.estimate == 0
    assert row.share == pytest.approx(1.0, abs=0.1)


def test_a_faster_phase_in_an_unchanged_whole_is_explained(store: Store) -> None:
    phases = {0: {"parse": 0.5}, 1: {"parse": 0.3}, 2: {"parse": 0.5}}
    report = analyse(store, measure(store, plan(OLD, NEW), noisy(lambda *_: 0.001), phases))
    assert any(
        "'parse' got faster" in text and "stayed the same" in text for text in report.kinds[0].explanations
    )


def test_removed_parallel_work_is_told_when_the_curve_falls_and_the_time_too(store: Store) -> None:
    """Reference 002: deleting work that scaled made the compiler 2.35 times faster and its curve worse."""

    def cost(treatment: int, workers: int) -> float:
        shared = 0.001 * (1 + 0.3 * (workers - 1))
        return shared + (0.0 if treatment == 1 else 0.002)

    report = analyse(store, measure(store, plan(OLD, NEW), noisy(cost)))
    assert set(report.verdicts) == {"faster"}
    assert any(
        "lower speedup" in text and "had flattered the curve" in text for text in report.kinds[0].explanations
    )


def test_added_parallel_work_is_told_when_the_curve_rises_and_the_time_too(store: Store) -> None:
    def cost(treatment: int, workers: int) -> float:
        return 0.001 * (1 + 0.3 * (workers - 1)) + (0.002 if treatment == 1 else 0.0)

    report = analyse(store, measure(store, plan(OLD, NEW), noisy(cost)))
    assert any(
        "higher speedup" in text and "flatters the curve" in text for text in report.kinds[0].explanations
    )


def test_curves_that_move_with_their_times_need_no_explanation(store: Store) -> None:
    def cost(treatment: int, workers: int) -> float:
        return 0.001 * (1 + (0.1 if treatment == 1 else 0.5) * (workers - 1))

    report = analyse(store, measure(store, plan(OLD, NEW), noisy(cost)))
    assert report.kinds[0].explanations == ()


def test_the_json_keeps_to_its_schema_and_the_views_say_the_verdict(store: Store, tmp_path: object) -> None:
    phases = {0: {"parse": 0.5}, 1: {"parse": 0.3}, 2: {"parse": 0.5}}
    report = analyse(
        store, measure(store, plan(OLD, NEW), noisy(lambda t, _: 0.0012 if t else 0.001), phases)
    )
    schema = json.loads((resources.files("knee") / "schemas" / "compare.json").read_text())
    jsonschema.validate(report.to_json(), schema)
    text = view.text(report)
    assert "new against old" in text
    assert "slower" in text
    assert "A/A control" in text
    shown = comparison_markdown.render(report)
    assert "### `new` against `old`" in shown
    assert "slower" in shown
    assert "A/A control" in shown
    tables = [block.splitlines() for block in shown.split("\n\n") if block.startswith("|")]
    assert len(tables) == 2  # the counts, and the phases
    assert all(len({line.count("|") for line in table}) == 1 for table in tables)
    picture = tmp_path / "forest.svg"  # type: ignore[operator]
    forest.save(report, picture)
    assert "A/A control" in picture.read_text()


def test_a_comparison_without_any_launch_is_shown_as_such(store: Store) -> None:
    experiment = Experiment("compare", (OLD, NEW), launches=0, again=True)
    report = analyse(store, measure(store, experiment, lambda *_: 0.001))
    with Console(file=open("/dev/null", "w"), width=80) as console:
        view.render(report, console)
    assert "Nothing was measured" in view.text(report)
    assert "Nothing was measured" in comparison_markdown.render(report)


def test_a_proven_slowdown_fails_the_check_and_a_small_one_passes(store: Store) -> None:
    slow = analyse(
        store, measure(store, plan(OLD, NEW, margin=0.05), noisy(lambda t, _: 0.0012 if t else 0.001))
    )
    assert {found.holds for found in check.blocked_slowdown(slow, 0.05)} == {False}
    fine = analyse(
        store, measure(store, plan(OLD, NEW, margin=0.05), noisy(lambda t, _: 0.00101 if t else 0.001))
    )
    assert {found.holds for found in check.blocked_slowdown(fine, 0.05)} == {True}


def test_a_slowdown_that_cannot_be_told_does_not_fail(store: Store) -> None:
    cost = noisy(lambda t, _: 0.00105 if t else 0.001, noise=0.2)
    report = analyse(store, measure(store, plan(OLD, NEW, margin=0.05), cost))
    assert {found.holds for found in check.blocked_slowdown(report, 0.05)} == {None}


def test_two_runs_are_judged_without_blocking(store: Store) -> None:
    alone = Experiment("run", (OLD,), launches=10)
    old = store.reps(measure(store, alone, noisy(lambda *_: 0.001)))
    new = store.reps(measure(store, alone, noisy(lambda *_: 0.0012, seed=2)))
    assert {found.holds for found in check.unblocked_slowdown(new, old, ["threads"], 0.05)} == {False}
    assert {found.holds for found in check.unblocked_slowdown(old, new, ["threads"], 0.05)} == {True}
    assert {found.holds for found in check.unblocked_slowdown(new, old, ["processes"], 0.05)} == {None}


@pytest.mark.parametrize(("least", "holds"), [(0.9, False), (0.5, True)])
def test_the_efficiency_is_judged_at_its_count(store: Store, least: float, holds: bool) -> None:
    run = measure(
        store, Experiment("run", (OLD,), workers=(1, 4), launches=8), noisy(lambda _, n: 0.001 * n**0.25)
    )
    kinds = [kind_report(store.reps(run), "threads", ())]
    assert [found.holds for found in check.efficiency(kinds, least, 4)] == [holds]
    assert [found.holds for found in check.efficiency(kinds, least, 8)] == [None]


def _taken(*packages: str, version: str = "3.13.5", name: str = "old") -> dict[str, object]:
    return {
        "label": name,
        "workload": {"name": name},
        "interpreter": {"version": version},
        "environment": {},
        "packages": list(packages),
    }


def test_a_package_that_came_along_with_the_one_that_varies_is_told() -> None:
    parts = [_taken("pillow==11.0.0", "numpy==2.0.0"), _taken("pillow==12.2.0", "numpy==2.4.6")]
    [found] = unmeant({"treatments": parts}, "--with pillow")
    assert [difference.text for difference in found] == ["packages numpy: 2.0.0 / 2.4.6"]


@pytest.mark.parametrize(
    ("varies", "other", "told"),
    [
        ("targets", _taken(name="new"), []),
        ("--python", _taken(version="3.14.0"), []),
        ("targets", _taken(version="3.14.0"), ["interpreter version"]),
        ("--git", _taken("mine==1.0 (sha256:b)", "torch==2.0+cpu"), []),
        ("--git", _taken("mine==1.0 (sha256:b)", "torch==2.1+cpu"), ["packages torch"]),
    ],
)
def test_only_what_was_not_meant_to_differ_is_told(
    varies: str, other: dict[str, object], told: list[str]
) -> None:
    first = _taken("mine==1.0 (sha256:a)", "torch==2.0+cpu") if varies == "--git" else _taken()
    [found] = unmeant({"treatments": [first, other]}, varies)
    assert [difference.what for difference in found] == told
