"""Orders are drawn from the seed, complete, and cancel linear drift."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from knee.plan import design
from knee.plan.cell import CONTROL
from knee.plan.experiment import Experiment, treatment_from_json, treatment_to_json
from knee.plan.treatment import Arm, Treatment
from knee.plan.workload import Workload


def treatment(name: str, python: str = "/python", **more: object) -> Treatment:
    return Treatment(name, Workload("callable", file="/w.py", name=name), python, **more)  # type: ignore[arg-type]


experiments = st.builds(
    Experiment,
    st.just("compare"),
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["/p", "/q"])), min_size=1, max_size=4).map(
        lambda found: tuple(treatment(*pair) for pair in found)
    ),
    kinds=st.sampled_from([("threads",), ("threads", "processes")]),
    workers=st.sets(st.integers(1, 8), min_size=1, max_size=4).map(lambda found: tuple(sorted(found))),
    seed=st.integers(0, 2**32),
    reps=st.integers(1, 5),
    again=st.booleans(),
)


@given(experiments, st.integers(0, 50))
def test_every_treatment_meets_every_cell_as_often(experiment: Experiment, number: int) -> None:
    groups = design.launch(experiment, number)
    seen: Counter[tuple[int, str, int]] = Counter()
    for group in groups:
        for block in group.blocks:
            for pool in block.pools:
                warm = [rep.treatment for rep in pool.reps if rep.warmup]
                assert sorted(warm) == sorted(group.treatments)
                for rep in pool.reps:
                    if not rep.warmup and rep.treatment != CONTROL:
                        seen[rep.treatment, pool.kind, pool.workers] += 1
    treatments = len(experiment.treatments) + experiment.again
    assert len(seen) == treatments * len(experiment.kinds) * len(experiment.workers)
    assert len(set(seen.values())) == 1
    assert experiment.reps <= seen.most_common()[0][1] <= experiment.reps + 1


@given(experiments, st.integers(0, 50))
def test_the_same_seed_and_number_give_the_same_design(experiment: Experiment, number: int) -> None:
    assert design.launch(experiment, number) == design.launch(experiment, number)


@given(experiments)
def test_a_linear_drift_cancels_between_treatments_of_a_pool(experiment: Experiment) -> None:
    """With an even number of reps each treatment's mean place in the pool is the same."""
    for group in design.launch(experiment, 0):
        for pool in group.blocks[0].pools:
            timed = [rep.treatment for rep in pool.reps if not rep.warmup and rep.treatment != CONTROL]
            if experiment.reps % 2:
                continue
            places = {t: [i for i, found in enumerate(timed) if found == t] for t in set(timed)}
            means = {sum(found) / len(found) for found in places.values()}
            assert max(means) - min(means) < 1e-9


@given(experiments)
def test_the_copy_of_the_first_shares_its_process_only_if_all_do(experiment: Experiment) -> None:
    groups = design.groups(experiment)
    everyone = [t for group in groups for t in group]
    assert sorted(everyone) == list(range(len(experiment.treatments) + experiment.again))
    if experiment.again and len({t.process_key for t in experiment.treatments}) > 1:
        assert groups[-1] == (len(experiment.treatments),)


def test_a_kind_that_is_not_available_is_left_out() -> None:
    experiment = Experiment("run", (treatment("a"),), kinds=("threads", "subinterpreters"))
    pools = design.launch(experiment, 0, ("threads",))[0].blocks[0].pools
    assert {pool.kind for pool in pools} == {"threads"}


def test_treatments_differ_in_process_where_anything_of_the_process_differs() -> None:
    base = treatment("a")
    assert treatment("b").process_key == base.process_key
    for other in (
        treatment("a", "/other"),
        treatment("a", env={"X": "1"}),
        treatment("a", arm=Arm("/arm.py")),
        treatment("a", arm=Arm("/arm.py", "control")),
    ):
        assert other.process_key != base.process_key


def test_a_treatment_comes_back_from_its_json() -> None:
    whole = treatment(
        "a", env={"X": None}, arm=Arm("/arm.py", "control", {"n": 1}), packages=("numpy==2.4.6",)
    )
    assert treatment_from_json(treatment_to_json(whole)) == whole


@given(experiments)
def test_an_experiment_comes_back_from_its_json(experiment: Experiment) -> None:
    assert Experiment.from_json(experiment.to_json(), experiment.treatments) == experiment
