"""Cores, caches and nodes from the records of ``GetLogicalProcessorInformationEx``.

Layouts: SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX, PROCESSOR_RELATIONSHIP, CACHE_RELATIONSHIP and
NUMA_NODE_RELATIONSHIP of winnt.h on 64-bit Windows. A higher EfficiencyClass is a faster core; it is not
zero on machines with several classes only.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from knee.machine.topology import Cache, Class, Cpu, Topology

CORE, NODE, CACHE, PACKAGE = 0, 1, 2, 3
CACHE_KINDS = {0: "unified", 1: "instruction", 2: "data", 3: "trace"}


def parse(buffer: bytes, system: str = "Windows", reason: str = "the buffer is empty") -> Topology:
    """A machine from the records; what is cut short is left out and said."""
    unknown: dict[str, str] = {}
    cores: list[tuple[int, tuple[int, ...]]] = []
    nodes: dict[int, int] = {}
    packages: dict[int, int] = {}
    caches: list[Cache] = []
    for relation, body in _records(buffer, unknown):
        try:
            if relation == CORE:
                cores.append((body[1], _numbers(body, 22)))
            elif relation == NODE:
                nodes.update(dict.fromkeys(_numbers(body, 22), struct.unpack_from("<I", body, 0)[0]))
            elif relation == PACKAGE:
                packages.update(dict.fromkeys(_numbers(body, 22), len(set(packages.values()))))
            elif relation == CACHE:
                level, _, line, size, kind = struct.unpack_from("<BBHII", body, 0)
                numbers = _numbers(body, 30)
                if 0 < level < 10 and numbers:
                    name = CACHE_KINDS.get(kind, "unknown")
                    caches.append(Cache(level, name, numbers, size, line if 8 <= line <= 4096 else None))
        except (struct.error, IndexError):
            unknown["records"] = f"a record of relationship {relation} is cut short"
    ranks = sorted({rank for rank, _ in cores}, reverse=True)
    names = (
        ["performance", "efficiency"] if len(ranks) == 2 else [f"efficiency class {rank}" for rank in ranks]
    )
    classes = tuple(Class(names[i] if len(ranks) > 1 else "core", None, i == 0) for i in range(len(ranks)))
    cpus: dict[int, Cpu] = {}
    for index, (rank, numbers) in enumerate(cores):
        for number in numbers:
            cpus[number] = Cpu(number, index, ranks.index(rank), packages.get(number), nodes.get(number))
    if not cpus:
        unknown["cpus"] = reason if not buffer else "no processor core among the records"
    lines = [cache.line for cache in caches if cache.line]
    if not lines:
        unknown["line"] = "no cache among the records states its line"
    return Topology(
        system=system,
        architecture="",
        cpus=tuple(cpus[number] for number in sorted(cpus)),
        classes=classes or (Class("core"),),
        classes_from="EfficiencyClass" if len(ranks) > 1 else None,
        caches=tuple(caches),
        line=max(lines, default=None),
        unknown=unknown,
    )


def _records(buffer: bytes, unknown: dict[str, str]) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 8 <= len(buffer):
        relation, size = struct.unpack_from("<II", buffer, at)
        if size < 8 or at + size > len(buffer):
            unknown["records"] = f"a record at byte {at} says it has {size} bytes"
            return
        yield relation, buffer[at + 8 : at + size]
        at += size


def _numbers(body: bytes, count_at: int) -> tuple[int, ...]:
    """CPUs of the GROUP_AFFINITY array whose count is a word at ``count_at``; 64 a processor group."""
    (count,) = struct.unpack_from("<H", body, count_at)
    numbers: list[int] = []
    # NUMA and cache records of older systems leave the count 0 and hold one mask.
    for index in range(max(1, count)):
        mask, group = struct.unpack_from("<QH", body, count_at + 2 + 16 * index)
        numbers += [group * 64 + bit for bit in range(64) if mask >> bit & 1]
    return tuple(numbers)
