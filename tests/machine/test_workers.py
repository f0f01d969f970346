"""Useful workers on every recorded machine, and why."""

from __future__ import annotations

import pytest

from knee.machine import linux, macos, workers
from knee.machine.limits import Limits
from knee.machine.topology import Topology
from tests.machine.trees import FIXTURES, load


@pytest.mark.parametrize(
    ("name", "count", "reason"),
    [
        ("vm_2vcpu", 2, "2 cores, all of one speed"),
        ("intel_hybrid", 8, "8 of 24 cores are fast (performance)"),
        ("amd_two_ccds", 16, "16 cores, all of one speed; 32 hardware threads share 16 cores"),
        ("numa_two_sockets", 64, "128 hardware threads share 64 cores"),
        ("arm_big_little", 4, "4 of 8 cores are fast"),
        ("container_quota", 1, "the quota is 1.5 CPUs (/sys/fs/cgroup/kubepods.slice/pod1.slice/cpu.max)"),
        ("container_v1", 2, "the quota is 2 CPUs"),
    ],
)
def test_linux_machines_give_the_workers_of_their_fast_cores(name: str, count: int, reason: str) -> None:
    useful = workers.useful(*linux.read(load(name)))
    assert useful.count == count
    assert reason in "; ".join(useful.why)


@pytest.mark.parametrize(("name", "count"), [("apple_m4", 4), ("apple_12_core", 6)])
def test_macs_stop_at_the_fast_core_count(name: str, count: int) -> None:
    useful = workers.useful(*macos.read(FIXTURES / f"{name}.sysctl"))
    assert useful.count == count
    assert "fast (performance)" in useful.why[0]


def affinity(mask: str) -> dict[str, str | None]:
    return {"proc/self/status": f"Cpus_allowed_list:\t{mask}"}


def test_affinity_bounds_the_count() -> None:
    """Four CPUs of an AMD machine that are two cores give two workers."""
    useful = workers.useful(*linux.read(load("amd_two_ccds").changed(affinity("0-1,16-17"))))
    assert useful.count == 2
    assert "the affinity mask leaves 4 of 32 CPUs" in useful.why


def test_among_slow_cores_only_all_count() -> None:
    """A process confined to efficiency cores has no fast ones to wait for."""
    assert workers.useful(*linux.read(load("intel_hybrid").changed(affinity("16-31")))).count == 16


def test_isolated_cpus_do_not_count() -> None:
    tree = load("container_v1").changed(
        {
            "sys/devices/system/cpu/isolated": "6-7",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1",
        }
    )
    useful = workers.useful(*linux.read(tree))
    assert useful.count == 6
    assert "2 isolated CPUs" in "; ".join(useful.why)


def test_a_process_on_isolated_cpus_only_has_one_worker() -> None:
    tree = load("vm_2vcpu").changed({"sys/devices/system/cpu/isolated": "0-1"})
    useful = workers.useful(*linux.read(tree))
    assert useful.count == 1
    assert "every CPU allowed is isolated" in useful.why[0]


@pytest.mark.parametrize(("quota", "count"), [(0.3, 1), (1.999, 2), (2.0, 2), (2.5, 2), (8.0, 4), (None, 4)])
def test_a_quota_is_rounded_down_but_never_to_none(quota: float | None, count: int) -> None:
    topology, _ = linux.read(load("arm_big_little"))
    assert workers.useful(topology, Limits(quota=quota, quota_from="cpu.max")).count == count


def test_without_any_topology_the_affinity_mask_counts() -> None:
    assert workers.useful(Topology("Linux", ""), Limits(affinity=(0, 1, 2))).count == 3
    assert workers.useful(Topology("Linux", ""), Limits()).count == 1
