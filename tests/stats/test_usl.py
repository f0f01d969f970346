"""The scalability law: fitted where it can be told, refused where not."""

from __future__ import annotations

import numpy as np
import pytest

from knee.stats.usl import NotIdentifiable, Usl, fit

COUNTS = np.array([1, 2, 3, 4, 6, 8, 12, 16])


def ladders(
    contention: float, coherency: float, counts: np.ndarray = COUNTS, noise: float = 0.01
) -> np.ndarray:
    law = -np.log1p(contention * (counts - 1) + coherency * counts * (counts - 1))
    return law + noise * np.random.default_rng(8).normal(size=(12, counts.size))


def test_parameters_come_back() -> None:
    found = fit(ladders(0.05, 0.002), COUNTS)
    assert isinstance(found, Usl)
    assert not found.contention.excludes(0.05)
    assert not found.coherency.excludes(0.002)
    assert found.efficiency(8) == pytest.approx(1 / (1 + 0.05 * 7 + 0.002 * 56), rel=0.02)


def test_fewer_than_six_counts_are_refused() -> None:
    found = fit(ladders(0.05, 0.002, COUNTS[:5]), COUNTS[:5])
    assert found == NotIdentifiable("5 worker counts are measured, 6 are needed")


@pytest.mark.parametrize(
    ("contention", "coherency", "name"), [(0.05, 0.0, "coherency"), (0.0, 0.002, "contention")]
)
def test_a_parameter_at_its_bound_is_refused(contention: float, coherency: float, name: str) -> None:
    found = fit(ladders(contention, coherency), COUNTS)
    assert isinstance(found, NotIdentifiable)
    assert name in found.why


def test_a_program_that_follows_the_ceiling_has_no_law() -> None:
    assert isinstance(fit(ladders(0.0, 0.0), COUNTS), NotIdentifiable)


def test_nothing_is_extrapolated() -> None:
    found = fit(ladders(0.05, 0.002), COUNTS)
    assert isinstance(found, Usl)
    with pytest.raises(ValueError, match="measured with 1 to 16 workers, not 32"):
        found.efficiency(32)


def test_two_whole_launches_are_too_few() -> None:
    log = ladders(0.05, 0.002)
    log[2:, 3] = np.nan
    assert isinstance(fit(log, COUNTS), NotIdentifiable)
