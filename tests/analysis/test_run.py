"""A report says what the store holds, of finished runs and of those that died."""

from __future__ import annotations

import pytest

from knee.analysis.run import analyse
from knee.errors import KneeError
from knee.launch.sample import Loss
from knee.store.database import Store
from tests.synthetic import INTERPRETER, Synthetic, amdahl, perfect


def test_a_known_curve_is_reported_for_each_kind(store: Store) -> None:
    curves = {"threads": amdahl(0.5), "processes": perfect}
    report = analyse(
        store, Synthetic(curves=curves, workers=(1, 2, 4), between=0.002, within=0.002).into(store)
    )
    assert [kind.kind for kind in report.kinds] == ["threads", "processes"]
    for kind in report.kinds:
        assert kind.available
        assert kind.ladder is not None
        assert [row.workers for row in kind.ladder.rows] == [1, 2, 4]
        for row in kind.ladder.rows:
            assert row.speedup is not None
            assert row.speedup.estimate == pytest.approx(curves[kind.kind](row.workers), rel=0.02)
            assert row.ceiling is not None
            assert row.ceiling.estimate == pytest.approx(row.workers, rel=0.02)


def test_both_laws_give_the_same_speedup_and_keep_their_name(store: Store) -> None:
    for law in ("scaled", "fixed"):
        report = analyse(store, Synthetic(law=law, calls=1024, within=0, between=0).into(store))
        assert report.law == law
        ladder = report.kinds[0].ladder
        assert ladder is not None
        assert [row.speedup.estimate for row in ladder.rows if row.speedup] == pytest.approx(
            [amdahl(0.2)(workers) for workers in (1, 2, 4)], rel=1e-4
        )


def test_a_kind_that_refused_the_workload_is_reported_with_the_reason(store: Store) -> None:
    made = Synthetic(launches=2, status=None)
    run = made.into(store)
    store.loss(
        run, Loss(0, 0, 0, "unavailable", "_extension refuses subinterpreters", worker_kind="subinterpreters")
    )
    plan = {**store.run(run).record.plan, "kinds": ["threads", "subinterpreters", "processes"]}
    store._connection.execute("UPDATE run SET plan = json(?)", (str(plan).replace("'", '"'),))
    report = analyse(store, run)
    assert [(kind.kind, kind.available, kind.reason) for kind in report.kinds] == [
        ("threads", True, ""),
        ("subinterpreters", False, "_extension refuses subinterpreters"),
        ("processes", True, "nothing of it was measured"),
    ]
    assert [loss.kind for loss in report.losses] == ["unavailable"]


def test_a_run_without_any_rep_has_a_report(store: Store) -> None:
    report = analyse(store, store.begin(Synthetic().record()))
    assert report.status == "running"
    assert report.interpreter is None
    assert report.variance is None
    assert [kind.ladder for kind in report.kinds] == [None]


def test_a_run_that_was_cut_short_is_analysed_up_to_there(store: Store) -> None:
    run = Synthetic(launches=3, status="interrupted").into(store)
    store.launch_started(run, 3, 0)
    report = analyse(store, run)
    assert (report.status, report.launches) == ("interrupted", 3)
    ladder = report.kinds[0].ladder
    assert ladder is not None
    assert [row.launches for row in ladder.rows] == [3, 3, 3]


def test_the_gil_counts_as_on_if_any_worker_of_any_launch_saw_it(store: Store) -> None:
    def gil(free_threaded: bool, *states: bool | None) -> bool | None:
        made = Synthetic(
            launches=1,
            interpreter={**INTERPRETER, "free_threaded": free_threaded},
            facts={"gil": list(states), "modules": ["_b", "_a"] if True in states else []},
        )
        interpreter = analyse(store, made.into(store)).interpreter
        assert interpreter is not None
        assert interpreter.culprits == (("_a", "_b") if True in states else ())
        return interpreter.gil

    assert gil(True, False, True) is True
    assert gil(True, False, None) is False
    assert gil(True) is None
    assert gil(False) is True


def test_a_command_has_no_interpreter(store: Store) -> None:
    made = Synthetic(
        curves={"command": perfect}, interpreter={"native": "a command is timed as a whole process"}
    )
    report = analyse(store, made.into(store))
    assert report.interpreter is None
    assert "start" not in [hazard.id for hazard in report.hazards]


def test_fast_cores_are_those_of_the_machine_that_measured(store: Store) -> None:
    assert analyse(store, Synthetic(launches=1).into(store)).fast_cores == 4
    assert analyse(store, Synthetic(launches=1, machine={}).into(store)).fast_cores is None


def test_a_run_that_is_not_there_is_an_error(store: Store) -> None:
    with pytest.raises(KneeError, match="there is no run 7"):
        analyse(store, 7)
