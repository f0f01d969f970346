"""From what was measured to causes: which arm is credited with what, and what only the split of time can tell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from knee.causes.cause import GENERAL, Cause, Given, Scene
from knee.stats.attribution import Attribution
from knee.stats.interval import Interval

WORTH = 0.15
"""A cause gives back at least this share of the loss."""

REACH = 0.2
"""A cause whose parts hold less of the lost time than this is rejected."""

_CROWDED = 0.8
"""Native streaming code that keeps less than this share of its speed beside another fills the memory bus."""

_IN_KERNEL = 0.1
"""The kernel is at fault only where this share of the lost time at least is spent in it: all else may wait, too."""

_HARDLY = 0.55
"""Processes that give back less of the loss leave the greater part of it to what lies outside of the process."""

_LIKE = 0.1
"""Shares that differ by less are alike: of those that give back most, the more specific cause comes first."""

IDLE_KERNEL = 0.15
"""The machine is at fault where the kernel that shares nothing loses more than this share of its time."""


@dataclass(frozen=True)
class Credit:
    """A cause with what it is credited with.

    Attributes:
        cause: which.
        given: the removal that shows it; None if it was observed.
        share: of the loss.
        text: the evidence, for what was observed.
        apart: identifiers of causes that it cannot be told apart from.
    """

    cause: Cause
    given: Given | None
    share: Interval
    text: str = ""
    apart: tuple[str, ...] = ()


@dataclass
class Judgement:
    """What the search comes to."""

    credits: list[Credit] = field(default_factory=list)
    overlaps: list[tuple[Cause, Given]] = field(default_factory=list)
    """Found too, but for what others had been credited with: another cause, or the same seen from another side."""
    innocent: list[Given] = field(default_factory=list)
    helped: list[Given] = field(default_factory=list)
    """What gave something back and names no cause, or not this one's."""
    rejected: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Case:
    """All that is judged.

    Attributes:
        scene: what is known.
        attribution: the loss.
        given: what each removal gave back, with the cause that it belongs to.
        kernel: log efficiencies of the kernel that shares nothing.
        base: slowdown of the program as it is.
        processes: share that processes give back; NaN if they did not run.
        outside: whether processes were shown to fare no better, which leaves only what all cores share.
        stream: efficiency of native streaming code with all workers, over one; None if it was not measured.
    """

    scene: Scene
    attribution: Attribution
    given: Sequence[tuple[Cause, Given]]
    kernel: Sequence[float]
    base: float
    processes: float
    stream: float | None
    causes: Mapping[str, Cause]
    outside: bool = False


def judge(case: Case) -> Judgement:
    """Credit causes, most specific first; what no removal explains, the split of time may."""
    result = Judgement()
    machine = _machine(case)
    if machine is not None:
        result.credits.append(machine)
        if not case.attribution.lost:
            return result
    if not case.attribution.lost:
        return result
    found = [
        (cause, given)
        for cause, given in case.given
        if given.found and given.net >= WORTH and given.name not in GENERAL
    ]
    for cause, given in sorted(found, key=lambda pair: (pair[0].rank, -pair[1].net)):
        reached = case.scene.lost.share(*cause.parts)
        if reached < REACH:
            result.rejected.append(
                (
                    cause.id,
                    f"{given.name} gives back {given.share:.0%} of the loss, but {1 - reached:.0%} of the lost time is "
                    f"where {cause.title} cannot put it",
                )
            )
            continue
        _credit(result, cause, given)
    _unexplained(case, result)
    credited = {credit.given.name for credit in result.credits if credit.given is not None}
    rest = [given for _, given in case.given if given.name not in credited]
    result.helped = [given for given in rest if given.found and given.net >= WORTH]
    result.innocent = [given for given in rest if given not in result.helped]
    most = max((credit.share.estimate for credit in result.credits), default=0.0)
    result.credits.sort(
        key=lambda credit: (
            most - credit.share.estimate > _LIKE,
            credit.cause.rank if most - credit.share.estimate <= _LIKE else 0,
            -credit.share.estimate,
        )
    )
    return result


def _credit(result: Judgement, cause: Cause, given: Given) -> None:
    """Credit a removal with what more specific ones have not taken: what both give back is one thing."""
    for place, other in enumerate(result.credits):
        if other.cause.id == cause.id:
            if given.net > other.share.estimate and other.given is not None:
                result.credits[place] = Credit(cause, given, _net(given))
            return
    taken = sum(credit.share.estimate for credit in result.credits)
    left = 1.0 - taken
    share = _net(given)
    if left < WORTH or share.estimate > left + WORTH:
        result.overlaps.append((cause, given))
    if left < WORTH:
        return
    if share.estimate > left + WORTH:
        # More than is left: the overlap is the others', the rest its own.
        share = Interval(max(0.0, share.low - taken), max(0.0, share.estimate - taken), min(left, share.high))
        if share.estimate < WORTH:
            return
    result.credits.append(Credit(cause, given, share))


def _net(given: Given) -> Interval:
    """What the arm gives back; without what its control gives back, where that is more than chance."""
    off = max(0.0, given.control_share) if given.control_low > 0 else 0.0
    return Interval(given.low - off, given.share - off, given.high - off)


def _machine(case: Case) -> Credit | None:
    """The machine's own share, told by the kernel that shares nothing; of the way to the ideal line."""
    if not case.kernel:
        return None
    slowdown = sum(math.exp(-value) for value in case.kernel) / len(case.kernel)
    if 1 - 1 / slowdown < IDLE_KERNEL:
        return None
    scene = case.scene
    share = min(1.0, (slowdown - 1) / max(case.base - 1, 1e-9))
    measured = f"a native kernel that shares nothing takes {slowdown:.2f} times as long beside another"
    if scene.quota is not None and scene.quota < scene.workers - 0.05:
        cause = case.causes["machine.quota"]
        text = f"{measured}; the control group allows {scene.quota:g} CPUs for {scene.workers} workers"
    else:
        cause = case.causes["machine.cores"]
        why = (
            f"the process may run on {scene.cpus} CPU" + "s" * (scene.cpus != 1)
            if scene.cpus < scene.workers
            else "workers wait for a CPU, not for each other"
        )
        text = f"{measured}; {why}"
    return Credit(cause, None, Interval(share, share, share), text)


def _unexplained(case: Case, result: Judgement) -> None:
    """What removals leave: the GIL, a lock, the kernel or the memory bus, by what was observed."""
    scene, lost = case.scene, case.scene.lost
    # What the machine takes lies between the kernel and the ideal line, not in the loss.
    inside = [credit for credit in result.credits if credit.given is not None or credit.cause.rank > 1]
    taken = sum(credit.share.estimate for credit in inside)
    rest = 1.0 - taken
    if rest < 0.4:
        return
    processes = case.processes
    better = math.isnan(processes) or processes > 0.4
    if scene.gil and not any(credit.cause.id == "gil" for credit in result.credits):
        text = "the GIL was on while the workload ran: its threads take turns" + _aside(processes)
        result.credits.append(_observed(case, "gil", rest, text))
        return
    waiting = lost.share("system", "blocked")
    faults = scene.faults
    loss = max(case.attribution.loss.estimate, 1e-9)
    if (
        scene.stopped > 0.3 * loss
        and waiting > 0.3
        and not any(credit.cause.id == "gc" for credit in result.credits)
    ):
        text = (
            f"collections run for {scene.stopped:.0%} of the time, {scene.most('collections')} in a watched "
            "rep, and each stops "
            "all workers (switching the collector off is no proof here: garbage that piles up costs as much)"
        )
        result.credits.append(_observed(case, "gc", min(rest, scene.stopped / loss), text))
        return
    churn = scene.started
    if (
        churn > 0.25
        and lost.share("system", "blocked", "wait") > 0.4
        and not any(credit.cause.id == "thread-churn" for credit in result.credits)
    ):
        text = (
            f"the workers start {scene.most('starts')} threads in a watched rep, and were on the lines that do in "
            f"{churn:.0%} of all looks; the lost time is spent waiting and in the kernel"
        )
        result.credits.append(_observed(case, "thread-churn", rest, text))
        return
    if waiting > 0.45 and better:
        if _kernel(case, faults):
            given = next((given for _, given in case.given if given.name == "processes"), None)
            text = (
                f"{lost.share('system'):.0%} of the lost time is in the kernel, {faults:,.0f} page faults per call"
                + _aside(processes)
            )
            credit = _observed(case, "kernel", rest, text)
            result.credits.append(
                credit if given is None else Credit(credit.cause, given, _capped(given, rest), text)
            )
        else:
            text = (
                f"{lost.share('system'):.0%} of the lost time is in the kernel and {lost.share('blocked'):.0%} "
                "blocked, "
                f"which is how waiting for a lock looks; no removal of another kind gives it back"
                + _aside(processes)
            )
            result.credits.append(_observed(case, "lock", rest * waiting, text))
        return
    slow = case.stream is not None and (case.stream < _CROWDED or case.outside)
    # What processes do not give back is not due to anything that a process has one of; where the host's own load makes
    # them vary, they give back a part.
    if processes < _HARDLY and lost.share("user") > 0.5 and slow:
        more = "no" if processes < 0.35 else "little"
        text = (
            f"processes fare {more} better ({processes:.0%} of the loss), the lost time is in user mode, and "
            f"native code that streams through memory reaches {case.stream:.0%} of its speed beside another: what is "
            "left is what cores share, the last-level cache and the memory bus"
        )
        outside = 1.0 if processes < 0.35 else 1.0 - processes
        result.credits.append(_observed(case, "machine.bandwidth", rest * outside, text))


def _kernel(case: Case, faults: float) -> bool:
    """Whether kernel time is the kernel's own rather than that of waiting for a lock in user space."""
    apart = next((given.share for _, given in case.given if given.name == "subinterpreters"), 0.0)
    if case.scene.lost.share("system") < _IN_KERNEL:
        return False
    return (faults > 20 or case.scene.kernel_alone > 0.3) and apart < 0.5


def _capped(given: Given, most: float) -> Interval:
    share = min(given.share, most)
    return Interval(min(given.low, share), share, max(min(given.high, most), share))


def _observed(case: Case, cause: str, share: float, text: str) -> Credit:
    return Credit(case.causes[cause], None, Interval(share, share, share), text)


def _aside(processes: float) -> str:
    return "" if math.isnan(processes) else f"; processes give back {processes:.0%}"
