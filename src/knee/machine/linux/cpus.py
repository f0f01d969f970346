"""CPUs, cores, classes, caches and nodes from ``/sys/devices/system`` (sysfs-devices-system-cpu ABI)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from knee.machine.linux.tree import Tree, size
from knee.machine.topology import Cache, Class, Cpu, Topology, classify

CPUS = "sys/devices/system/cpu"
NODES = "sys/devices/system/node"
HYBRID = "sys/devices"


def topology(tree: Tree) -> Topology:
    """Everything that sysfs and ``/proc/cpuinfo`` say of the machine."""
    unknown: dict[str, str] = {}
    online = _online(tree, unknown)
    cores, packages = _cores(tree, online, unknown)
    classes, kinds, source = _classes(tree, online, unknown)
    nodes = _nodes(tree, unknown)
    caches = _caches(tree, online, unknown)
    lines = {cache.line for cache in caches if cache.line}
    if not lines:
        unknown["line"] = tree.why(f"{CPUS}/cpu{online[0] if online else 0}/cache/index0/coherency_line_size")
    info = _cpuinfo(tree)
    if "model" not in info:
        unknown["model"] = "no model name in /proc/cpuinfo"
    release = tree.text("proc/sys/kernel/osrelease")
    return Topology(
        system=f"Linux {release}" if release else "Linux",
        architecture=tree.text("proc/sys/kernel/arch") or "",
        model=info.get("model"),
        cpus=tuple(
            Cpu(number, cores[number], kinds.get(number, 0), packages.get(number), nodes.get(number))
            for number in online
        ),
        classes=classes,
        classes_from=source,
        caches=caches,
        line=max(lines, default=None),
        unknown=unknown,
    )


def _online(tree: Tree, unknown: dict[str, str]) -> tuple[int, ...]:
    online = tree.cpu_list(f"{CPUS}/online")
    if online:
        return online
    unknown["online"] = tree.why(f"{CPUS}/online")
    folders = [match[1] for name in tree.names(CPUS) if (match := re.fullmatch(r"cpu([0-9]{1,5})", name))]
    if folders:
        return tuple(sorted(int(number) for number in folders))
    found = re.findall(r"^processor\s*:\s*([0-9]{1,5})$", tree.text("proc/cpuinfo") or "", re.MULTILINE)
    if not found:
        unknown["cpus"] = f"{unknown['online']}, and no other file lists the CPUs"
    return tuple(sorted({int(number) for number in found}))


def _cores(
    tree: Tree, online: Sequence[int], unknown: dict[str, str]
) -> tuple[dict[int, int], dict[int, int]]:
    """CPU -> core index, by the siblings file (core_id repeats across packages), and CPU -> package."""
    keys: dict[int, object] = {}
    packages: dict[int, int] = {}
    for number in online:
        folder = f"{CPUS}/cpu{number}/topology"
        package = tree.integer(f"{folder}/physical_package_id")
        if package is not None and package >= 0:
            packages[number] = package
        siblings = tree.cpu_list(f"{folder}/core_cpus_list") or tree.cpu_list(
            f"{folder}/thread_siblings_list"
        )
        core = tree.integer(f"{folder}/core_id")
        if siblings and number in siblings:
            keys[number] = siblings
        elif core is not None and package is not None:
            keys[number] = (package, tree.integer(f"{folder}/die_id"), core)
        else:
            keys[number] = number
            unknown.setdefault(
                "siblings", f"{tree.why(f'{folder}/thread_siblings_list')}; each CPU is taken as a core"
            )
    if len(packages) < len(online):
        unknown["packages"] = "physical_package_id cannot be read for every CPU"
    order = {key: index for index, key in enumerate(dict.fromkeys(keys.values()))}
    return {number: order[key] for number, key in keys.items()}, packages


def _classes(
    tree: Tree, online: Sequence[int], unknown: dict[str, str]
) -> tuple[tuple[Class, ...], dict[int, int], str | None]:
    """Classes of core by the most trusted source there is: hybrid folders, capacity, CPPC, frequency."""
    hybrid = {
        name: tree.cpu_list(f"{HYBRID}/{name}/cpus") for name in ("cpu_core", "cpu_atom", "cpu_lowpower")
    }
    present = {name: cpus for name, cpus in hybrid.items() if cpus and set(cpus) & set(online)}
    if "cpu_core" in present and len(present) > 1:
        words = {"cpu_core": "performance", "cpu_atom": "efficiency", "cpu_lowpower": "low power"}
        kinds = {number: index for index, cpus in enumerate(present.values()) for number in cpus}
        classes = tuple(Class(words[name], None, name == "cpu_core") for name in present)
        return classes, kinds, "hybrid device folders /sys/devices/cpu_core and cpu_atom"
    equal: str | None = None
    for what, path in (
        ("cpu_capacity", "cpu_capacity"),
        ("CPPC highest performance", "acpi_cppc/highest_perf"),
        ("maximum frequency", "cpufreq/cpuinfo_max_freq"),
    ):
        values = {number: tree.integer(f"{CPUS}/cpu{number}/{path}") for number in online}
        known = {number: float(value) for number, value in values.items() if value is not None and value > 0}
        if not online or len(known) < len(online):
            continue
        classes, kinds = classify(known)
        if len(classes) > 1:
            return classes, kinds, what
        # x86 kernels state a capacity of 1024 for every CPU where they know of no difference; another source may.
        equal = equal or what
    if equal is None:
        unknown["classes"] = (
            "no hybrid folders, cpu_capacity, CPPC or frequency: all cores are taken as equal"
        )
    return (Class("core", None if equal is None else 1.0),), {}, equal


def _nodes(tree: Tree, unknown: dict[str, str]) -> dict[int, int]:
    nodes: dict[int, int] = {}
    for name in tree.names(NODES):
        match = re.fullmatch(r"node([0-9]{1,5})", name)
        for number in (tree.cpu_list(f"{NODES}/{name}/cpulist") or ()) if match else ():
            nodes[number] = int(name.removeprefix("node"))
    if not nodes:
        unknown["nodes"] = f"no NUMA nodes: {tree.why(NODES)}"
    return nodes


def _caches(tree: Tree, online: Sequence[int], unknown: dict[str, str]) -> tuple[Cache, ...]:
    found: dict[tuple[object, ...], Cache] = {}
    for number in online:
        folder = f"{CPUS}/cpu{number}/cache"
        for index in tree.names(folder):
            if not re.fullmatch(r"index[0-9]{1,2}", index):
                continue
            level = tree.integer(f"{folder}/{index}/level")
            if level is None or not 0 < level < 10:
                unknown.setdefault("caches", tree.why(f"{folder}/{index}/level"))
                continue
            kind = (tree.text(f"{folder}/{index}/type") or "unknown").lower()
            shared = tree.cpu_list(f"{folder}/{index}/shared_cpu_list")
            if not shared or number not in shared:
                unknown.setdefault("caches", tree.why(f"{folder}/{index}/shared_cpu_list"))
                shared = (number,)
            if (level, kind, shared) in found:
                continue
            line = tree.integer(f"{folder}/{index}/coherency_line_size")
            sensible = line if line is not None and 8 <= line <= 4096 else None
            cache = Cache(level, kind, shared, size(tree.text(f"{folder}/{index}/size")), sensible)
            found[level, kind, shared] = cache
    if not found:
        unknown.setdefault("caches", tree.why(f"{CPUS}/cpu{online[0] if online else 0}/cache"))
    return tuple(sorted(found.values(), key=lambda cache: (cache.level, cache.kind, cache.cpus)))


def _cpuinfo(tree: Tree) -> Mapping[str, str]:
    first = (tree.text("proc/cpuinfo") or "").split("\n\n")[0]
    fields = dict(re.findall(r"^([\w ]+?)\s*:\s*(.*)$", first, re.MULTILINE))
    model = fields.get("model name") or fields.get("Hardware") or fields.get("cpu model")
    return {"model": model} if model else {}
