"""Cores, clusters and caches from ``sysctl hw``: ``hw.nperflevels`` and ``hw.perflevelN.*``.

Level 0 always is the fastest (facts of xnu 11417). A level's clusters are counted by ``cpusperl2``. The
system gives counts, never which CPU number is which core, and no affinity; so the numbers here are Knee's
own.
"""

from __future__ import annotations

from collections.abc import Mapping

from knee.machine.limits import Limits
from knee.machine.linux.tree import integer
from knee.machine.topology import Cache, Class, Cpu, Topology

MOST = 4096
"""More cores than this in one level is nonsense."""


def parse(text: str, reason: str = "sysctl printed nothing") -> tuple[Topology, Limits]:
    """A machine from lines ``name: value``; ``reason`` is given for what is missing if there are none."""
    values = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    unknown: dict[str, str] = {}
    levels = _levels(values)
    if not levels:
        unknown["cpus"] = (
            f"neither hw.perflevel0.physicalcpu nor hw.physicalcpu: {reason if not text else 'not there'}"
        )
    cpus: list[Cpu] = []
    caches: list[Cache] = []
    classes: list[Class] = []
    for index, (prefix, name) in enumerate(levels):
        classes.append(Class(name, 1.0 if index == 0 else None, index == 0))
        own = _cpus(values, prefix, index, len(cpus), cpus[-1].core + 1 if cpus else 0)
        cpus += own
        caches += _caches(values, prefix, own, _number(values, "hw.cachelinesize", 8, 4096))
    line = _number(values, "hw.cachelinesize", 8, 4096)
    if line is None:
        unknown["line"] = f"hw.cachelinesize is {values.get('hw.cachelinesize', 'not there')[:40]}"
    if len(classes) > 1:
        unknown["capacity"] = "macOS names classes of core but not their speed; the speed probe measures it"
    elif "hw.nperflevels" not in values:
        unknown["classes"] = "hw.nperflevels is not there: all cores are taken as equal"
    unknown["numbers"] = "macOS gives counts of cores, not their numbers"
    version = values.get("kern.osproductversion") or values.get("kern.osrelease")
    topology = Topology(
        system=f"macOS {version}" if version else "macOS",
        architecture=values.get("hw.machine", ""),
        model=values.get("machdep.cpu.brand_string"),
        cpus=tuple(cpus),
        classes=tuple(classes) or (Class("core"),),
        classes_from="hw.perflevelN" if len(classes) > 1 else None,
        caches=tuple(caches),
        line=line,
        numbered=False,
        unknown=unknown,
    )
    virtual = "Apple hypervisor" if values.get("kern.hv_vmm_present") == "1" else None
    return topology, Limits(
        virtual=virtual, unknown={"affinity": "macOS has no thread affinity on Apple silicon"}
    )


def _number(values: Mapping[str, str], name: str, low: int, high: int) -> int | None:
    value = integer(values.get(name, ""))
    return value if value is not None and low <= value <= high else None


def _levels(values: Mapping[str, str]) -> list[tuple[str, str]]:
    """Prefix and name of each performance level that has cores; an older system is one level."""
    levels = []
    for level in range(_number(values, "hw.nperflevels", 1, 16) or 0):
        prefix = f"hw.perflevel{level}"
        if _number(values, f"{prefix}.physicalcpu", 1, MOST):
            levels.append((prefix, values.get(f"{prefix}.name", f"level {level}").strip().lower()))
    return levels or ([("hw", "core")] if _number(values, "hw.physicalcpu", 1, MOST) else [])


def _cpus(values: Mapping[str, str], prefix: str, kind: int, first: int, core: int) -> list[Cpu]:
    physical = _number(values, f"{prefix}.physicalcpu", 1, MOST) or 0
    logical = _number(values, f"{prefix}.logicalcpu", 1, 2 * MOST) or physical
    threads = max(1, logical // physical)
    return [Cpu(first + i, core + i // threads, kind, package=0) for i in range(physical * threads)]


def _caches(values: Mapping[str, str], prefix: str, cpus: list[Cpu], line: int | None) -> list[Cache]:
    caches = []
    for level, kind, name, sharing in (
        (1, "instruction", "l1icachesize", None),
        (1, "data", "l1dcachesize", None),
        (2, "unified", "l2cachesize", "cpusperl2"),
        (3, "unified", "l3cachesize", "cpusperl3"),
    ):
        amount = _number(values, f"{prefix}.{name}", 1, 1 << 40)
        if amount is None:
            continue
        whole = len(cpus) if level == 3 else 1
        group = (_number(values, f"{prefix}.{sharing}", 1, MOST) or whole) if sharing else 1
        numbers = [cpu.number for cpu in cpus]
        caches += [
            Cache(level, kind, tuple(numbers[at : at + group]), amount, line)
            for at in range(0, len(numbers), group)
        ]
    return caches
