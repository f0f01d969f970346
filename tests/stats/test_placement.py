"""The speed probe turns placement from invisible into a covariate."""

from __future__ import annotations

import numpy as np
import pytest

from knee.stats.placement import placement


def machine(share: float, factor: float, reps: int = 400, seed: int = 0) -> dict[str, np.ndarray]:
    """Two workers a rep; in a share of the reps the second one's core is slower, and its time longer, by a factor."""
    draw = np.random.default_rng(seed)
    slow = draw.random(reps) < share
    speed = np.ones((reps, 2)) * draw.lognormal(0, 0.01, (reps, 2))
    speed[slow, 1] /= factor
    time = 0.1 / speed * draw.lognormal(0, 0.01, (reps, 2))
    return {
        "rep": np.repeat(np.arange(reps), 2),
        "workers": np.full(2 * reps, 2),
        "time": time.ravel(),
        "speed": speed.ravel(),
        "wait": np.zeros(2 * reps),
    }


def test_a_lottery_of_slow_cores_is_counted_measured_and_explains_the_times() -> None:
    [found] = placement(**machine(0.41, 2.7))
    assert found.uneven == pytest.approx(0.41, abs=0.06)
    assert found.factor == pytest.approx(2.7, rel=0.05)
    assert found.explained is not None
    assert found.explained > 0.95


def test_equal_cores_are_even_and_explain_nothing() -> None:
    [found] = placement(**machine(0.0, 1.0))
    assert found.uneven == 0
    assert found.factor == 1
    assert found.explained is not None
    assert found.explained < 0.9


def test_without_probes_nothing_is_said() -> None:
    data = machine(0.4, 2.0)
    data["speed"] = np.full(800, np.nan)
    assert placement(**data) == ()


def test_waiting_for_a_cpu_is_a_share_of_the_workers_time() -> None:
    data = machine(0.0, 1.0)
    data["wait"] = 0.25 * data["time"]
    [found] = placement(**data)
    assert found.waited == pytest.approx(0.25)
    data["wait"] = np.full(800, np.nan)
    [found] = placement(**data)
    assert found.waited is None


def test_a_core_shared_by_turns_shows_in_the_waiting_of_the_slowest_worker_alone() -> None:
    draw = np.random.default_rng(1)
    given = machine(0.0, 1.0)
    wait = np.zeros((400, 2))
    wait[:, 1] = 0.1 * draw.uniform(0.2, 1.5, 400)
    given["wait"] = wait.ravel()
    given["time"] = given["time"] + given["wait"]
    [found] = placement(**given)
    assert found.delayed is not None
    assert found.delayed > 0.95
    assert found.explained is not None
    assert found.explained < 0.1
    [unknown] = placement(**{**given, "wait": np.full(800, np.nan)})
    assert unknown.delayed is None
