"""The search on a simulated machine: order, budget and what is found."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import pytest

from knee.causes.cause import Given, Removal
from knee.causes.false_sharing_objects import FalseSharingObjects
from knee.causes.kernel import Kernel
from knee.causes.lock import Lock
from knee.causes.refcount import Refcount
from knee.causes.search import CONFIRM, HOPELESS, SCREEN, Search
from knee.causes.trial import Trial
from tests.causes.simulated import Bench, World, scene

CAUSES = (Refcount(), FalseSharingObjects(), Lock())


def searched(world: World, budget: float = 60.0, seed: int = 0) -> tuple[Search, Bench]:
    bench = Bench(world, seed)
    search = Search(bench, budget)  # type: ignore[arg-type]
    search.more_base(3)
    search.screen([(cause, removal) for cause in CAUSES for removal in cause.removals(scene())])
    search.confirm()
    return search, bench


def shares(search: Search) -> dict[str, Given]:
    return {given.name: given for given in search.attribution()[1]}


def test_the_arm_that_removes_the_cause_is_found_and_the_others_are_not() -> None:
    search, _ = searched(World(1.8, {"immortal": 1.02}))
    given = shares(search)
    assert given["immortal"].found
    assert given["immortal"].share == pytest.approx(0.97, abs=0.1)
    assert [name for name, one in given.items() if one.found] == ["immortal"]


def test_an_arm_whose_control_gives_as_much_back_is_not_found() -> None:
    search, _ = searched(World(1.8, {"rounded": 1.1, "rounded (wrapped only)": 1.1}))
    assert not shares(search)["rounded"].found


def test_an_arm_whose_control_was_not_launched_is_not_found() -> None:
    bench = Bench(World(1.8, {"immortal": 1.02}))
    search = Search(bench, 60.0)  # type: ignore[arg-type]
    search.more_base(4)
    search.screen([(cause, removal) for cause in CAUSES for removal in cause.removals(scene())])
    assert shares(search)["immortal"].share > 0.9
    assert not shares(search)["immortal"].found
    search.confirm()
    assert shares(search)["immortal"].found


def test_every_arm_is_screened_before_any_is_confirmed() -> None:
    search, bench = searched(World(1.8, {"immortal": 1.5}))
    screened = bench.labels[: bench.labels.index("immortal (walk only)")]
    for tried in search.tried.values():
        assert screened.count(tried.removal.arm.label) >= SCREEN


def test_the_budget_goes_to_arms_that_give_something_back() -> None:
    _, bench = searched(World(1.8, {"immortal": 1.02}))
    assert bench.labels.count("immortal") >= CONFIRM
    assert bench.labels.count("immortal (walk only)") >= CONFIRM
    assert bench.labels.count("private module") <= SCREEN
    assert "private module (copied but shared)" not in bench.labels


def test_where_one_arm_gives_all_back_those_that_give_nothing_are_screened_once() -> None:
    _, bench = searched(World(1.8, {"immortal": 1.02, "rounded": 1.5}))
    assert bench.labels.count("private module") == 1
    assert bench.labels.count("rounded") >= SCREEN


def test_what_removes_more_than_a_cause_that_explains_all_is_not_confirmed() -> None:
    search, bench = searched(World(1.8, {"immortal": 1.02, "private module": 1.02}))
    assert shares(search)["immortal"].found
    assert bench.labels.count("private module") < CONFIRM
    search, bench = searched(World(1.8, {"immortal": 1.02, "rounded": 1.02}))
    assert bench.labels.count("rounded") >= CONFIRM  # the more specific one is


def test_the_program_as_it_is_is_launched_among_the_arms() -> None:
    _, bench = searched(World(1.8, {"immortal": 1.02}))
    places = [place for place, label in enumerate(bench.labels) if label == "as it is"]
    assert max(b - a for a, b in itertools.pairwise(places)) < 10


def test_a_search_ends_within_its_budget() -> None:
    search, bench = searched(World(1.8, {"immortal": 1.3}, noise=0.5), budget=12.0)
    assert bench.now <= 12.0
    assert search.base


def test_an_arm_that_is_not_honoured_is_not_launched_again_and_says_why() -> None:
    world = World(1.8, checks={"rounded": {"honoured": False, "why": "no lines here"}})
    search, bench = searched(world)
    assert bench.labels.count("rounded") == 1
    assert search.tried["rounded"].why == "no lines here"
    assert "rounded" not in shares(search)


def test_an_arm_whose_launch_is_lost_says_how() -> None:
    search, bench = searched(World(1.8, lost=frozenset({"private arguments"})))
    assert bench.labels.count("private arguments") == 1
    assert "it raised" in search.tried["private arguments"].why


@pytest.mark.parametrize("guilty", [["c"], ["a"], ["b", "d"], ["e"]])
def test_narrowing_finds_the_fewest_that_are_to_blame(guilty: list[str]) -> None:
    def effect(trial: Trial) -> float | None:
        some: Any = trial.options.get("some")
        return None if some is None else 1.0 if set(guilty) <= set(some) else 1.8

    bench = Bench(World(1.8, effect=effect))
    search = Search(bench, 120.0)  # type: ignore[arg-type]
    search.more_base(4)
    nan = math.nan
    given = Given(Removal(Trial("it")), (), (), 0.9, 1.0, 1.1, nan, nan, nan, True)
    found = search.narrow(
        list("abcdefgh"),
        given,
        lambda some, step: Trial("it", options={"some": some}, step=step),
    )
    assert set(guilty) <= set(found)
    assert len(found) <= 4
    if len(guilty) == 1:
        assert found == guilty


@pytest.mark.parametrize(("processes", "below"), [(1.0, False), (1.78, True), (1.4, False)])
def test_processes_that_lose_as_much_are_settled_early(processes: float, below: bool) -> None:
    bench = Bench(World(1.8, {"processes": processes}))
    search = Search(bench, 60.0)  # type: ignore[arg-type]
    search.more_base(4)
    cause = Kernel()
    search.screen([(cause, cause.removals(scene())[0])])
    assert search.settled("processes", below=0.4) is below
    assert bench.launches < 20


def test_workers_that_wait_by_themselves_do_not_make_a_machine_busy() -> None:
    class Restless(Bench):
        def launch(self, trial: Trial) -> Any:
            found = super().launch(trial)
            assert found is not None
            return replace(found, calm=False)

    bench = Restless(World(1.5))
    search = Search(bench, 60.0, pause=bench.pause)  # type: ignore[arg-type]
    search.settle(0.25)
    assert search.restless
    assert not search.noisy
    assert bench.launches <= 4
    assert search.launch(Trial("it")) is not None
    assert search.disturbed == 0


def test_narrowing_gives_up_where_no_single_one_is_to_blame() -> None:
    bench = Bench(World(1.8, effect=lambda trial: 1.8 if trial.step else None))
    search = Search(bench, 120.0)  # type: ignore[arg-type]
    search.more_base(4)
    nan = math.nan
    given = Given(Removal(Trial("it")), (), (), 0.9, 1.0, 1.1, nan, nan, nan, True)
    assert search.narrow(["a", "b"], given, lambda some, step: Trial("it", step=step)) == []


def test_a_launch_that_something_disturbed_is_made_again() -> None:
    class Disturbed(Bench):
        def launch(self, trial: Trial) -> Any:
            found = super().launch(trial)
            assert found is not None
            if self.launches % 5 == 0:
                return replace(found, calm=False, ceiling=-0.7, efficiency=found.efficiency - 0.7)
            return found

    bench = Disturbed(World(1.0))
    search = Search(bench, 60.0)  # type: ignore[arg-type]
    search.more_base(12)
    assert len(search.base) == 12
    assert search.disturbed >= 2
    assert max(seen.slowdown for seen in search.base) < 1.3


def test_a_busy_machine_is_waited_for() -> None:
    class Busy(Bench):
        def launch(self, trial: Trial) -> Any:
            found = super().launch(trial)
            assert found is not None
            return replace(found, ceiling=-0.7) if self.now < 8 else found

    bench = Busy(World(1.0))
    search = Search(bench, 60.0, pause=bench.pause)  # type: ignore[arg-type]
    search.settle(0.25)
    assert len(search.base) == 1
    assert not search.noisy
    assert bench.now >= 8


def test_under_a_quota_what_stops_the_workers_is_measured_not_thrown_away() -> None:
    """Credit from idle times lets the first launch run undisturbed: the others would look disturbed beside it."""
    world = World(slowdown=1.0, kernel=1.0)
    bench = Bench(world)
    search = Search(bench, 60.0)  # type: ignore[arg-type]
    search.settle(0.0)
    world.kernel = 1.6
    search.more_base(3)
    assert len(search.base) == 4
    assert search.disturbed == 0


@pytest.mark.parametrize(("base", "launches"), [((1.2, 2.2, 1.5), 2), ((1.8, 1.82, 1.81), 1)])
def test_on_an_unsteady_machine_one_launch_drops_no_arm(base: tuple[float, ...], launches: int) -> None:
    """The one launch of the arm that removes the cause may have been a bad one."""
    plain, removed = itertools.cycle(base), iter((4.0, 1.0))
    world = World(noise=0.0, effect=lambda trial: next(removed if trial.label == "immortal" else plain))
    bench = Bench(world)
    search = Search(bench, 60.0)  # type: ignore[arg-type]
    search.more_base(3)
    search.screen([(Refcount(), Refcount().removals(scene())[0])])
    assert bench.labels.count("immortal") == launches


def test_where_every_launch_is_disturbed_the_machine_is_taken_as_it_is() -> None:
    bench = Bench(World(2.0, kernel=2.0))
    search = Search(bench, 60.0, pause=bench.pause)  # type: ignore[arg-type]
    search.settle(0.25)
    assert search.noisy
    assert bench.now < 18
    search.more_base(6)
    assert len(search.base) >= 6
    assert max(search.kernel) < -0.5


@pytest.mark.quality
def test_false_causes_are_rare_where_nothing_is_removed() -> None:
    """In at most 5 % of searches any arm is found when none removes anything."""
    wrong = 0
    for seed in range(100):
        search, _ = searched(World(1.6, noise=0.12), seed=seed)
        wrong += any(given.found and given.net > HOPELESS for given in shares(search).values())
    assert wrong <= 8  # binomial(100, 0.05): 97 % of the mass


def test_an_interrupt_ends_the_search_and_leaves_what_was_measured() -> None:
    class Interrupted(Bench):
        def launch(self, trial: Trial) -> Any:
            if self.launches == 7:
                raise KeyboardInterrupt
            return super().launch(trial)

    bench = Interrupted(World(1.8, {"immortal": 1.02}))
    search = Search(bench, 60.0)  # type: ignore[arg-type]
    search.settle(0.2)
    search.more_base(3)
    search.screen([(cause, removal) for cause in CAUSES for removal in cause.removals(scene())])
    search.confirm()
    assert search.stopped
    assert bench.launches == 7
    assert len(search.base) + sum(len(tried.arm) for tried in search.tried.values()) == 7
    assert not search.left()
    assert search.launch(Trial("another")) is None


def test_what_takes_everything_away_explains_nothing() -> None:
    _, bench = searched(World(1.8, {"worker-made": 1.0, "private module": 1.5}))
    assert (
        bench.labels.count("rounded") == SCREEN
    )  # worker-made names no cause: the others are still looked into
    assert bench.labels.count("private module") >= CONFIRM


def test_a_drift_of_the_machine_credits_no_arm_that_was_launched_early() -> None:
    """What the workers contend for costs more from the middle of the search on; only one arm removes it."""

    class Drifting(Bench):
        def launch(self, trial: Trial) -> Any:
            self.world.slowdown = 2.6 if self.launches >= 12 else 1.5
            return super().launch(trial)

    bench = Drifting(World(1.5, {"immortal": 1.02}, noise=0.01))
    search = Search(bench, 40.0)  # type: ignore[arg-type]
    search.more_base(4)
    search.screen([(cause, removal) for cause in CAUSES for removal in cause.removals(scene())])
    search.more_base(6)
    search.confirm()
    assert search.drifts
    given = shares(search)
    assert [name for name, one in given.items() if one.found] == ["immortal"]
    assert given["immortal"].share == pytest.approx(1.0, abs=0.1)
