"""Affinity, quota, cpuset, isolation, container and hypervisor of this process on Linux."""

from __future__ import annotations

import re

from knee.machine.limits import Limits
from knee.machine.linux import groups
from knee.machine.linux.tree import Tree, cpu_list, integer
from knee.machine.topology import Topology


def limits(tree: Tree, topology: Topology) -> Limits:
    """What the files below the tree's root allow this process."""
    unknown: dict[str, str] = {}
    affinity = _affinity(tree, unknown)
    quota, quota_from = quota_of(tree, unknown)
    isolated = tree.cpu_list("sys/devices/system/cpu/isolated")
    if isolated is None:
        unknown["isolated"] = tree.why("sys/devices/system/cpu/isolated")
    return Limits(
        affinity=affinity,
        cpuset=_cpuset(tree, topology),
        quota=quota,
        quota_from=quota_from,
        isolated=isolated or (),
        container=_container(tree),
        virtual=_virtual(tree),
        unknown=unknown,
    )


def _affinity(tree: Tree, unknown: dict[str, str]) -> tuple[int, ...] | None:
    match = re.search(r"^Cpus_allowed_list:[ \t]*(.*)$", tree.text("proc/self/status") or "", re.MULTILINE)
    allowed = cpu_list(match[1]) if match else None
    if not allowed:
        unknown["affinity"] = (
            tree.why("proc/self/status") if match is None else f"Cpus_allowed_list is {match[1][:40]!r}"
        )
        return None
    return allowed


def quota_of(tree: Tree, unknown: dict[str, str]) -> tuple[float | None, str | None]:
    """The tightest quota up the hierarchy, in CPUs, and the file that sets it."""
    tightest: tuple[float, str] | None = None
    seen = False
    for version, folder in groups.folders(tree, "cpu"):
        seen = True
        file, value = _quota_v2(tree, folder) if version == 2 else _quota_v1(tree, folder)
        if isinstance(value, str):
            unknown["quota"] = value
        elif value is not None and (tightest is None or value < tightest[0]):
            tightest = (value, f"/{file}")
    if not seen:
        unknown["quota"] = "no control group of this process is visible: " + (
            tree.why("proc/self/cgroup") if tree.text("proc/self/cgroup") is None else "none is mounted"
        )
    return tightest or (None, None)


def _quota_v2(tree: Tree, folder: str) -> tuple[str, float | str | None]:
    """``cpu.max`` holds "$QUOTA $PERIOD" or "max $PERIOD"; the root group has none (cgroup-v2.rst)."""
    file = f"{folder}/cpu.max"
    text = tree.text(file)
    if text is None:
        return file, None
    parts = text.split()
    if parts and parts[0] == "max":
        return file, None
    period = integer(parts[1]) if len(parts) > 1 else 100_000
    quota = integer(parts[0]) if parts else None
    if quota is None or period is None or quota <= 0 or period <= 0:
        return file, f"/{file} holds {text[:40]!r}"
    return file, quota / period


def _quota_v1(tree: Tree, folder: str) -> tuple[str, float | str | None]:
    """``cpu.cfs_quota_us`` is -1 for no bound (sched-bwc.rst)."""
    file = f"{folder}/cpu.cfs_quota_us"
    text = tree.text(file)
    if text is None:
        return file, None
    quota, period = integer(text), tree.integer(f"{folder}/cpu.cfs_period_us")
    if quota is not None and quota < 0:
        return file, None
    if not quota or period is None or period <= 0:
        return file, f"/{file} holds {text[:40]!r}, its period is {period}"
    return file, quota / period


def _cpuset(tree: Tree, topology: Topology) -> tuple[int, ...] | None:
    """CPUs that every visible group leaves; None if that is all of them."""
    left = everything = {cpu.number for cpu in topology.cpus}
    for version, folder in groups.folders(tree, "cpuset"):
        names = ("cpuset.cpus.effective",) if version == 2 else ("cpuset.effective_cpus", "cpuset.cpus")
        for name in names:
            cpus = tree.cpu_list(f"{folder}/{name}")
            if cpus:
                left = left & set(cpus)
                break
    return tuple(sorted(left)) if left != everything else None


def _container(tree: Tree) -> str | None:
    """The marks that container engines leave (systemd's CONTAINER_INTERFACE, Docker, Podman, Kubernetes)."""
    if tree.text("run/systemd/container"):
        return tree.text("run/systemd/container")
    if tree.text("run/.containerenv") is not None:
        return "podman"
    own = tree.text("proc/self/cgroup") or ""
    for mark, name in (
        ("kubepods", "kubernetes"),
        ("docker", "docker"),
        ("libpod", "podman"),
        ("containerd", "containerd"),
        ("lxc", "lxc"),
    ):
        if mark in own:
            return name
    return "docker" if tree.text(".dockerenv") is not None else None


def _virtual(tree: Tree) -> str | None:
    """The hypervisor, by DMI strings, Xen's folder, the device tree, or the flag of CPUID."""
    vendor = " ".join(tree.text(f"sys/class/dmi/id/{name}") or "" for name in ("sys_vendor", "product_name"))
    for mark, name in (
        ("QEMU", "QEMU"),
        ("KVM", "KVM"),
        ("VMware", "VMware"),
        ("VirtualBox", "VirtualBox"),
        ("Microsoft Corporation Virtual", "Hyper-V"),
        ("Amazon EC2", "Amazon EC2"),
        ("Google Compute Engine", "Google Compute Engine"),
        ("Xen", "Xen"),
        ("Parallels", "Parallels"),
        ("Apple Virtualization", "Apple Virtualization"),
    ):
        if mark in vendor and ".metal" not in vendor:
            return name
    if tree.text("sys/hypervisor/type"):
        return tree.text("sys/hypervisor/type")
    if tree.text("proc/device-tree/hypervisor/compatible") is not None:
        return "hypervisor in the device tree"
    flags = re.search(r"^flags\s*:.*\bhypervisor\b", tree.text("proc/cpuinfo") or "", re.MULTILINE)
    return "hypervisor (CPUID)" if flags else None
