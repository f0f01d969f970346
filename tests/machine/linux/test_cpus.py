"""Topology out of recorded Linux trees."""

from __future__ import annotations

import pytest

from knee.machine import linux
from knee.machine.topology import Topology
from tests.machine.trees import load


def topology(name: str) -> Topology:
    return linux.read(load(name))[0]


def test_the_recorded_virtual_machine_reads_as_it_is() -> None:
    machine = topology("vm_2vcpu")
    assert [cpu.number for cpu in machine.cpus] == [0, 1]
    assert len(machine.cores) == 2
    assert machine.line == 64
    assert machine.model == "AMD EPYC"
    assert {cache.size for cache in machine.caches if cache.level == 3} == {32 << 20}
    assert dict(machine.unknown) == {}


def test_hybrid_folders_name_the_classes() -> None:
    machine = topology("intel_hybrid")
    assert [kind.name for kind in machine.classes] == ["performance", "efficiency"]
    assert machine.classes_from is not None
    assert "hybrid" in machine.classes_from
    assert len(machine.cores) == 24


@pytest.mark.parametrize(
    ("gone", "source"),
    [
        (r"sys/devices/cpu_(core|atom)", "CPPC highest performance"),
        (r"sys/devices/cpu_(core|atom)|acpi_cppc", "maximum frequency"),
    ],
)
def test_without_hybrid_folders_the_next_source_is_trusted(gone: str, source: str) -> None:
    """In a guest the folders are hidden; CPPC, else frequency, still tells E cores from P cores."""
    machine, _ = linux.read(load("intel_hybrid").without(gone))
    assert machine.classes_from == source
    slow = sum(not machine.classes[cpu.kind].fast for cpu in machine.cpus)
    assert slow == (16 if source.startswith("CPPC") else 0)


def test_a_preferred_core_ranking_is_one_class() -> None:
    """AMD's CPPC values differ from core to core by rank; they are no slow cores."""
    machine = topology("amd_two_ccds")
    assert machine.classes_from == "CPPC highest performance"
    assert len(machine.classes) == 1


def test_a_source_that_tells_no_difference_is_not_the_last_word() -> None:
    """x86 kernels give 1024 for every CPU of a Zen 5 with Zen 5c; their frequencies differ by a third."""
    changes = {f"sys/devices/system/cpu/cpu{n}/cpu_capacity": "1024" for n in range(32)}
    changes |= {f"sys/devices/system/cpu/cpu{n}/acpi_cppc/highest_perf": "200" for n in range(32)}
    for n in range(32):
        dense = n % 16 >= 8
        changes[f"sys/devices/system/cpu/cpu{n}/cpufreq/cpuinfo_max_freq"] = "3300000" if dense else "5100000"
    machine, _ = linux.read(load("amd_two_ccds").changed(changes))
    assert machine.classes_from == "maximum frequency"
    assert sum(machine.classes[cpu.kind].fast for cpu in machine.cpus) == 16


def test_two_ccds_are_two_clusters() -> None:
    assert len(topology("amd_two_ccds").clusters) == 2


def test_relations_go_from_core_to_machine() -> None:
    amd, server = topology("amd_two_ccds"), topology("numa_two_sockets")
    assert amd.relation(0, 16) == "core"
    assert amd.relation(0, 1) == "L3"
    assert amd.relation(0, 8) == "package"
    assert server.relation(0, 32) == "machine"


def test_core_numbers_that_repeat_across_sockets_are_different_cores() -> None:
    machine = topology("numa_two_sockets")
    assert len(machine.cores) == 64
    assert {cpu.node for cpu in machine.cpus} == {0, 1}


def test_core_numbers_serve_where_there_is_no_list_of_siblings() -> None:
    machine, _ = linux.read(load("numa_two_sockets").without("thread_siblings_list"))
    assert len(machine.cores) == 64


def test_capacity_tells_little_from_big() -> None:
    machine = topology("arm_big_little")
    assert machine.classes_from == "cpu_capacity"
    assert [(kind.name, kind.fast) for kind in machine.classes] == [("fast", True), ("slow", False)]
    assert machine.classes[1].capacity == pytest.approx(0.518)


def test_an_empty_tree_is_unknown_and_says_why() -> None:
    machine, limits = linux.read(load("vm_2vcpu").without(""))
    assert machine.cpus == ()
    for field in ("cpus", "line", "caches", "nodes", "model", "classes"):
        assert machine.unknown[field]
    for field in ("affinity", "quota", "isolated"):
        assert limits.unknown[field]


def test_a_file_that_may_not_be_read_is_named() -> None:
    tree = load("vm_2vcpu")
    tree.files["sys/devices/system/cpu/isolated"] = PermissionError(13, "Permission denied")
    assert linux.read(tree)[1].unknown["isolated"] == "/sys/devices/system/cpu/isolated: permission denied"
