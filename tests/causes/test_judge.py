"""From shares to causes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from knee.causes.cause import Cause, Given, Removal, Scene
from knee.causes.judge import Case, judge
from knee.causes.registry import OWN
from knee.causes.seen import Lost
from knee.causes.trial import Trial
from knee.stats.attribution import attribute
from tests.causes.simulated import scene

BY_ID: dict[str, Cause] = {kind.id: kind() for kind in OWN}
NAN = math.nan


def given(name: str, share: float, control: float = 0.0, found: bool = True) -> Given:
    return Given(
        Removal(Trial(name)),
        (),
        (),
        share - 0.05,
        share,
        share + 0.05,
        control - 0.05,
        control,
        control + 0.05,
        found,
    )


def case(
    *found: tuple[str, Given],
    lost: dict[str, float] | None = None,
    base: float = 1.8,
    kernel: float = 1.0,
    processes: float = NAN,
    stream: float | None = None,
    **known: Any,
) -> Case:
    where: Scene = replace(scene(**known), lost=Lost(0.8, lost or {"user": 0.8}))
    logs = [-math.log(base) + e for e in (-0.02, 0.0, 0.02, 0.01)]
    kernels = [-math.log(kernel) + e for e in (-0.002, 0.0, 0.002)]
    return Case(
        where,
        attribute(logs, [], kernels),
        [(BY_ID[cause], one) for cause, one in found],
        kernels,
        base,
        processes,
        stream,
        BY_ID,
    )


def named(result: Any) -> list[str]:
    return [credit.cause.id for credit in result.credits]


def test_a_removal_that_gives_the_loss_back_names_its_cause() -> None:
    assert named(judge(case(("refcount", given("immortal", 0.9))))) == ["refcount"]


def test_nothing_is_named_where_nothing_is_lost() -> None:
    assert named(judge(case(("refcount", given("immortal", 0.9)), base=1.02))) == []


def test_what_rounding_gives_back_is_not_credited_twice_to_reference_counts() -> None:
    result = judge(
        case(("refcount", given("immortal", 0.9)), ("false-sharing.objects", given("rounded", 0.95)))
    )
    assert named(result) == ["false-sharing.objects"]


def test_two_causes_share_the_loss_where_neither_explains_all() -> None:
    result = judge(
        case(("refcount", given("immortal", 0.55)), ("false-sharing.objects", given("rounded", 0.4)))
    )
    assert named(result) == ["refcount", "false-sharing.objects"]
    assert sum(credit.share.estimate for credit in result.credits) <= 1.0


def test_a_lock_is_named_only_for_what_reference_counts_leave() -> None:
    result = judge(
        case(
            ("refcount", given("immortal", 0.95)),
            ("lock", given("private module", 1.0)),
            lost={"user": 0.4, "system": 0.4},
        )
    )
    assert named(result) == ["refcount"]


def test_a_cause_that_cannot_reach_where_the_time_went_is_rejected_and_that_is_said() -> None:
    result = judge(case(("lock", given("private module", 0.9)), lost={"user": 0.8}))
    assert "lock" not in named(result)
    assert result.rejected[0][0] == "lock"
    assert "100%" in result.rejected[0][1] or "100 %" in result.rejected[0][1]


def test_a_lock_that_nothing_removes_shows_in_the_split_of_time() -> None:
    result = judge(case(lost={"system": 0.5, "blocked": 0.3}, processes=1.0))
    assert named(result) == ["lock"]
    assert result.credits[0].text


def test_page_faults_make_kernel_time_the_kernels_own() -> None:
    result = judge(
        case(("kernel", given("processes", 0.9)), lost={"system": 0.8}, processes=0.9, faults=4000.0)
    )
    assert named(result) == ["kernel"]
    waiting = case(("kernel", given("processes", 0.9)), lost={"blocked": 0.98}, processes=0.9, faults=4000.0)
    assert named(judge(waiting)) == ["lock"]  # none of the lost time is in the kernel


def test_bandwidth_needs_processes_that_fare_no_better_and_a_stream_that_does_not_scale() -> None:
    assert named(judge(case(processes=0.05, stream=0.6))) == ["machine.bandwidth"]
    assert named(judge(case(processes=0.9, stream=0.6))) == []
    some = judge(case(processes=0.45, stream=0.6)).credits[0]
    assert (some.cause.id, some.share.estimate) == ("machine.bandwidth", pytest.approx(0.55))
    assert named(judge(case(processes=0.05, stream=0.98))) == []
    assert named(judge(replace(case(processes=0.05, stream=0.98), outside=True))) == ["machine.bandwidth"]


@pytest.mark.parametrize(
    ("known", "cause"),
    [({"quota": 1.0}, "machine.quota"), ({"cpus": 1}, "machine.cores"), ({}, "machine.cores")],
)
def test_where_native_code_does_not_scale_the_machine_is_at_fault(known: Any, cause: str) -> None:
    result = judge(case(base=2.0, kernel=2.0, lost={"wait": 1.0}, **known))
    assert named(result)[0] == cause


def test_the_gil_is_named_where_it_was_on() -> None:
    result = judge(
        case(facts={"gil": [None, None]}, interpreter={"version": "3.12.1"}, lost={"blocked": 0.9})
    )
    assert named(result) == ["gil"]


def test_what_gave_nothing_back_is_innocent() -> None:
    result = judge(
        case(
            ("refcount", given("immortal", 0.9)),
            ("false-sharing.slots", given("idle neighbours", 0.0, found=False)),
        )
    )
    assert [one.name for one in result.innocent] == ["idle neighbours"]


@pytest.mark.parametrize(("share", "first"), [(0.45, "refcount"), (0.3, "lock")])
def test_of_shares_that_are_alike_the_more_specific_cause_comes_first(share: float, first: str) -> None:
    both = (("refcount", given("immortal", share)), ("lock", given("private module", 0.5)))
    result = judge(case(*both, lost={"user": 0.5, "blocked": 0.5}))
    assert named(result)[0] == first
    assert set(named(result)) == {"refcount", "lock"}
