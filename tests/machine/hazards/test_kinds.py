"""Every kind of hazard: seen where it is, and not where it is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from knee.machine import hazards, linux, macos
from knee.machine.hazards import Hazard, Place, Snapshot
from tests.machine.trees import FIXTURES, MemoryTree, load

CPU = "sys/devices/system/cpu"
POD = "sys/fs/cgroup/kubepods.slice/pod1.slice"


def place(tree: MemoryTree, **more: Any) -> Place:
    topology, limits = linux.read(tree)
    return Place("linux", tree, topology, limits, **more)


def before(tree: MemoryTree, **more: Any) -> dict[str, Hazard]:
    return {hazard.id: hazard for hazard in hazards.before(where=place(tree, **more))}


def after(
    tree: MemoryTree, changes: Mapping[str, str | None], *, seconds: float = 10.0, **more: Any
) -> dict[str, Hazard]:
    """Hazards of a run of ``seconds`` during which some files changed."""
    first = replace(hazards.snapshot(place(tree)), clock=100.0)
    told = place(tree.changed(changes), **more)
    last = replace(hazards.snapshot(told), clock=100.0 + seconds)
    return {hazard.id: hazard for hazard in hazards.after(first, told, last)}


STAT = "100 (knee) R 1 100 100 0 -1 4194304 1 0 0 0 50 10 5 5 20 0 1 0 5" + " 1" * 18 + " 0 0 0 0 0"
VM = load("vm_2vcpu").changed(
    {
        "proc/pressure/cpu": "some avg10=0.00 avg60=0.00 avg300=0.00 total=0",
        "proc/loadavg": "0.01 0.02 0.03 1/90 100",
        "proc/stat": "cpu  1000 0 1000 100000 0 0 0 0 0 0",
        "proc/self/stat": STAT,
        "proc/100/stat": "100 (knee) R 1 100 100 0 -1 4194304 1 0 0 0 50 10 5 5 20 0 1 0 5",
        "proc/vmstat": "pswpin 5\npswpout 5",
        "proc/meminfo": "MemTotal:       1000000 kB\nMemFree: 1 kB\nMemAvailable:    800000 kB",
    }
)
"""A quiet machine."""


def test_a_quiet_machine_has_no_hazard() -> None:
    assert before(VM) == {}
    assert after(VM, {}) == {}


def test_kinds_that_cannot_be_checked_say_why() -> None:
    found = hazards.unchecked(hazards.snapshot(place(VM)))
    assert "no such file" in found["governor"]
    assert found["gil"] == "no interpreter has reported yet"
    assert "quota" not in found


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("load", {"proc/pressure/cpu": "some avg10=23.00 avg60=0.20 avg300=1.15 total=13921113"}),
        ("load", {"proc/loadavg": "1.30 0.02 0.03 1/90 100"}),
        ("steal", {"proc/stat": "cpu  1000 0 1000 100000 0 0 0 5000 0 0"}),
        ("memory", {"proc/meminfo": "MemTotal:       1000000 kB\nMemAvailable:    10000 kB"}),
        ("aslr", {"proc/sys/kernel/randomize_va_space": "0"}),
        ("aslr", {"proc/self/personality": "00040000"}),
        ("isolation", {f"{CPU}/isolated": "1"}),
        ("tracing", {"proc/self/status": "TracerPid:\t77\nCpus_allowed_list:\t0-1"}),
        ("governor", {f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave"}),
        ("turbo", {f"{CPU}/cpufreq/boost": "1"}),
        (
            "battery",
            {
                "sys/class/power_supply/BAT0/type": "Battery",
                "sys/class/power_supply/BAT0/status": "Discharging",
            },
        ),
        (
            "priority",
            {"proc/self/stat": STAT.replace("20 0 1 0 5", "20 10 1 0 5")},
        ),
    ],
)
def test_what_the_machine_shows_is_reported_before(kind: str, changes: dict[str, str | None]) -> None:
    found = before(VM.changed(changes))
    assert set(found) == {kind}
    hazard = found[kind]
    assert hazard.text
    assert hazard.advice
    assert hazard.seen


@pytest.mark.parametrize(
    ("kind", "facts"),
    [
        ("debug", {"debug": True}),
        ("debug", {"assertions": True}),
        ("tracing", {"tracing": ["coverage"]}),
        ("gil", {"free_threaded": True, "gil_enabled": True, "gil_cause": "yaml._yaml"}),
        ("pools", {"pools": [{"internal_api": "openblas", "num_threads": 2}]}),
        ("prints", {"printed": 90}),
    ],
)
def test_what_the_target_reports_is_a_hazard_after(kind: str, facts: dict[str, Any]) -> None:
    assert set(after_with(facts)) == {kind}


def after_with(facts: dict[str, Any]) -> dict[str, Hazard]:
    """Hazards of a run on a quiet machine whose target reported ``facts`` (nothing before it started)."""
    return after(VM, {}, facts=facts, workers=2)


@pytest.mark.parametrize(
    "facts",
    [
        {"debug": False, "assertions": False, "tracing": [], "printed": 0},
        {"free_threaded": True, "gil_enabled": False},
        {"free_threaded": False, "gil_enabled": True},
        {"pools": [{"internal_api": "openblas", "num_threads": 1}]},
        {"pools": "nonsense", "tracing": 3, "printed": "x", "cpus": 5},
        {"cpus": [5, None, ["a"]]},
    ],
)
def test_a_sound_target_is_none(facts: dict[str, Any]) -> None:
    assert after_with(facts) == {}


def test_the_module_that_enabled_the_gil_is_named() -> None:
    found = after_with({"free_threaded": True, "gil_enabled": True, "gil_cause": "yaml._yaml"})
    assert "by the import of yaml._yaml" in found["gil"].text


def test_a_quota_below_the_workers_is_a_hazard_and_throttling_is_one_after() -> None:
    tree = load("container_quota")
    assert "1.5 CPUs" in before(tree, workers=4)["quota"].text
    assert "quota" not in before(tree, workers=1)
    stat = "usage_usec 900\nnr_periods 90\nnr_throttled 16\nthrottled_usec 1220000"
    found = after(tree, {f"{POD}/cpu.stat": stat})
    assert "in 12 periods" in found["quota"].text
    assert "1.00 s" in found["quota"].text


def test_version_1_throttling_counts_nanoseconds() -> None:
    stat = "nr_periods 20\nnr_throttled 3\nthrottled_time 500000000"
    found = after(load("container_v1"), {"sys/fs/cgroup/cpu,cpuacct/cpu.stat": stat})
    assert "in 3 periods during the run (0.50 s" in found["quota"].text


def test_steal_and_swap_and_stalls_during_the_run_are_told() -> None:
    found = after(
        VM,
        {
            "proc/stat": "cpu  1000 0 1000 101800 0 0 0 200 0 0",
            "proc/vmstat": "pswpin 9\npswpout 15",
            "proc/pressure/memory": "some avg10=0.00 avg60=0.00 avg300=0.00 total=500000",
        },
    )
    assert set(found) == {"steal", "swap", "memory"}
    assert "10.0 %" in found["steal"].text
    assert "14 pages" in found["swap"].text
    assert "5 % of the run" in found["memory"].text


def test_load_of_others_is_what_this_process_and_its_children_did_not_use() -> None:
    """2000 ticks were used in 10 s, 1000 of them by a worker process that Knee started."""
    child = "200 (worker) R 100 200 100 0 -1 4194304 1 0 0 0 900 100 0 0 20 0 1 0 5"
    found = after(VM, {"proc/stat": "cpu  2500 0 1500 100000 0 0 0 0 0 0", "proc/200/stat": child})
    assert "other processes used 1.00 CPUs" in found["load"].text
    busy = child.replace("900 100", "1900 100")
    assert after(VM, {"proc/stat": "cpu  2500 0 1500 100000 0 0 0 0 0 0", "proc/200/stat": busy}) == {}


def test_a_process_name_with_spaces_and_parentheses_is_read_over() -> None:
    text = STAT.replace("(knee)", "(a) R (b c)")
    assert "priority" not in hazards.unchecked(hazards.snapshot(place(VM.changed({"proc/self/stat": text}))))


def test_throttling_for_heat_is_counted_over_the_run() -> None:
    tree = load("intel_hybrid")
    found = after(tree, {f"{CPU}/cpu3/thermal_throttle/core_throttle_count": "4"})
    assert "4 times" in found["throttling"].text


def test_smt_is_told_before_and_by_the_cpus_that_workers_had() -> None:
    tree = load("amd_two_ccds")
    assert "20 workers on 16 cores" in before(tree, workers=20)["smt"].text
    assert "may be placed on one core" in before(tree, workers=4)["smt"].text
    assert "smt" not in before(tree, workers=1)
    assert "smt" not in before(load("arm_big_little"), workers=8)
    found = after(tree, {}, facts={"cpus": [[0, 16], [0, 1], [2, 18], [4, 5]]})
    assert "In 50 % of reps" in found["smt"].text


def test_a_demoted_launch_is_seen_by_its_speed_alone() -> None:
    """macOS's background policy makes the same loop take 3.6 times as long and lets nothing else show."""
    found = after(VM, {}, speeds=[3.6e-3] * 5, earlier=[1.02e-3, 1e-3])
    assert "3.6 times as long" in found["demotion"].text
    assert after(VM, {}, speeds=[1.1e-3] * 5, earlier=[1e-3]) == {}
    assert after(VM, {}, speeds=[3.6e-3] * 2, earlier=[1e-3]) == {}


def test_slow_cores_show_as_a_share_of_probes() -> None:
    speeds = [1e-3] * 59 + [2.7e-3] * 41
    assert "In 41 % of probes" in after(VM, {}, speeds=speeds)["demotion"].text


def test_a_governor_that_changes_during_the_run_is_told() -> None:
    file = f"{CPU}/cpu0/cpufreq/scaling_governor"
    tree = VM.changed({file: "performance"})
    assert before(tree) == {}
    assert "changed from performance to powersave" in after(tree, {file: "powersave"})["governor"].text


def test_macs_tell_their_battery_and_their_speed_limit() -> None:
    topology, limits = macos.read(FIXTURES / "apple_m4.sysctl")
    outputs = {
        "pmset -g batt": "Now drawing from 'Battery Power'\n -InternalBattery-0 (id=1)\t80%; discharging",
        "pmset -g therm": "CPU_Scheduler_Limit \t= 100\nCPU_Speed_Limit \t= 60\n",
        "vm_stat": "Swapins:                               5.\nSwapouts:                              7.\n",
    }
    where = Place("macos", MemoryTree({}), topology, limits, outputs=outputs)
    found = {hazard.id: hazard.text for hazard in hazards.before(where=where)}
    assert "60 % of its speed" in found["throttling"]
    assert "battery" in found


def test_a_snapshot_survives_the_store() -> None:
    first = hazards.snapshot(place(VM))
    assert Snapshot(**first.to_json()) == first


def test_this_machine_can_be_asked() -> None:
    first = hazards.snapshot()
    assert set(first.readings) == {kind.ID for kind in hazards.KINDS}
    assert isinstance(hazards.before(first), list)
    assert isinstance(hazards.after(first), list)
