"""Reps: the columns agree, and selections select."""

from __future__ import annotations

import numpy as np
import pytest

from knee.plan.cell import CONTROL
from knee.stats.reps import Reps


def made(**changes: object) -> Reps:
    columns: dict[str, object] = {
        "launch": [0, 0, 0, 1],
        "block": [0, 0, 0, 0],
        "position": [0, 1, 2, 0],
        "treatment": [0, CONTROL, 1, 0],
        "kind": ["threads", "threads", "processes", "threads"],
        "workers": [1, 2, 2, 4],
        "warmup": [True, False, False, False],
        "time": [1.0, 2.0, 3.0, 4.0],
        "calls": [10, 20, 20, 40],
    }
    return Reps(**{**columns, **changes})  # type: ignore[arg-type]


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="different lengths"):
        made(time=[1.0])


def test_warmup_reps_are_left_out_unless_asked_for() -> None:
    assert len(made().select()) == 3
    assert len(made().select(warmup=None)) == 4
    assert made().select(warmup=True).time.tolist() == [1.0]


def test_every_given_value_must_match() -> None:
    assert made().select(kind="threads", treatment=[0, CONTROL], workers=[2, 4]).time.tolist() == [2.0, 4.0]


@pytest.mark.parametrize("broken", [0.0, -1.0, np.nan, np.inf])
def test_a_rep_without_a_time_is_not_analysed(broken: float) -> None:
    assert len(made(time=[1.0, broken, 3.0, 4.0]).select()) == 2


def test_the_control_is_no_treatment() -> None:
    assert made().treatments == (0, 1)


def test_kinds_stand_in_the_order_of_their_first_rep() -> None:
    assert made().kinds == ("threads", "processes")


def test_scaled_speed_is_n_over_time_and_fixed_is_one_over_time() -> None:
    """n workers that each do the same calls in the same time are n times as fast; with a fixed total they are not."""
    scaled, fixed = made(time=[2.0] * 4, warmup=[False] * 4), made(time=[2.0] * 4, law="fixed")
    assert np.allclose(np.exp(scaled.log_speed() - scaled.log_speed()[0]), [1, 2, 2, 4])
    assert np.allclose(fixed.log_speed(), fixed.log_speed()[0])


def test_the_empty_run_has_nothing() -> None:
    empty = Reps.empty()
    assert (len(empty), empty.counts, empty.kinds, empty.treatments) == (0, (), (), ())
