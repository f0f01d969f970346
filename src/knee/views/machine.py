"""A machine as tables and sentences for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from knee.machine.description import Machine
from knee.machine.probes import Probes
from knee.machine.probes.interference import Interference
from knee.machine.probes.line import Operation
from knee.machine.probes.median import Median
from knee.machine.probes.rates import Rates
from knee.machine.topology import Cpu, Topology
from knee.views.hanging import Hanging

MOST_MATRIX = 16
"""With more CPUs than this hand-overs are shown by relation, not by pair."""

RELATIONS = {
    "core": "same core",
    "package": "same package",
    "machine": "across packages",
    "unpinned": "as placed",
}


def render(machine: Machine, console: Console) -> None:
    """Print a machine."""
    console.print(Group(*_parts(machine)))


def _parts(machine: Machine) -> Iterator[RenderableType]:
    yield from _heading(machine)
    yield Text()
    yield cores(machine.topology)
    yield Text()
    useful = machine.useful_workers
    yield Hanging(
        Text.assemble(
            ("Useful workers: ", "bold"), (str(useful.count), "bold green"), f" ({'; '.join(useful.why)})"
        )
    )
    yield Hanging(_line(machine))
    if machine.probes is not None:
        yield from probes(machine.probes)
    yield Text()
    yield from _hazards(machine)
    unknown = {**machine.topology.unknown, **machine.limits.unknown}
    if unknown:
        yield Text()
        yield Hanging(Text("Unknown", style="bold"))
        for name, why in unknown.items():
            yield Hanging(Text(f"{name}: {why}", style="dim"), 2)
    if machine.probes is None:
        yield Text()
        yield Hanging(
            Text("knee machine --probe measures lines, cores, latencies and bandwidth.", style="dim")
        )


def _heading(machine: Machine) -> Iterator[RenderableType]:
    topology, limits = machine.topology, machine.limits
    yield Hanging(Text(topology.model or "Unknown processor", style="bold"))
    words = [topology.system, topology.architecture]
    if limits.virtual:
        words.append(f"virtual machine: {limits.virtual}")
    if limits.container:
        words.append(f"container: {limits.container}")
    yield Hanging(Text(", ".join(word for word in words if word), style="dim"))
    bounds = []
    if limits.quota is not None:
        bounds.append(f"quota {limits.quota:g} CPUs ({limits.quota_from})")
    if limits.affinity is not None and len(limits.affinity) < len(topology.cpus):
        bounds.append(f"affinity {ranges(limits.affinity)}")
    if limits.cpuset is not None:
        bounds.append(f"cpuset {ranges(limits.cpuset)}")
    if limits.isolated:
        bounds.append(f"isolated {ranges(limits.isolated)}")
    if bounds:
        yield Hanging(Text(f"Limits: {', '.join(bounds)}", style="dim"))


def cores(topology: Topology) -> RenderableType:
    """A row for each group of cores that are alike and behind one cache."""
    groups: dict[tuple[object, ...], list[Cpu]] = {}
    clusters = topology.clusters
    for cpu in topology.cpus:
        home = next((index for index, group in enumerate(clusters) if cpu.number in group), None)
        groups.setdefault((cpu.kind, cpu.package, cpu.node, home), []).append(cpu)
    table = _table("class", "cores", "CPUs", "capacity", "package", "node", "L1d", "L2", "L3")
    for (_, package, node, _), cpus in sorted(groups.items(), key=lambda item: item[1][0].number):
        kind = topology.classes[cpus[0].kind]
        table.add_row(
            kind.name if kind.fast else Text(kind.name, style="yellow"),
            str(len({cpu.core for cpu in cpus})),
            ranges([cpu.number for cpu in cpus]) if topology.numbered else f"{len(cpus)} of them",
            "?" if kind.capacity is None else f"{kind.capacity:.2f}",
            "?" if package is None else str(package),
            "?" if node is None else str(node),
            *(_cache(topology, cpus[0].number, level) for level in (1, 2, 3)),
        )
    if not topology.cpus:
        return Hanging(Text("The cores are unknown.", style="yellow"))
    if len(topology.classes) > 1 and topology.classes_from:
        return Group(table, Hanging(Text(f"Classes by {topology.classes_from}.", style="dim")))
    return table


def _cache(topology: Topology, number: int, level: int) -> str:
    for cache in topology.caches:
        if cache.level == level and number in cache.cpus and cache.kind in ("data", "unified"):
            shared = f" for {len(cache.cpus)}" if len(cache.cpus) > 1 else ""
            return f"{size(cache.size)}{shared}"
    return ""


def _line(machine: Machine) -> Text:
    line, text = machine.line, Text.assemble(("Cache line: ", "bold"))
    text.append(f"{line.stated} bytes stated" if line.stated else "not stated by the system")
    if machine.probes is not None:
        found = machine.probes.line.conclusion
        why = "no pair of cores could be probed" if found is None else found.why
        text.append(
            f"; measured: {line.measured} bytes ({why})"
            if line.measured
            else f"; measured: cannot tell ({why})"
        )
    by_size: dict[int, list[str]] = {}
    for name, value in (line.assumed or {}).items():
        if value is not None:
            by_size.setdefault(value, []).append(name)
    if by_size:
        told = "; ".join(f"{value} by {', '.join(names)}" for value, names in sorted(by_size.items()))
        text.append(f"; assumed: {told}")
    text.append(f". Pad to {line.padding}.")
    return text


def _hazards(machine: Machine) -> Iterator[RenderableType]:
    if machine.hazards:
        yield Text("Hazards", style="bold")
        for hazard in machine.hazards:
            yield Hanging(Text.assemble((hazard.id, "yellow"), ": ", hazard.text), 2)
            yield Hanging(Text(hazard.advice, style="dim"), 4)
    else:
        yield Text.assemble(("Hazards: ", "bold"), "none seen")
    told = {hazard.id for hazard in machine.hazards}
    unchecked = {name: why for name, why in machine.unchecked.items() if name not in told}
    later = [name for name, why in unchecked.items() if "yet" in why or "target" in why]
    never = {name: why for name, why in unchecked.items() if name not in later}
    for name, why in never.items():
        yield Hanging(Text(f"not checked: {name} ({why})", style="dim"), 2)
    if later:
        yield Hanging(Text(f"checked when something is measured: {', '.join(later)}", style="dim"), 2)


def probes(found: Probes) -> Iterator[RenderableType]:
    """What the probes measured."""
    yield Text()
    yield from _curves(found.line.curves)
    yield Text()
    yield from _latency(found)
    yield Text()
    yield from _ladder(found.ceiling, found.bandwidth)
    yield Text()
    yield from _speed(found)


def _curves(curves: Mapping[tuple[str, Operation], Interference]) -> Iterator[RenderableType]:
    table = _table("CPUs share")
    table.add_column("operation", no_wrap=True)
    told = [curve for curve in curves.values() if curve.curve]
    if told:
        for point in told[0].curve:
            table.add_column(f"{point.distance} B", justify="right", no_wrap=True)
        for (relation, operation), curve in curves.items():
            cells = [
                Text(
                    nanoseconds(point.time.estimate),
                    style={"interferes": "red", "unclear": "yellow"}.get(point.verdict, ""),
                )
                for point in curve.curve
            ]
            table.add_row(_relation(relation), operation, *cells)
        yield Text("Time of a bump, two workers bumping counters some bytes apart", style="bold")
        yield table
    for (relation, operation), curve in curves.items():
        size = f"{curve.size} bytes" if curve.size else "cannot tell"
        yield Hanging(Text(f"{_relation(relation)}, {operation}: {size} ({curve.why})", style="dim"))


def _latency(found: Probes) -> Iterator[RenderableType]:
    latency = found.latency
    numbers = sorted({number for pair in latency.pairs for number in pair})
    yield Text("Hand-over of a line, one way", style="bold")
    if not latency.pairs:
        yield Hanging(Text("no pair of cores could be measured", style="dim"))
    elif len(numbers) <= MOST_MATRIX and not latency.sampled:
        table = _table("CPU", *map(str, numbers))
        for row in numbers:
            pairs = [latency.pairs.get((min(row, other), max(row, other))) for other in numbers]
            table.add_row(str(row), *("" if time is None else nanoseconds(time.estimate) for time in pairs))
        yield table
    else:
        table = _table("CPUs share", "time")
        for relation, time in latency.by_relation.items():
            table.add_row(_relation(relation), nanoseconds(time.estimate))
        yield table
    if latency.sampled:
        yield Hanging(Text(f"{latency.sampled}.", style="dim"))
    for pair, why in latency.missing.items():
        yield Hanging(Text(f"CPUs {pair[0]} and {pair[1]}: {why}", style="dim"))


def _ladder(ceiling: Rates, bandwidth: Rates) -> Iterator[RenderableType]:
    table = _table("workers", "ceiling", "95 % interval", "bandwidth", "gain", "95 % interval")
    for workers in sorted({*ceiling.totals, *bandwidth.totals}):
        top, gain, total = (
            ceiling.gains.get(workers),
            bandwidth.gains.get(workers),
            bandwidth.totals.get(workers),
        )
        table.add_row(
            str(workers),
            *_gain(top),
            "?" if total is None else f"{total.estimate / 1e9:.1f} GB/s",
            *_gain(gain),
        )
    yield Text("Ceiling: speedup of work that shares nothing; bandwidth: STREAM triad", style="bold")
    yield table
    for name, rates in (("ceiling", ceiling), ("bandwidth", bandwidth)):
        for workers, why in rates.missing.items():
            yield Hanging(Text(f"{name} at {workers} workers: {why}", style="dim"))


def _speed(found: Probes) -> Iterator[RenderableType]:
    speed = found.speed
    if speed.slowest is None:
        yield Hanging(Text("Speed of cores: not measured", style="dim"))
        return
    words = f"the slowest of {len(speed.cpus)} CPUs has {speed.slowest:.0%} of the fastest's speed"
    yield Hanging(
        Text.assemble(("Speed of cores: ", "bold"), words, f"; {speed.sampled}" if speed.sampled else "")
    )


def _gain(interval: Median | None) -> tuple[str, str]:
    """A speedup and its interval; nothing where too few rounds were had to bound it."""
    if interval is None or not (math.isfinite(interval.low) and math.isfinite(interval.high)):
        return "?", "too few rounds"
    return f"{interval.estimate:.2f}", f"{interval.low:.2f} to {interval.high:.2f}"


def _relation(name: str) -> str:
    return RELATIONS.get(name, f"same {name}")


def _table(*names: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for index, name in enumerate(names):
        table.add_column(name, justify="left" if index == 0 else "right", no_wrap=True)
    return table


def nanoseconds(seconds: float) -> str:
    """``7.6 ns`` or ``120 ns``."""
    value = seconds * 1e9
    return f"{value:.2f} ns" if value < 1 else f"{value:.1f} ns" if value < 100 else f"{value:.0f} ns"


def size(value: int | None) -> str:
    """``32 KiB``, ``1.25 MiB``."""
    if value is None:
        return "?"
    for unit, scale in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if value >= scale:
            return f"{value / scale:.4g} {unit}"
    return f"{value} B"


def ranges(numbers: Sequence[int]) -> str:
    """``0-3,8``."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ",".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)
