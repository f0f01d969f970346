"""The probes: shapes, limits and errors. Their figures belong to the machine, so none is asserted."""

from __future__ import annotations

import errno
import math

import pytest

from knee.native import Native


def test_speed_is_positive_and_the_best_is_no_less(native: Native) -> None:
    speed = native.probes.speed(0.002)
    assert speed.duration_ns >= 2_000_000
    assert 0 < speed.rate <= speed.best * 1.001
    assert native.speed(0.002).best > 0


@pytest.mark.parametrize("atomic", [True, False])
def test_lines_give_a_cost_at_every_distance(native: Native, atomic: bool) -> None:
    for distance in (8, 64, 4096):
        try:
            cost = native.probes.lines(distance, atomic=atomic, duration=0.05)
        except OSError as error:
            assert error.errno == errno.ETIMEDOUT  # noqa: PT017 - a busy machine may never run both at once
        else:
            assert 0 < cost.least_ns <= cost.median_ns < math.inf
            assert cost.batches > 0


@pytest.mark.parametrize("distance", [0, 4, 12, 5000, -8])
def test_lines_refuse_a_distance_that_no_counter_has(native: Native, distance: int) -> None:
    with pytest.raises(OSError, match="line probe at distance"):
        native.probes.lines(distance)


def test_handover_on_one_cpu_still_ends(native: Native) -> None:
    """Both sides on one CPU hand over by way of the scheduler, if it lets them in time."""
    try:
        cost = native.probes.handover(0, 0, duration=0.1)
    except OSError as error:
        assert error.errno == errno.ETIMEDOUT  # noqa: PT017 - either outcome is right, by the machine's load
    else:
        assert 0 < cost.least_ns <= cost.median_ns


def test_every_thread_has_a_rate(native: Native) -> None:
    assert all(rate > 0 for rate in native.probes.ceiling(3, duration=0.01))
    rates = native.probes.bandwidth(2, 1 << 20, cpus=[0, 0], duration=0.01)
    assert len(rates) == 2
    assert all(0 < rate < math.inf for rate in rates)


def test_a_cpu_that_is_not_there_is_named(native: Native) -> None:
    with pytest.raises(OSError, match="CPUs 0 and 1000"):
        native.probes.handover(0, 1000)


def test_cpus_must_be_as_many_as_threads(native: Native) -> None:
    with pytest.raises(ValueError, match="1 CPUs for 2 threads"):
        native.probes.ceiling(2, cpus=[0])


@pytest.mark.parametrize("duration", [0, -1, 61])
def test_no_probe_runs_without_bound(native: Native, duration: float) -> None:
    with pytest.raises(OSError, match="Invalid"):
        native.probes.ceiling(1, duration=duration)
    with pytest.raises(OSError, match="Invalid"):
        native.probes.speed(duration)
