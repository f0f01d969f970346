"""Quota, cpuset, container and hypervisor."""

from __future__ import annotations

from knee.machine import linux
from knee.machine.limits import Limits
from tests.machine.trees import MemoryTree, load

QUOTA = "sys/fs/cgroup/kubepods.slice/pod1.slice/cpu.max"


def limits(tree: MemoryTree) -> Limits:
    return linux.read(tree)[1]


def test_the_tightest_quota_up_the_hierarchy_counts() -> None:
    found = limits(load("container_quota"))
    assert found.quota == 1.5
    assert found.quota_from == f"/{QUOTA}"
    assert found.container == "kubernetes"


def test_version_1_quotas_are_read_below_the_part_that_is_mounted() -> None:
    found = limits(load("container_v1"))
    assert found.quota == 2.0
    assert found.container == "docker"


def test_no_quota_is_none_and_not_unknown() -> None:
    found = limits(load("vm_2vcpu"))
    assert found.quota is None
    assert "quota" not in found.unknown


def test_a_broken_quota_says_so() -> None:
    found = limits(load("container_quota").changed({QUOTA: "lots 0"}))
    assert found.quota is None
    assert "lots 0" in found.unknown["quota"]


def test_a_group_outside_of_the_namespace_reads_the_top_of_what_is_mounted() -> None:
    """Inside a cgroup namespace a process moved out of it has a path with ``..``."""
    tree = load("container_quota").changed(
        {"proc/self/cgroup": "0::/../other", "sys/fs/cgroup/cpu.max": "300000 100000"}
    )
    assert limits(tree).quota == 3.0


def test_the_cpuset_of_any_group_bounds() -> None:
    path = "sys/fs/cgroup/kubepods.slice/pod1.slice/app.scope/cpuset.cpus.effective"
    assert limits(load("container_quota").changed({path: "4-7"})).cpuset == (4, 5, 6, 7)
    assert limits(load("container_quota")).cpuset is None


def test_hypervisors_are_named_where_the_machine_names_them() -> None:
    tree = load("vm_2vcpu")
    assert limits(tree).virtual == "hypervisor (CPUID)"
    named = tree.changed(
        {"sys/class/dmi/id/sys_vendor": "Amazon EC2", "sys/class/dmi/id/product_name": "c7i.large"}
    )
    assert limits(named).virtual == "Amazon EC2"
    metal = tree.changed(
        {
            "sys/class/dmi/id/sys_vendor": "Amazon EC2",
            "sys/class/dmi/id/product_name": "c7i.metal-24xl",
            "proc/cpuinfo": "flags : fpu",
        }
    )
    assert limits(metal).virtual is None
    assert limits(load("intel_hybrid")).virtual is None
