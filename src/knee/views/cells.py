"""A report's parts as short texts, shared by the formats for people."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from knee.analysis.compare import CompareReport
from knee.analysis.report import InterpreterReport, KindReport, RunReport
from knee.launch.sample import Loss
from knee.plan.cell import counted
from knee.stats.ladder import DRIFT, FEW_LAUNCHES, MODES, Ladder, Row
from knee.stats.placement import Placement
from knee.views import units

NAMES = ("workers", "time per rep", "throughput", "speedup", "gain", "efficiency", "ceiling", "flags")
"""Columns of a ladder's table."""

_MEANINGS = {
    MODES: "launches fall into modes, so no single number holds; each mode is shown with its share of the launches",
    DRIFT: "launches resemble those next to them in time, so something changes slowly and the interval is too narrow",
    FEW_LAUNCHES: "under five launches, the interval is wide or unknown and modes cannot be seen",
}
_TELLING = 0.5
"""Share of the spread of times that waiting for a CPU must explain to be worth a sentence."""
_WAITED = 0.05
"""And the share of the workers' time that it must be."""
_UNEVEN = 0.05
"""Share of reps with a slow core from which on it is told."""


def row(row: Row, kind: KindReport) -> tuple[str, ...]:
    """A row's cells, in the order of ``NAMES``; a cell of a row with modes has a line for each mode."""
    assert kind.ladder is not None
    speedup, gain, efficiency = units.ratio(row.speedup), units.ratio(row.gain), units.percent(row.efficiency)
    time = f"{units.time(row.time.estimate)} {units.spread(row.time)}"
    rate = units.rate(row.throughput.estimate)
    if row.modes:
        # No single number holds: each mode is shown, with its share of the launches.
        modes = [(f"{mode.share:.0%}: ", mode) for mode in kind.modes(row.workers)]
        time = "\n".join(
            f"{share}{units.time(mode.time.estimate)} {units.spread(mode.time)}" for share, mode in modes
        )
        rate = "\n".join(f"{share}{units.rate(mode.throughput.estimate)}" for share, mode in modes)
        gain = "" if row.gain is None else "modes"
        if row.workers != kind.ladder.base:
            speedup = "\n".join(f"{share}{units.ratio(mode.speedup)}" for share, mode in modes)
            efficiency = "\n".join(f"{share}{units.percent(mode.efficiency)}" for share, mode in modes)
    ceiling = "?" if row.ceiling is None else units.ratio(row.ceiling)
    return str(row.workers), time, rate, speedup, gain, efficiency, ceiling, " ".join(row.flags)


def notes(kind: KindReport) -> list[str]:
    """What the flags mean, where the knee is, and what the cores did: sentences."""
    ladder = kind.ladder
    assert ladder is not None
    found = []
    if ladder.base != 1:
        found.append(
            f"Speedup and efficiency are against {counted(ladder.base, 'workers')}, not against one."
        )
    found += [f"{counted(row.workers, 'workers')}: {row.note}." for row in ladder.rows if row.note]
    flags = {flag for row in ladder.rows for flag in row.flags}
    found += [f"{flag}: {meaning}." for flag, meaning in _MEANINGS.items() if flag in flags]
    if ladder.knee is not None:
        found.append(f"{knee(ladder)}: {ladder.knee.why}.")
    worst = max(kind.placements, key=lambda place: place.uneven, default=None)
    if worst is not None and worst.uneven > _UNEVEN:
        found.append(uneven(worst))
    late = max(kind.placements, key=lambda place: place.delayed or 0.0, default=None)
    if late is not None and (late.delayed or 0.0) > _TELLING and (late.waited or 0.0) > _WAITED:
        found.append(delayed(late))
    return found


def uneven(place: Placement) -> str:
    """What the speed probes say of a count whose workers had cores of different speeds."""
    where = counted(place.workers, "workers")
    text = f"In {place.uneven:.0%} of reps of {where} a core was {place.factor:.1f} times slower than the fastest"
    if place.explained is not None:
        text += f"; the speed of the slowest core explains {place.explained:.0%} of the spread of their times"
    return f"{text}."


def delayed(place: Placement) -> str:
    """What the run queue says of a count whose workers had to share CPUs."""
    where = counted(place.workers, "workers")
    return (
        f"{where[0].upper()}{where[1:]} waited for a CPU for {place.waited:.0%} of their time; how long the slowest "
        f"waited explains {place.delayed:.0%} of the spread of the times."
    )


def split(kind: KindReport) -> str:
    """Where the workers' time went, from the fewest workers to the most; empty where the system does not tell."""
    if not kind.splits:
        return ""
    ends = (kind.splits[0], kind.splits[-1]) if len(kind.splits) > 1 else kind.splits
    parts = [
        f"{name} {' → '.join(f'{share:.0%}' for share in shares)}"
        for name, shares in (
            ("user", [end.user for end in ends]),
            ("kernel", [end.kernel for end in ends]),
            ("waiting for a CPU", [end.waiting for end in ends]),
            ("blocked", [end.blocked for end in ends]),
        )
        if all(share is not None for share in shares)
    ]
    counts = f"{' → '.join(str(end.workers) for end in ends)} worker{'' if ends[-1].workers == 1 else 's'}"
    return f"Workers' time at {counts}: {', '.join(parts)}." if parts else ""


def phases(kind: KindReport) -> list[tuple[str, ...]]:
    """A table of the phases, its head first: a line a phase, a column a worker count."""
    counts = sorted({phase.workers for phase in kind.phases})
    cells = {(phase.name, phase.workers): phase for phase in kind.phases}
    table = [("phase, time per call", *(counted(count, "workers") for count in counts))]
    for name in dict.fromkeys(phase.name for phase in kind.phases):
        found = [cells.get((name, count)) for count in counts]
        table.append(
            (name, *("" if p is None else f"{units.time(p.time.estimate)} ({p.share:.0%})" for p in found))
        )
    return table


def knee(ladder: Ladder) -> str:
    """Where the knee is, with its interval."""
    found = ladder.knee
    if found is None:
        return "No knee can be told"
    if not found.reached:
        return f"No knee up to {found.workers} workers"
    return f"The knee is at {counted(found.workers, 'workers')}" + (
        "" if found.low == found.high else f" ({found.low} to {found.high})"
    )


def interpreter(found: InterpreterReport) -> str:
    """Version, GIL and loader."""
    if found.gil is None:
        gil = "GIL unknown"
    elif found.gil:
        gil = "GIL ON in a free-threaded build" if found.free_threaded else "GIL on"
    else:
        gil = "GIL off"
    loader = {None: "", "import": ", workload imported as a module"}.get(
        found.loader, ", workload run as a script"
    )
    return f"Python {found.label}, {gil}{loader}"


def summary(report: RunReport | CompareReport) -> str:
    """Which run this is, and how it ended."""
    state = "" if report.status == "finished" else f" {report.status},"
    number = f"{report.launches} launch{'' if report.launches == 1 else 'es'}"
    when = datetime.datetime.fromtimestamp(report.created).strftime("%Y-%m-%d %H:%M")
    return f"Run {report.run},{state} {number}, {when}, seed {report.seed}, in {report.store}"


def grouped(losses: Sequence[Loss]) -> list[tuple[Loss, int]]:
    """Losses of one kind, text and place once, with how often they occurred."""
    found: dict[tuple[str, str, str], list[Loss]] = {}
    for loss in losses:
        found.setdefault((loss.kind, loss.text, where(loss)), []).append(loss)
    return [(same[0], len(same)) for same in found.values()]


def where(loss: Loss) -> str:
    """The cell, worker and rep of a loss, after a comma; empty where none is known."""
    parts = []
    if loss.worker_kind is not None and loss.workers is not None:
        parts.append(counted(loss.workers, loss.worker_kind))
    if loss.worker is not None:
        parts.append(f"worker {loss.worker}")
    if loss.rep is not None:
        parts.append(f"rep {loss.rep}")
    return f", {', '.join(parts)}" if parts else ""


def capital(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]
