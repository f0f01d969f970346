"""Each probe on fake kernels: what it asks of them, and what it concludes."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from knee.machine import linux, macos
from knee.machine.probes import bandwidth, ceiling, latency, line, rates, speed
from knee.machine.topology import Topology
from tests.machine.trees import FIXTURES, load


@dataclass(frozen=True)
class Cost:
    median_ns: float
    batches: int


def topology(name: str) -> Topology:
    return linux.read(load(name))[0]


def numbers(machine: Topology) -> list[int]:
    return [cpu.number for cpu in machine.cpus]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        self.now += 0.002
        return self.now


def test_the_line_probe_finds_the_line_of_each_pair() -> None:
    """Across CCDs this machine moves 128 bytes at once, within one 64: pad to 128."""

    def kernel(distance: int, a: int, b: int, atomic: bool, duration: float) -> Cost:
        size = 64 if b < 8 else 128
        return Cost((8 if atomic else 3) if distance < size else 2, 60)

    found = line.probe(kernel, {"L3": (0, 1), "package": (0, 8)}, draw=random.Random(1), clock=Clock())
    assert {key: curve.size for key, curve in found.curves.items()} == {
        ("L3", "atomic"): 64,
        ("L3", "store"): 64,
        ("package", "atomic"): 128,
        ("package", "store"): 128,
    }
    assert found.conclusion is not None
    assert found.conclusion.size == 128
    assert json.loads(json.dumps(found.to_json()))["size"] == 128


def test_measurements_with_few_batches_are_left_out() -> None:
    """Where a worker is off its CPU the other's quick batches tell of no interference at all."""
    draw = random.Random(3)

    def kernel(distance: int, a: int, b: int, atomic: bool, duration: float) -> Cost:
        if draw.random() < 0.6:
            return Cost(2, line.LEAST - 1)
        return Cost(8 if distance < 64 else 2, line.LEAST)

    found = line.probe(kernel, {"L3": (0, 1)}, draw=random.Random(1), clock=Clock(), seconds=30)
    assert {curve.size for curve in found.curves.values()} == {64}


def test_a_kernel_that_cannot_run_is_said() -> None:
    def kernel(distance: int, a: int, b: int, atomic: bool, duration: float) -> Cost:
        raise OSError(38, "Function not implemented")

    found = line.probe(kernel, {"L3": (0, 1)}, draw=random.Random(1), clock=Clock(), seconds=1)
    assert found.conclusion is not None
    assert found.conclusion.why == "the kernel could not run: Function not implemented"
    assert found.conclusion.size is None


def test_pairs_stand_for_what_two_cores_share_and_never_for_one_core() -> None:
    amd, server, vm = topology("amd_two_ccds"), topology("numa_two_sockets"), topology("vm_2vcpu")
    assert list(line.pairs_by_relation(amd, numbers(amd))) == ["L3", "package"]
    assert list(line.pairs_by_relation(server, numbers(server))) == ["L3", "machine"]
    assert line.pairs_by_relation(vm, [0, 1]) == {"L3": (0, 1)}
    assert line.pairs_by_relation(vm, [0]) == {}
    hybrid = topology("intel_hybrid")
    assert list(line.pairs_by_relation(hybrid, numbers(hybrid))) == ["L2", "L3"]


def test_on_a_mac_the_system_places_the_pair() -> None:
    mac, _ = macos.read(FIXTURES / "apple_m4.sysctl")
    assert line.pairs_by_relation(mac, numbers(mac)) == {"unpinned": (-1, -1)}
    assert latency.choose(mac, numbers(mac), random.Random(1))[0] == [(-1, -1)]


def test_latency_measures_every_pair_of_a_small_machine() -> None:
    machine = topology("arm_big_little")

    def kernel(a: int, b: int, duration: float) -> Cost:
        if (a, b) == (0, 1):
            raise OSError(110, "Connection timed out")
        nanoseconds = 50.0 if b < 4 or a >= 4 else 120.0
        return Cost(nanoseconds, 100)

    found = latency.probe(kernel, machine, numbers(machine), draw=random.Random(1), clock=Clock(), seconds=30)
    assert len(found.pairs) == 27
    assert found.missing == {(0, 1): "Connection timed out"}
    assert found.pairs[0, 7].estimate == pytest.approx(120e-9)
    assert found.sampled == ""
    assert list(found.by_relation) == ["L3"]
    json.dumps(found.to_json())


def test_latency_leaves_out_hand_overs_whose_side_was_off_its_cpu() -> None:
    """One batch of 2 ms, made while a worker waited for its CPU, is no latency."""
    machine = topology("vm_2vcpu")
    found = latency.probe(
        lambda *_: Cost(2e6, 1), machine, [0, 1], draw=random.Random(1), clock=Clock(), seconds=1
    )
    assert found.pairs == {}
    assert "off its CPU" in found.missing[0, 1]


def test_latency_samples_pairs_of_each_relation_of_a_large_machine() -> None:
    machine = topology("numa_two_sockets")
    chosen, words = latency.choose(machine, numbers(machine), random.Random(1))
    relations = [machine.relation(*pair) for pair in chosen]
    assert {name: relations.count(name) for name in set(relations)} == dict.fromkeys(
        ("core", "L3", "machine"), 24
    )
    assert words.startswith("72 of 8128 pairs")


def test_the_ceiling_is_a_ladder_over_one_worker() -> None:
    """Two of four workers at half speed bend the machine's own ladder."""

    def kernel(count: int, duration: float) -> Sequence[float]:
        return [1e9 if index < 2 else 5e8 for index in range(count)]

    found = ceiling.probe(kernel, 4, draw=random.Random(1))
    assert {workers: gain.estimate for workers, gain in found.gains.items()} == {1: 1, 2: 2, 3: 2.5, 4: 3}
    json.dumps(found.to_json())


def test_bandwidth_that_cannot_be_had_is_said_row_by_row() -> None:
    machine = topology("vm_2vcpu")
    sizes: set[int] = set()

    def kernel(count: int, size: int, duration: float) -> Sequence[float]:
        sizes.add(size)
        if count == 2:
            raise OSError(12, "Cannot allocate memory")
        return [3e10] * count

    found = bandwidth.probe(kernel, machine, 2, draw=random.Random(1), seconds=0.05)
    assert found.missing == {2: "Cannot allocate memory"}
    assert list(found.totals) == [1]
    assert sizes == {64 << 20}


@pytest.mark.parametrize(
    ("most", "expected"), [(2, [1, 2]), (9, list(range(1, 10))), (24, [1, 2, 3, 4, 6, 8, 12, 16, 24])]
)
def test_worker_counts_are_all_of_few_and_some_of_many(most: int, expected: list[int]) -> None:
    assert rates.counts(most) == expected


def test_speeds_tell_slow_cores() -> None:
    found = speed.probe(
        lambda cpu, _: 1e9 if cpu >= 4 else 4e8, range(8), draw=random.Random(1), clock=Clock()
    )
    assert found.slowest == pytest.approx(0.4)
    assert {len(values) for values in found.values.values()} == {9}
    json.dumps(found.to_json())
    many = speed.probe(lambda cpu, _: 1e9, range(128), draw=random.Random(1), clock=Clock())
    assert len(many.cpus) == 64
    assert many.sampled == "64 of 128 CPUs, drawn at random"
    none = speed.probe(lambda cpu, _: 1e9, [], draw=random.Random(1), clock=Clock())
    assert (none.median, none.slowest) == (None, None)
