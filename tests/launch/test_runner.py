"""Order, stopping and losses of a run, on a fake clock."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.launch.runner import Decision, Outcome, Progress, Runner, divisible, share_out
from knee.plan.cell import CONTROL, Law
from knee.plan.experiment import Experiment
from knee.plan.treatment import Treatment
from knee.plan.workload import Workload
from tests.launch.fake import Clock, FakeHost, FakeSink, raising

A = Treatment("a", Workload("callable", file="/w.py", name="a"), "/python")
B = Treatment("b", Workload("callable", file="/w.py", name="b"), "/python")
ELSEWHERE = Treatment("c", Workload("callable", file="/w.py", name="a"), "/other/python")


class Lab:
    """A runner with everything faked."""

    def __init__(
        self,
        experiment: Experiment,
        *,
        cost: Callable[[int, str, int], float] = lambda *_: 0.001,
        trouble: Callable[[tuple[Any, ...]], None] = lambda _: None,
        decide: Callable[[int, float], Decision] = lambda *_: Decision(stop=True),
        speed: float | None = 1e9,
        first: int = 0,
    ) -> None:
        self.clock, self.log, self.sink, self.told = Clock(), [], FakeSink(), []
        self.hosts: list[int] = []

        def start(_: Experiment, treatments: Any) -> FakeHost:
            self.hosts.append(len(treatments))
            return FakeHost(self.clock, self.log, cost, trouble, speed)

        self.runner = Runner(
            experiment,
            self.sink,
            1,
            start=start,
            decide=decide,
            progress=self.told.append,
            clock=self.clock,
            first=first,
        )

    def measure(self) -> Outcome:
        return self.runner.measure()

    def did(self, what: str) -> list[tuple[Any, ...]]:
        return [entry for entry in self.log if entry[0] == what]


def test_at_least_the_minimum_of_launches_each_in_a_fresh_process() -> None:
    lab = Lab(Experiment("run", (A,), minimum=5))
    assert lab.measure().status == "finished"
    assert len(lab.did("start")) == len(lab.did("stop")) == 5
    assert [block[0] for block in lab.sink.blocks] == [0, 1, 2, 3, 4]


def test_the_rule_is_asked_after_each_launch_from_the_minimum_on() -> None:
    asked: list[int] = []

    def decide(launches: int, _: float) -> Decision:
        asked.append(launches)
        return Decision(stop=launches == 8, expected=8)

    lab = Lab(Experiment("run", (A,), minimum=5), decide=decide)
    lab.measure()
    assert asked == [5, 6, 7, 8]
    assert len(lab.sink.blocks) == 8


def test_the_budget_ends_a_run_that_the_rule_would_go_on_with() -> None:
    lab = Lab(Experiment("run", (A,), budget=10.0), decide=lambda *_: Decision(stop=False))
    lab.measure()
    took = lab.clock.now / len(lab.sink.blocks)
    assert 10.0 - took <= lab.clock.now <= 10.0 + took


def test_a_fixed_number_of_launches_is_kept_to() -> None:
    lab = Lab(Experiment("run", (A,), launches=2, minimum=5, budget=0.0))
    lab.measure()
    assert len(lab.sink.blocks) == 2


@pytest.mark.parametrize(("law", "calls"), [("fixed", [1, 1, 1]), ("scaled", [1, 2, 4])])
def test_a_command_is_one_call_or_one_for_each_worker_by_its_law(law: Law, calls: list[int]) -> None:
    command = Treatment("c", Workload("command", argv=("c", "{workers}")), "")
    lab = Lab(Experiment("run", (command,), kinds=("command",), workers=(1, 2, 4), law=law, launches=1))
    lab.measure()
    asked = {workers: asked for _, _, workers, _, asked, _ in lab.did("rep")}
    assert [asked[workers] for workers in (1, 2, 4)] == calls
    assert all(shares is None for *_, shares in lab.did("rep"))


def test_calibration_reaches_the_minimal_time_once_and_all_cells_use_its_calls() -> None:
    lab = Lab(Experiment("run", (A,), min_time=0.1), cost=lambda *_: 0.0013)
    lab.measure()
    used = {
        sample.calls
        for _, _, _, reps in lab.sink.blocks
        for rep in reps
        if rep.treatment == 0
        for sample in rep.samples
    }
    assert len(used) == 1
    assert 0.1 <= used.pop() * 0.0013 <= 0.2
    assert [kind for kind, _ in lab.sink.events] == ["calibrated"]


def test_a_single_call_longer_than_the_minimal_time_is_called_once() -> None:
    lab = Lab(Experiment("run", (A,), launches=1), cost=lambda *_: 3.0)
    lab.measure()
    assert {rep[4] for rep in lab.did("rep") if rep[3] == 0} == {1}


def test_every_pool_warms_up_first_and_says_so() -> None:
    lab = Lab(Experiment("run", (A,), workers=(1, 2, 4), launches=1))
    lab.measure()
    [(_, _, _, reps)] = lab.sink.blocks
    pools: dict[int, list[bool]] = {}
    for rep in reps:
        if rep.treatment != CONTROL:
            pools.setdefault(rep.workers, []).append(rep.warmup)
    assert pools == {1: [True, False, False], 2: [True, False, False], 4: [True, False, False]}


def test_treatments_of_one_interpreter_share_the_pool_in_a_palindrome() -> None:
    lab = Lab(Experiment("compare", (A, B), workers=(2,), launches=4, again=True, reps=2, control=False))
    lab.measure()
    assert lab.hosts == [3, 3, 3, 3]
    orders = set()
    for _, _, _, reps in lab.sink.blocks:
        timed = [rep.treatment for rep in reps if not rep.warmup]
        assert sorted(timed) == [0, 0, 1, 1, 2, 2]
        assert timed == timed[::-1]
        orders.add(tuple(timed))
    assert len(orders) > 1


def test_other_interpreters_get_adjacent_processes_of_the_same_launch_in_drawn_order() -> None:
    lab = Lab(Experiment("compare", (A, ELSEWHERE), launches=12))
    lab.measure()
    started = [entry[1:3] for entry in lab.sink.launches if entry[0] == "started"]
    assert [launch for launch, _ in started] == [n for n in range(12) for _ in range(2)]
    first = {started[2 * n][1] for n in range(12)}
    assert first == {0, 1}


def test_the_same_seed_draws_the_same_order() -> None:
    experiment = Experiment("compare", (A, B), workers=(1, 2, 4), launches=3, seed=7)
    one, two = Lab(experiment), Lab(experiment)
    one.measure()
    two.measure()
    assert one.log == two.log
    other = Lab(replace(experiment, seed=8))
    other.measure()
    assert other.log != one.log


def test_a_resumed_run_goes_on_with_the_launches_that_are_left() -> None:
    experiment = Experiment("run", (A,), workers=(1, 2, 4), launches=4, seed=3, calls=100)
    whole, rest = Lab(experiment), Lab(experiment, first=2)
    whole.measure()
    rest.measure()
    assert [block[0] for block in rest.sink.blocks] == [2, 3]
    tail = [[(r.workers, r.treatment) for r in block[3]] for block in whole.sink.blocks[2:]]
    assert [[(r.workers, r.treatment) for r in block[3]] for block in rest.sink.blocks] == tail


def test_a_fixed_total_is_divided_among_the_workers() -> None:
    lab = Lab(Experiment("run", (A,), workers=(1, 3), law="fixed", launches=1))
    lab.measure()
    divided = [rep for rep in lab.did("rep") if rep[2:4] == (3, 0)]
    assert divided
    for rep in divided:
        assert sum(rep[5]) == rep[4]
        assert max(rep[5]) - min(rep[5]) <= 1


def test_without_the_native_library_there_is_no_control() -> None:
    lab = Lab(Experiment("run", (A,), launches=1), speed=None)
    lab.measure()
    assert all(rep[3] != CONTROL for rep in lab.did("rep"))


def test_a_kind_that_cannot_run_is_told_once_and_the_others_go_on() -> None:
    trouble = raising("unavailable", lambda what: what[:2] == ("open", "subinterpreters"), fatal=False)
    lab = Lab(Experiment("run", (A,), kinds=("threads", "subinterpreters"), launches=3), trouble=trouble)
    assert lab.measure().status == "finished"
    assert [loss.worker_kind for loss in lab.sink.losses] == ["subinterpreters"]
    assert {rep.kind for block in lab.sink.blocks for rep in block[3]} == {"threads"}


def test_when_no_kind_can_run_the_run_fails_with_the_reason() -> None:
    trouble = raising("unavailable", lambda what: what[:3] == ("open", "subinterpreters", 2), fatal=False)
    lab = Lab(Experiment("run", (A,), kinds=("subinterpreters",), launches=3), trouble=trouble)
    outcome = lab.measure()
    assert outcome.status == "failed"
    assert outcome.failure is not None
    assert outcome.failure.kind == "unavailable"


def test_a_workload_that_raises_ends_the_run_and_keeps_what_was_measured() -> None:
    count = 0

    def trouble(what: tuple[Any, ...]) -> None:
        nonlocal count
        count += what[0] == "rep"
        if count == 40:
            raising("raised", lambda _: True, worker=1, traceback="Traceback…")(what)

    lab = Lab(Experiment("run", (A,), workers=(1, 2), launches=50), trouble=trouble)
    outcome = lab.measure()
    assert outcome.status == "failed"
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.worker) == ("raised", 1)
    assert outcome.failure.workers in (1, 2)
    assert len(lab.sink.blocks) >= 3
    assert lab.log[-1] == ("stop",)


def test_a_crash_loses_its_launch_only_and_the_pools_that_ended_are_kept() -> None:
    count = 0

    def trouble(what: tuple[Any, ...]) -> None:
        nonlocal count
        count += what[0] == "close"
        if count == 4 and what[0] == "rep":
            count += 1
            raising("crashed", lambda _: True)(what)

    lab = Lab(Experiment("run", (A,), workers=(1, 2, 4), launches=6), trouble=trouble)
    assert lab.measure().status == "finished"
    assert [loss.kind for loss in lab.sink.losses] == ["crashed"]
    assert len(lab.did("start")) == 6


def test_three_lost_launches_in_a_row_end_the_run() -> None:
    lab = Lab(Experiment("run", (A,), launches=50), trouble=raising("timeout", lambda what: what[0] == "rep"))
    outcome = lab.measure()
    assert outcome.status == "failed"
    assert len(lab.sink.losses) == len(lab.did("start")) == 3


def test_lost_launches_apart_do_not_end_the_run() -> None:
    number = 0

    def trouble(what: tuple[Any, ...]) -> None:
        nonlocal number
        number += what[0] == "start"
        if number % 2 and what[0] == "rep":
            raising("crashed", lambda _: True)(what)

    lab = Lab(Experiment("run", (A,), launches=20), trouble=trouble)
    assert lab.measure().status == "finished"
    assert len(lab.sink.losses) == 10


def test_ctrl_c_keeps_the_pools_that_ended_and_ends_the_launch() -> None:
    count = 0

    def trouble(what: tuple[Any, ...]) -> None:
        nonlocal count
        count += what[0] == "close"
        if count == 6 and what[0] == "rep":
            raise KeyboardInterrupt

    lab = Lab(Experiment("run", (A,), workers=(1, 2, 4), launches=50), trouble=trouble)
    assert lab.measure().status == "interrupted"
    assert lab.log[-1] == ("stop",)
    # Calibration closed one pool, launch 0 three, so two pools of launch 1 had ended.
    assert len({rep.workers for rep in lab.sink.blocks[-1][3]}) == 2


@pytest.mark.parametrize("first", ["append_block", "launch_ended"])
def test_ctrl_c_while_storing_stores_every_block_once_and_ends_the_launch(first: str) -> None:
    lab = Lab(Experiment("run", (A,), workers=(1, 2), launches=50))
    really = getattr(lab.sink, first)

    def pressed(*arguments: Any) -> None:
        really(*arguments)
        signal.raise_signal(signal.SIGINT)

    setattr(lab.sink, first, pressed)
    assert lab.measure().status == "interrupted"
    assert [block[:3] for block in lab.sink.blocks] == [(0, 0, 0)]
    assert [entry[0] for entry in lab.sink.launches] == ["started", "ended"]


@pytest.mark.parametrize("launches", [1, 2])
def test_a_run_of_which_every_launch_is_lost_has_failed(launches: int) -> None:
    lab = Lab(
        Experiment("run", (A,), launches=launches), trouble=raising("crashed", lambda what: what[0] == "rep")
    )
    outcome = lab.measure()
    assert outcome.status == "failed"
    assert outcome.failure is not None


def test_a_workload_that_exits_while_it_is_loaded_is_not_tried_again() -> None:
    trouble = raising("exited", lambda what: what[0] == "open", where="load")
    lab = Lab(Experiment("run", (A,), launches=50), trouble=trouble)
    assert lab.measure().status == "failed"
    assert len(lab.did("start")) == 1


def test_a_workload_that_does_nothing_with_more_calls_is_told_so() -> None:
    lab = Lab(Experiment("run", (A,)), cost=lambda *_: 0.0)
    outcome = lab.measure()
    assert outcome.failure is not None
    assert "must work through its share" in outcome.failure.text


def test_progress_names_what_runs_and_what_is_expected() -> None:
    lab = Lab(Experiment("run", (A,), budget=30.0), decide=lambda n, _: Decision(stop=n == 7, expected=7))
    lab.measure()
    last = lab.told[-1]
    assert isinstance(last, Progress)
    assert (last.launches, last.expected, last.budget) == (6, 7, 30.0)
    assert last.doing.endswith("threads")


@given(total=st.integers(1, 10**6), workers=st.integers(1, 64))
def test_shares_are_even_and_complete(total: int, workers: int) -> None:
    shares = share_out(total, workers)
    assert sum(shares) == total
    assert max(shares) - min(shares) <= 1


@given(calls=st.integers(1, 10**6), workers=st.lists(st.integers(1, 16), min_size=1, unique=True))
def test_a_divisible_total_is_never_less_nor_more_than_doubled_for_divisibility(
    calls: int, workers: list[int]
) -> None:
    total = divisible(calls, workers)
    assert total >= calls
    assert total <= max(2 * calls, *workers, calls)


@pytest.mark.parametrize("workers", [(1, 2), (1, 2, 4), (1, 3)])
def test_a_total_that_can_be_divided_evenly_is(workers: tuple[int, ...]) -> None:
    assert all(divisible(100, workers) % count == 0 for count in workers)


class _Answering(FakeHost):
    """Returns other digests than its neighbours, process by process."""

    digests: ClassVar[list[list[str]]]
    same: ClassVar[list[list[bool | None]]]

    def outputs(self, wanted: Any) -> dict[str, Any]:
        digests = self.digests.pop(0)
        return {
            "digests": [{"digest": d, "how": "pickle", "repr": d} for d in digests],
            "same": self.same.pop(0),
        }


@pytest.mark.parametrize(
    ("treatments", "digests", "same", "status"),
    [
        ((A, B), [["x", "x"]], [[True, True]], "finished"),
        ((A, B), [["x", "y"]], [[True, True]], "finished"),  # equal, though their bytes differ
        ((A, B), [["x", "y"]], [[True, False]], "failed"),
        ((A, B), [["x", "y"]], [[None, None]], "failed"),
        ((A, ELSEWHERE), [["x"], ["x"]], [[True], [True]], "finished"),
        ((A, ELSEWHERE), [["x"], ["y"]], [[True], [True]], "failed"),
    ],
)
def test_treatments_that_return_something_else_are_not_compared(
    treatments: Any, digests: Any, same: Any, status: str
) -> None:
    lab = Lab(Experiment("compare", treatments, launches=1, outputs=True))
    answering = type("Answering", (_Answering,), {"digests": list(digests), "same": list(same)})
    lab.runner._start = lambda *_: answering(lab.clock, lab.log, lambda *_: 0.001, lambda _: None, 1e9)
    outcome = lab.measure()
    assert outcome.status == status
    if outcome.failure is not None:
        assert re.search(r"(b|c) returned y and a x|a returned y and c x", outcome.failure.text)


@pytest.mark.parametrize("seed", range(6))
def test_each_result_is_told_with_the_treatment_that_returned_it(seed: int) -> None:
    lab = Lab(Experiment("compare", (A, ELSEWHERE), launches=1, outputs=True, seed=seed))

    def start(_: Experiment, treatments: Any) -> FakeHost:
        own = [treatment.label for treatment in treatments]
        kind = type("Answering", (_Answering,), {"digests": [own], "same": [[True for _ in own]]})
        host: FakeHost = kind(lab.clock, lab.log, lambda *_: 0.001, lambda _: None, 1e9)
        return host

    lab.runner._start = start
    failure = lab.measure().failure
    assert failure is not None
    assert re.match(r"outputs: (a returned a and c c|c returned c and a a) ", failure.text)
