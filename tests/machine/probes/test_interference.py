"""The interference size on simulated curves: right, or "cannot tell", never wrong."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knee.machine.probes.interference import DISTANCES, ENOUGH, Interference, estimate


def curve(
    line: int, seed: int, *, rounds: int = 14, noise: float = 0.03, factor: float = 4.0, spoiled: float = 0.0
) -> dict[int, list[float]]:
    """Times of a bump on a machine with lines of ``line`` bytes; a share of them tells the wrong thing."""
    draw = random.Random(seed)
    times: dict[int, list[float]] = {}
    for distance in DISTANCES:
        times[distance] = []
        for _ in range(rounds):
            near = distance < line
            if draw.random() < spoiled:
                # A worker was off its CPU (no interference seen), or both were held up.
                near = draw.random() < 0.5
            times[distance].append(2e-9 * (factor if near else 1.0) * draw.lognormvariate(0, noise))
    return times


@pytest.mark.parametrize("line", [32, 64, 128, 256])
def test_a_clean_curve_gives_its_line_in_every_call(line: int) -> None:
    for seed in range(50):
        found = estimate(curve(line, seed))
        assert found.size == line
        assert found.interval == (line // 2, line)


@pytest.mark.parametrize("spoiled", [0.1, 0.3, 0.6])
def test_spoiled_measurements_never_give_a_wrong_size(spoiled: float) -> None:
    """Beside a busy process many a measurement may tell the wrong thing: more rounds help, or it cannot tell."""
    first, last = (
        [estimate(curve(64, seed, spoiled=spoiled, rounds=n)).size for seed in range(200)] for n in (14, 56)
    )
    assert {*first, *last} <= {64, None}
    if spoiled <= 0.3:
        assert last.count(64) > 190


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([32, 64, 128, 256]),
    st.integers(0, 10**6),
    st.floats(0.001, 1.0),
    st.floats(1.5, 20.0),
    st.floats(0.0, 0.5),
)
def test_any_noise_gives_the_line_or_cannot_tell(
    line: int, seed: int, noise: float, factor: float, spoiled: float
) -> None:
    assert estimate(curve(line, seed, noise=noise, factor=factor, spoiled=spoiled)).size in (line, None)


def test_no_interference_at_all_is_no_size() -> None:
    """Two threads of one core share their first cache."""
    found = estimate(curve(64, 1, factor=1.0))
    assert found.size is None
    assert found.interval == (0, 8)
    assert "no distance interferes" in found.why


def test_noise_as_large_as_the_effect_cannot_tell_and_says_where() -> None:
    found = estimate(curve(64, 3, noise=1.5))
    assert found.size is None
    assert found.why


def test_a_hole_in_the_curve_cannot_tell() -> None:
    """Interference at 32 bytes but not at 16 is no line."""
    times = curve(64, 5)
    times[16] = times[256]
    found = estimate(times)
    assert found.size is None
    assert found.interval == (32, 64)
    assert found.why == "unclear at 16 bytes"


def test_far_distances_that_differ_are_no_reference() -> None:
    times = curve(64, 5)
    times[1024] = [2 * time for time in times[1024]]
    assert estimate(times).size is None


def test_too_few_measurements_cannot_tell() -> None:
    found = estimate(curve(64, 1, rounds=ENOUGH - 1))
    assert found.size is None
    assert "too busy" in found.why
    assert estimate({8: [], 16: [1.0], 32: [1.0]}).why.startswith("no trusted measurement at distance 8:")
    assert estimate({}).size is None


def test_a_ratio_is_over_the_far_distances() -> None:
    found = estimate(curve(64, 2))
    near, far = found.ratio(8), found.ratio(64)
    assert near is not None
    assert far is not None
    assert near.estimate == pytest.approx(4, rel=0.05)
    assert far.estimate == pytest.approx(1, rel=0.05)
    assert Interference(None, None, "", ()).ratio(8) is None
