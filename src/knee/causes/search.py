"""The adaptive search: all arms tried cheaply, the budget spent on those that give something back, then localised."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev

import numpy as np

from knee.causes.bench import Bench
from knee.causes.cause import GENERAL, Cause, Given, Removal
from knee.causes.seen import Seen
from knee.causes.trial import BASE, Trial
from knee.stats.attribution import ArmLaunches, Attribution, attribute
from knee.stats.dependence import dependent
from knee.stats.leveling import leveled
from knee.stats.reps import Floats

SCREEN = 2
"""Launches of an arm before it may be dropped."""

CONFIRM = 4
"""Launches of an arm and of its control at least, before it counts."""

MOST = 8
"""Launches of an arm at most."""

PROMISING = 2
"""Arms that are confirmed at a time."""

AUXILIARY = ("subinterpreters", "worker-made")
"""Arms that help to judge others and need no more than screening."""

HOPELESS = 0.15
"""An arm whose share of the loss stays below this after screening is dropped."""

CLEAR = 0.7
"""An arm that gives so much back leaves too little for arms that remove more than it does."""

_LUCKY = 0.5
"""A launch of an arm that gives so much back keeps it in the search, whatever its other launches show."""

STEADY = 0.25
"""Spread (standard deviation) of the program's own launches, as a share of the loss, up to which one launch tells that
an arm slows the program down."""

AGAIN = 3
"""Tries of a launch that something else disturbed."""

BUSY = 0.25
"""A launch beside which the kernel that shares nothing lost more (log efficiency) was disturbed from outside."""

RESTLESS = 3
"""Launches with waiting workers beside a calm kernel after which waiting is taken to be the workload's own."""

_SERIES = 6
"""Launches of the program as it is from which on they may show a drift."""

LEAST = 0.10
"""A loss below this share of the time is not taken apart."""


@dataclass
class Tried:
    """One removal and its launches so far."""

    cause: Cause
    removal: Removal
    arm: list[Seen] = field(default_factory=list)
    controls: dict[str, list[Seen]] = field(default_factory=dict)
    why: str = ""
    """Why it tells nothing here; empty while it does."""

    @property
    def control(self) -> list[Seen]:
        """Launches of the first control."""
        first = self.removal.controls[0].variant if self.removal.controls else ""
        return self.controls.get(first, [])


class Search:
    """One search in progress.

    Args:
        bench: where trials are launched.
        budget: seconds for all of it.
        progress: told what runs now, and the share of the budget that is spent.
        pause: sleeps so many seconds.
    """

    def __init__(
        self,
        bench: Bench,
        budget: float,
        progress: Callable[[str, float], None] = lambda *_: None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.bench = bench
        self.budget = budget
        self.as_it_is = BASE
        self.base: list[Seen] = []
        self.kernel: list[float] = []
        self.tried: dict[str, Tried] = {}
        self.tests: dict[str, list[Seen]] = {}
        self.disturbed = 0
        self.stopped = False
        self.noisy = False
        self.restless = False
        self._progress = progress
        self._pause = pause
        self._began = bench.clock()

    @property
    def elapsed(self) -> float:
        """Seconds since the search began."""
        return self.bench.clock() - self._began

    def left(self, reserve: float = 0.0) -> bool:
        """Whether there is budget for another launch, besides a share of it that is kept back."""
        one = self.bench.spent / max(1, self.bench.launches)
        return not self.stopped and self.elapsed + one < self.budget * (1 - reserve)

    def settle(self, patience: float) -> None:
        """Launch the program as it is until something else leaves the CPUs alone; after a while take them as they are.

        Args:
            patience: the share of the budget that this may take; 0 where nothing better is to be had, as under a quota:
                what stops some launches is then what is to be measured.
        """
        held: list[Seen] = []
        self.noisy = patience <= 0
        while self.elapsed < patience * self.budget or not held:
            self._progress("waiting for a calm machine" if held else "as it is", self.elapsed / self.budget)
            seen = self._launch(self.as_it_is)
            if seen is None:
                self._take(held)
                return
            held.append(seen)
            # Waiting for a CPU while the kernel gets its own is the workload's habit, not a disturbance.
            self.restless = sum(not one.calm and not _busy(one) for one in held) >= RESTLESS
            if self.noisy:
                break
            if not self._disturbed(seen):
                fine = [one for one in held if not self._disturbed(one)]
                self.disturbed += len(held) - len(fine)
                self._take(fine)
                return
            if _busy(seen):
                self._pause(0.5)
        self.noisy = True
        self._take(held)

    def launch(self, trial: Trial, doing: str = "") -> Seen | None:
        """Launch a trial; again if something else had the CPUs, unless that is the rule here.

        Returns:
            None if it was lost (``bench.losses`` says how), disturbed each time, or the search was ``stopped``.
        """
        for _ in range(0 if self.stopped else AGAIN):
            self._progress(doing or trial.label, self.elapsed / self.budget)
            seen = self._launch(trial)
            if seen is None or self.noisy or not self._disturbed(seen):
                return seen
            self.disturbed += 1
            if not self.left(0.1):
                break
        return None

    def _launch(self, trial: Trial) -> Seen | None:
        """Launch once; Ctrl-C stops the search, and what was measured until then is judged."""
        try:
            return self.bench.launch(trial)
        except KeyboardInterrupt:
            self.stopped = True
            return None

    def _disturbed(self, seen: Seen) -> bool:
        """Whether something else had the CPUs: the kernel lost, or workers waited that do not by themselves."""
        return _busy(seen) or (not seen.calm and not self.restless)

    def _take(self, launches: Sequence[Seen]) -> None:
        self.base += launches
        self.kernel += [seen.ceiling for seen in launches if math.isfinite(seen.ceiling)]

    def more_base(self, launches: int = 1) -> None:
        """Launch the program as it is."""
        for _ in range(launches):
            seen = self.launch(self.as_it_is)
            if seen is not None:
                self._take([seen])

    def screen(self, causes: Sequence[tuple[Cause, Removal]]) -> None:
        """Launch every arm a few times, the program as it is among them, so that a drift of the machine cancels."""
        for cause, removal in causes:
            self.tried[removal.name] = Tried(cause, removal)
        names = {removal.name for _, removal in causes}
        explained = False
        for turn in range(SCREEN):
            for place, tried in enumerate(one for one in self._live() if one.removal.name in names):
                if not self.left(0.35):
                    break
                if turn and tried.arm and self._pointless(self.given_back(tried.arm), explained):
                    continue
                if place % 4 == 3 or (turn and place == 0):
                    self.more_base()
                self._arm(tried)
            explained = self._explained(names)

    def confirm(self, reserve: float = 0.2) -> None:
        """Spend what is left on the few arms that promise most, and on their controls."""
        for number in range(4 * MOST):
            rank = self._rank()
            undecided = [
                tried
                for tried in self._live()
                if tried.arm and tried.cause.rank <= rank and self._hopeful(tried) and self._open(tried)
            ]
            if not undecided or not self.left(reserve):
                break
            if number % 2 == 0 and len(self.base) < 2 * MOST:
                self.more_base()
            # The budget may end before the others' turn, and a great share leaves little for them.
            undecided.sort(key=lambda tried: -self.given_back(tried.arm))
            for tried in undecided[:PROMISING]:
                if not self.left(reserve):
                    break
                self._arm(tried)
                for control in tried.removal.controls[:1]:
                    launches = tried.controls.setdefault(control.variant, [])
                    while len(launches) < len(tried.arm) and self.left(reserve):
                        seen = self.launch(control)
                        if seen is None:
                            break
                        launches.append(seen)

    def settled(self, name: str, below: float) -> bool:
        """Launch an arm until its share is known to lie below or not, a few times; whether it lies below."""
        tried = self.tried.get(name)
        if tried is None or tried.why:
            return False
        while tried.arm and self.left(0.4):
            _, given = self.attribution()
            mine = next((one for one in given if one.name == name), None)
            if mine is None or math.isnan(mine.share) or mine.share > below or tried.why:
                return False
            if not math.isnan(mine.high) and mine.high < 2 * below:
                return True
            if len(tried.arm) >= MOST:
                return mine.share < below / 2
            self._arm(tried)
            if len(tried.arm) % 2:
                self.more_base()
        return False

    def _pointless(self, share: float, explained: bool) -> bool:
        """Whether an arm needs no second launch after one in which it gave back ``share``.

        Args:
            explained: another arm gave nearly all of the loss back.
        """
        shares = [self.given_back([seen]) for seen in self.base]
        spread = stdev(shares) if len(shares) > 1 else math.inf
        if share < -_LUCKY:
            # It slows the program down; or, where launches differ as much, something disturbed this one.
            return spread < STEADY
        return explained and share < min(HOPELESS, CLEAR - 2 * spread)

    def _explained(self, names: Collection[str]) -> bool:
        """Whether one of these arms gave nearly all of the loss back so far."""
        return any(
            tried.arm and self.given_back(tried.arm) > CLEAR
            for tried in self._live()
            if tried.removal.name in names and tried.removal.name not in GENERAL
        )

    def _rank(self) -> float:
        """Arms of a higher rank can take no more credit: a more specific one was found to give nearly all back."""
        _, given = self.attribution()
        clear = {one.name for one in given if one.found and one.share > CLEAR and one.low > _LUCKY}
        return min((self.tried[name].cause.rank for name in clear.difference(GENERAL)), default=math.inf)

    def _open(self, tried: Tried) -> bool:
        """Whether more launches of an arm could still change what is said of it."""
        if len(tried.arm) >= MOST or (tried.removal.name in AUXILIARY and len(tried.arm) >= SCREEN):
            return False
        return len(tried.arm) < CONFIRM or not self._decided(tried)

    def controls(self, tried: Tried, launches: int = 2) -> None:
        """Launch the further controls of a removal that was found."""
        for control in tried.removal.controls[1:]:
            for _ in range(launches):
                seen = self.launch(control) if self.left(0.1) else None
                if seen is not None:
                    tried.controls.setdefault(control.variant, []).append(seen)

    def attribution(self) -> tuple[Attribution, list[Given]]:
        """Divide the loss among what was tried so far."""
        tested = [tried for tried in self.tried.values() if tried.arm and not tried.why]
        whole = attribute(
            [seen.efficiency for seen in self.base],
            [
                ArmLaunches(
                    tried.removal.name,
                    -np.log(self._slowdowns(tried.arm)),
                    -np.log(self._slowdowns(tried.control)) if tried.control else None,
                )
                for tried in tested
            ],
            self.kernel or (0.0,),
            least=LEAST,
        )
        given = []
        for tried, share in zip(tested, whole.shares, strict=True):
            own, other = share.share, share.control_share
            given.append(
                Given(
                    tried.removal,
                    tuple(tried.arm),
                    tuple(tried.control),
                    *((own.low, own.estimate, own.high) if own is not None else (math.nan,) * 3),
                    *((other.low, other.estimate, other.high) if other is not None else (math.nan,) * 3),
                    # Without its control nothing is known of what the arm does besides.
                    found=share.found and (bool(tried.control) or not tried.removal.controls),
                )
            )
        return whole, given

    def share(self, trial: Trial, launches: int = 2) -> float:
        """Measure what a localising step gives back of the loss; NaN if it was lost."""
        seen = self.tests.setdefault(trial.label, [])
        while len(seen) < launches and self.left():
            one = self.launch(trial)
            if one is None:
                break
            seen.append(one)
        return self.given_back(seen)

    def narrow(
        self,
        ranked: Sequence[str],
        given: Given,
        make: Callable[[list[str], str], Trial],
    ) -> list[str]:
        """Find few of ``ranked`` that alone give back what all of them do.

        The likeliest stand first: prefixes are tried, each twice as long as the one before, until one gives the loss
        back; then it is halved as long as a half suffices.

        Args:
            ranked: what could be responsible, likeliest first.
            given: what all together give back.
            make: the trial that treats only some of them.

        Returns:
            the fewest found; empty if the budget ended before any sufficed.
        """
        goal = 0.7 * given.share
        chosen: list[str] = []
        size = 1
        while ranked and self.left():
            prefix = list(ranked[:size])
            step = f"only {prefix[0] if size == 1 else f'the first {len(prefix)}'}"
            if self.share(make(prefix, step)) >= goal:
                chosen = prefix
                break
            if size >= len(ranked):
                return []
            size *= 2
        while len(chosen) > 1 and self.left():
            half = len(chosen) // 2
            # The later half is new in this prefix: the earlier alone did not suffice.
            for part in (chosen[half:], chosen[:half]):
                if self.share(make(part, f"only {part[0]} to {part[-1]}")) >= goal:
                    chosen = part
                    break
            else:
                break
        return chosen

    def _live(self) -> list[Tried]:
        return [tried for tried in self.tried.values() if not tried.why]

    def _arm(self, tried: Tried) -> None:
        lost = len(self.bench.losses)
        seen = self.launch(tried.removal.arm)
        if seen is None:
            if len(self.bench.losses) > lost and not tried.arm:
                tried.why = f"the launch was lost: {self.bench.losses[-1][1].text}"
            return
        check = seen.check
        if tried.removal.arm.file is not None and check.get("honoured") is False:
            tried.why = str(check.get("why") or "the arm was not honoured here")
            return
        tried.arm.append(seen)

    def given_back(self, launches: Sequence[Seen]) -> float:
        """(t_base - t_arm) / (t_base - t_ceiling), of means."""
        if not launches:
            return math.nan
        base = fmean(seen.slowdown for seen in self.base)
        lost = base - self._ceiling
        return (base - fmean(self._slowdowns(launches))) / lost if lost > 0 else math.nan

    @property
    def _ceiling(self) -> float:
        """Slowdown of the kernel that shares nothing."""
        return fmean(math.exp(-value) for value in self.kernel) if self.kernel else 1.0

    @property
    def drifts(self) -> bool:
        """Whether the program as it is changed while it was searched: its launches resemble those next to them."""
        return dependent([seen.efficiency for seen in self.base], level=0.05, fewest=_SERIES)

    def _slowdowns(self, launches: Sequence[Seen]) -> Floats:
        """Slowdowns; on a machine that drifts, held against the launches of the program as it is around them."""
        slowdowns = np.array([seen.slowdown for seen in launches])
        if not self.drifts:
            return slowdowns
        return leveled(
            slowdowns,
            [seen.launch for seen in launches],
            [seen.slowdown for seen in self.base],
            [seen.launch for seen in self.base],
            self._ceiling,
        )

    def _hopeful(self, tried: Tried) -> bool:
        """Whether an arm may give something back: by its mean, or, after few launches, by its best one."""
        if len(tried.arm) < CONFIRM and max(self.given_back([seen]) for seen in tried.arm) > _LUCKY:
            return True
        return self.given_back(tried.arm) > HOPELESS

    def _decided(self, tried: Tried) -> bool:
        _, given = self.attribution()
        mine = next((one for one in given if one.name == tried.removal.name), None)
        if mine is None or math.isnan(mine.low):
            return False
        return (mine.found and (mine.high - mine.low < 0.5 or mine.low > _LUCKY)) or mine.high < HOPELESS


def _busy(seen: Seen) -> bool:
    """Whether the kernel that shares nothing lost to something else; False where it did not run."""
    return seen.ceiling < -BUSY
