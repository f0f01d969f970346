"""The ladder under the real stopping rule: 1,000 simulated runs on each machine."""

from __future__ import annotations

import pytest

from tests.quality import ladders, samples, tables

pytestmark = pytest.mark.quality


@pytest.mark.parametrize("most", [12, 20, 30])
def test_the_interval_of_the_speedup_covers_on_the_two_speed_machine(most: int) -> None:
    """Placement drawn per launch, drift, 2 % noise: 93 to 97 %, whenever the budget ends."""
    found = ladders.simulate(ladders.TWO_SPEEDS, tables.SEED, most=most)
    print(most, found)
    assert 0.93 <= found.speedup <= 0.97


@pytest.mark.parametrize("machine", ladders.MACHINES[1:4], ids=lambda machine: machine.name)
def test_it_covers_on_machines_of_one_speed(machine: ladders.Machine) -> None:
    found = ladders.simulate(machine, tables.SEED)
    print(found)
    assert 0.93 <= found.speedup <= 0.98


@pytest.mark.parametrize("machine", ladders.MACHINES, ids=lambda machine: machine.name)
def test_the_speedup_over_the_ceiling_covers_wherever_the_control_met_the_same(
    machine: ladders.Machine,
) -> None:
    """What workload and control both met in their pool cancels, however often launches repeat it."""
    found = ladders.simulate(machine, tables.SEED)
    assert found.of_ceiling >= 0.93


def test_looks_keep_the_error_rate() -> None:
    rates = samples.look_rates(tables.SEED)
    print(rates)
    assert rates["normal"][38] <= 0.05
    assert rates["normal"][100] <= 0.06
