"""Where workers' time went is told as far as the system tells it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from knee.analysis.effort import placements, splits
from knee.launch.sample import RepResult, WorkerSample
from knee.store.database import Store
from tests.synthetic import Synthetic

SECOND = 1_000_000_000


def sample(worker: int, **known: float) -> WorkerSample:
    return replace(WorkerSample(worker, 0, SECOND, 1), **known)  # type: ignore[arg-type]


def stored(store: Store, *samples: WorkerSample, treatment: int = 0, warmup: bool = False) -> int:
    run = store.begin(Synthetic().record())
    add(store, run, 0, *samples, treatment=treatment, warmup=warmup)
    return run


def add(
    store: Store, run: int, block: int, *samples: WorkerSample, treatment: int = 0, warmup: bool = False
) -> None:
    store.append_block(
        run, 0, 0, block, [RepResult(block, 0, treatment, "threads", len(samples), warmup, samples)]
    )


def test_the_shares_of_a_workers_time_add_up(store: Store) -> None:
    busy = {"user": 0.6 * SECOND, "system": 0.2 * SECOND, "cpu": 0.8 * SECOND, "wait": 0.1 * SECOND}
    run = stored(store, *(sample(worker, **{k: int(v) for k, v in busy.items()}) for worker in range(2)))
    (found,) = splits(store.effort(run), "threads")
    assert found.workers == 2
    assert (found.user, found.kernel, found.waiting, found.blocked) == pytest.approx((0.6, 0.2, 0.1, 0.1))


def test_the_finer_clock_counts_where_user_and_kernel_time_tick(store: Store) -> None:
    run = stored(store, sample(0, user=3 * SECOND // 4, system=SECOND // 4, cpu=SECOND // 2, wait=0))
    (found,) = splits(store.effort(run), "threads")
    assert (found.user, found.kernel, found.blocked) == pytest.approx((0.375, 0.125, 0.5))


def test_what_is_not_known_of_every_worker_is_unknown(store: Store) -> None:
    run = stored(store, sample(0, user=5, system=5, cpu=10, wait=1), sample(1, user=5, system=5, cpu=10))
    (found,) = splits(store.effort(run), "threads")
    assert found.user is not None
    assert found.waiting is None
    assert found.blocked is None
    run = stored(store, sample(0))
    (found,) = splits(store.effort(run), "threads")
    assert (found.user, found.kernel, found.waiting, found.blocked) == (None, None, None, None)


def test_a_clock_that_overshoots_blocks_nobody_for_less_than_nothing(store: Store) -> None:
    run = stored(store, sample(0, user=SECOND, system=SECOND, cpu=2 * SECOND, wait=SECOND))
    assert splits(store.effort(run), "threads")[0].blocked == 0


@pytest.mark.parametrize(("treatment", "warmup"), [(-1, False), (1, False), (0, True)])
def test_the_control_other_treatments_and_warm_up_do_not_count(
    store: Store, treatment: int, warmup: bool
) -> None:
    run = stored(store, sample(0, user=SECOND), treatment=treatment, warmup=warmup)
    effort = store.effort(run)
    assert splits(effort, "threads") == placements(effort, "threads") == ()
    assert splits(effort, "processes") == ()


def test_a_slow_core_is_seen_by_the_probes(store: Store) -> None:
    run = store.begin(Synthetic().record())
    for block in range(10):
        slow = 4e8 if block < 4 else 1e9
        add(
            store,
            run,
            block,
            sample(0, speed_before=1e9, speed_after=1e9),
            sample(1, speed_before=slow, speed_after=slow),
        )
    (found,) = placements(store.effort(run), "threads")
    assert (found.workers, found.reps) == (2, 10)
    assert found.uneven == pytest.approx(0.4)
    assert found.factor == pytest.approx(2.5)


def test_a_run_without_probes_says_nothing_of_cores(store: Store) -> None:
    assert placements(store.effort(stored(store, sample(0))), "threads") == ()


def test_one_probe_of_two_is_enough(store: Store) -> None:
    run = stored(store, sample(0, speed_before=1e9), sample(1, speed_after=2e9))
    assert store.effort(run).speed.tolist() == [1e9, 2e9]
