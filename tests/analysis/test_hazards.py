"""Hazards are told once, with every moment they were seen at; the samples' own are told of dead runs too."""

from __future__ import annotations

from typing import Any

from knee.analysis.report import Hazard
from knee.analysis.run import analyse
from knee.store.database import Store
from tests.synthetic import INTERPRETER, Synthetic

TURBO = {"id": "turbo", "text": "Clocks rise with few workers.", "advice": "Turn it off.", "seen": "a file"}


def hazards(store: Store, run: int) -> dict[str, Hazard]:
    return {hazard.id: hazard for hazard in analyse(store, run).hazards}


def test_what_was_seen_before_and_after_is_told_once(store: Store) -> None:
    run = Synthetic(launches=1).into(store)
    store.hazards(run, "before", [TURBO])
    store.hazards(run, "after", [TURBO])
    assert analyse(store, run).hazards == (
        Hazard("turbo", TURBO["text"], TURBO["advice"], TURBO["seen"], ("before", "after")),
    )


def test_a_quiet_workload_on_a_quiet_machine_has_none(store: Store) -> None:
    assert hazards(store, Synthetic(launches=1).into(store)) == {}


def test_prints_are_told_even_if_the_run_died_before_it_could_look_back(store: Store) -> None:
    found = hazards(store, Synthetic(launches=1, printed=10, status=None).into(store))
    assert "printed 90 bytes" in found["prints"].text
    assert "in 9 reps" in found["prints"].text


def test_what_the_machine_told_is_not_told_again(store: Store) -> None:
    run = Synthetic(launches=1, printed=10).into(store)
    store.hazards(run, "after", [{**TURBO, "id": "prints"}])
    assert hazards(store, run)["prints"].text == TURBO["text"]


def test_the_gil_that_came_back_is_told_with_the_modules_that_may_have_done_it(store: Store) -> None:
    def found(**facts: Any) -> dict[str, Hazard]:
        made = Synthetic(
            launches=1, facts={"gil": [True], "modules": ["_old"]}, interpreter={**INTERPRETER, **facts}
        )
        return hazards(store, made.into(store))

    assert "_old" in found(free_threaded=True)["gil"].text
    assert found(free_threaded=False) == {}


def test_a_start_without_the_native_barrier_is_told_with_the_reason(store: Store) -> None:
    made = Synthetic(launches=1, interpreter={**INTERPRETER, "native": "not asked for"})
    assert "not asked for" in hazards(store, made.into(store))["start"].text
