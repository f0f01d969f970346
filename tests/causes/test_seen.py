"""A launch reduced: scaling, calm reps, and where the time went."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.causes.seen import PARTS, agree, lost, reduce, waiting
from knee.causes.trial import BASE
from knee.launch.sample import RepResult, WorkerSample
from knee.plan.cell import CONTROL

MS = 1_000_000


def rep(workers: int, ms: float, treatment: int = 0, kind: Any = "threads", **used: Any) -> RepResult:
    """A rep of ``ms`` milliseconds in which every worker used so many of each kind."""
    count = 1 if kind == "command" else workers
    samples = tuple(
        WorkerSample(
            index, 0, round(ms * MS), 10, **{name: round(value * MS) for name, value in used.items()}
        )
        for index in range(count)
    )
    return RepResult(0, 0, treatment, kind, workers, False, samples)


def calm(workers: int, ms: float, **used: Any) -> RepResult:
    return rep(workers, ms, **{"user": ms, "cpu": ms, "system": 0.0, "wait": 0.0, **used})


def test_efficiency_compares_a_workers_call_alone_and_beside_the_others() -> None:
    seen = reduce(BASE, 0, [calm(1, 20), calm(2, 30)], 2, "scaled", {})
    assert seen is not None
    assert seen.slowdown == pytest.approx(1.5)


def test_a_command_that_divides_its_work_should_take_half_the_time() -> None:
    reps = [rep(1, 20, kind="command", cpu=20), rep(2, 15, kind="command", cpu=30)]
    fixed = reduce(BASE, 0, reps, 2, "fixed", {})
    scaled = reduce(BASE, 0, reps, 2, "scaled", {})
    assert fixed is not None
    assert scaled is not None
    assert fixed.slowdown == pytest.approx(1.5)
    assert scaled.slowdown == pytest.approx(0.75)


def test_reps_in_which_others_had_the_cpu_do_not_count() -> None:
    reps = [calm(1, 20), calm(2, 22), calm(2, 22), rep(2, 44, user=22, cpu=22, system=0, wait=22)]
    seen = reduce(BASE, 0, reps, 2, "scaled", {})
    assert seen is not None
    assert seen.slowdown == pytest.approx(1.1)
    assert seen.calm


def test_the_faster_half_of_many_reps_counts() -> None:
    """A core that another guest slows down for a while doubles the time of a rep, and never shortens it."""
    reps = [calm(1, ms) for ms in (20, 39, 20, 40, 41)] + [calm(2, ms) for ms in (30, 60, 30, 61, 62)]
    seen = reduce(BASE, 0, reps, 2, "scaled", {})
    assert seen is not None
    assert seen.slowdown == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("times", "alike"), [((20,), False), ((20, 21), True), ((40, 20), False), ((40, 20, 38, 21), True)]
)
def test_a_workers_reps_alone_agree_where_the_two_fastest_are_alike(times: Any, alike: bool) -> None:
    assert agree([calm(1, ms) for ms in times]) is alike


def test_a_wait_in_every_rep_is_the_workloads_own() -> None:
    reps = [calm(1, 20), *[rep(2, 44, user=22, cpu=22, system=0, wait=22)] * 3]
    seen = reduce(BASE, 0, reps, 2, "scaled", {})
    assert seen is not None
    assert seen.slowdown == pytest.approx(2.2)
    assert not seen.calm


def test_time_that_a_worker_neither_ran_nor_gave_away_was_taken_from_it() -> None:
    taken = rep(2, 44, user=22, cpu=22, system=0, wait=0, voluntary=0)
    seen = reduce(BASE, 0, [calm(1, 20), calm(2, 22), taken], 2, "scaled", {})
    assert seen is not None
    assert seen.slowdown == pytest.approx(1.1)
    blocked = rep(2, 44, user=22, cpu=22, system=0, wait=0, voluntary=1e-6)
    assert waiting(blocked) == 0
    assert waiting(taken) == pytest.approx(0.5)


def test_the_kernel_that_shares_nothing_gives_the_ceiling() -> None:
    reps = [calm(1, 20), calm(2, 20), rep(1, 10, CONTROL), rep(2, 30, CONTROL), rep(2, 10, CONTROL)]
    seen = reduce(BASE, 0, reps, 2, "scaled", {})
    assert seen is not None
    assert seen.ceiling == pytest.approx(-math.log(2.0))


def test_tries_of_the_kernel_before_the_cores_were_two_do_not_count() -> None:
    waited = replace(rep(2, 90, CONTROL), warmup=True)
    reps = [waited, calm(1, 20), calm(2, 20), rep(1, 10, CONTROL), rep(2, 10, CONTROL)]
    seen = reduce(BASE, 0, reps, 2, "scaled", {})
    assert seen is not None
    assert seen.ceiling == pytest.approx(0.0)


def test_the_slowest_worker_alone_is_what_all_together_are_held_against() -> None:
    alone = [
        replace(rep(1, ms), samples=(replace(rep(1, ms).samples[0], worker=n),))
        for n, ms in enumerate((20, 30))
    ]
    seen = reduce(BASE, 0, [*alone, calm(2, 30)], 2, "scaled", {})
    assert seen is not None
    assert seen.efficiency == pytest.approx(0.0)


def test_a_launch_without_one_of_its_pools_is_none() -> None:
    assert reduce(BASE, 0, [calm(1, 20)], 2, "scaled", {}) is None


def test_a_commands_cpu_time_is_that_of_all_its_threads() -> None:
    reps = [rep(1, 20, kind="command", user=20, cpu=20), rep(2, 20, kind="command", user=40, cpu=40)]
    seen = reduce(BASE, 0, reps, 2, "scaled", {})
    assert seen is not None
    assert seen.many.user == pytest.approx(seen.one.user)
    assert seen.many.blocked == pytest.approx(0.0)


@given(st.floats(0, 50), st.floats(0, 50), st.floats(0, 50))
def test_the_parts_of_the_lost_time_are_shares(user: float, system: float, wait: float) -> None:
    many = rep(
        2, 20 + user + system + wait + 5, user=20 + user, system=system, cpu=20 + user + system, wait=wait
    )
    seen = reduce(BASE, 0, [calm(1, 20), many], 2, "scaled", {})
    assert seen is not None
    found = lost([seen])
    assert found.share(*PARTS) == pytest.approx(1.0)
    assert all(0 <= found.share(part) <= 1 for part in PARTS)
    assert math.isclose(found.time, (5 + user + system + wait) / 1000 / 10, rel_tol=1e-6)
