"""The design of one launch: which pools, which reps, in which order, all drawn from the run's seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

from knee.plan.cell import CONTROL, Block, Kind, Pool, Rep
from knee.plan.experiment import Experiment

Blocking = Literal["pool", "pinned", "time"]


@dataclass(frozen=True)
class Group:
    """The part of a launch that runs in one process.

    Attributes:
        number: which group of treatments (see ``groups``).
        treatments: their indices in the experiment, the A/A copy of the first among them.
        blocks: what to run.
    """

    number: int
    treatments: tuple[int, ...]
    blocks: tuple[Block, ...]


def groups(experiment: Experiment) -> tuple[tuple[int, ...], ...]:
    """Sort treatments into those that can share a process, in order of first appearance.

    The A/A copy has the number ``len(treatments)``. It must meet the first treatment as the others do: in its pool
    where all share one, in a process of its own where they do not.
    """
    found: dict[tuple[object, ...], list[int]] = {}
    for index, treatment in enumerate(experiment.treatments):
        found.setdefault(treatment.process_key, []).append(index)
    members = list(found.values())
    if experiment.again:
        twin = len(experiment.treatments)
        if len(members) == 1:
            members[0].append(twin)
        else:
            members.append([twin])
    return tuple(tuple(member) for member in members)


def blocking(experiment: Experiment) -> Blocking:
    """What is held equal between the treatments: the pool, else the CPUs, else only the time."""
    if len(groups(experiment)) == 1 and experiment.treatments[0].workload.form != "command":
        return "pool"
    return "pinned" if experiment.pin else "time"


def launch(experiment: Experiment, number: int, kinds: tuple[Kind, ...] | None = None) -> tuple[Group, ...]:
    """Design launch ``number``: its groups in drawn order, each with the whole ladder in drawn order.

    In a pool every treatment warms up once, then the timed reps run in palindromes (A B B A), each from a fresh
    permutation, so that a drift that is linear in time cancels (Fisher's blocking; the palindrome is the ABBA design).

    Args:
        experiment: what is measured.
        number: the launch, from 0; with the seed it decides every draw.
        kinds: the kinds of worker that turned out to be available; all of the experiment's if None.
    """
    draw = random.Random(f"{experiment.seed}/{number}")
    members = list(enumerate(groups(experiment)))
    draw.shuffle(members)
    return tuple(
        Group(group, treatments, (_block(experiment, 0, treatments, draw, kinds or experiment.kinds),))
        for group, treatments in members
    )


def _block(
    experiment: Experiment,
    index: int,
    treatments: tuple[int, ...],
    draw: random.Random,
    kinds: tuple[Kind, ...],
) -> Block:
    pools = [
        Pool(kind, workers, _reps(experiment, treatments, draw, kind))
        for kind in kinds
        for workers in experiment.workers
    ]
    draw.shuffle(pools)
    return Block(index, tuple(pools))


def _reps(
    experiment: Experiment, treatments: tuple[int, ...], draw: random.Random, kind: Kind
) -> tuple[Rep, ...]:
    order = list(treatments)
    draw.shuffle(order)
    reps = [Rep(treatment, warmup=True) for treatment in order]
    control = [Rep(CONTROL)] if experiment.control and kind != "command" else []
    left = experiment.reps
    reps += control
    while left > 0:
        draw.shuffle(order)
        reps += [Rep(treatment) for treatment in order]
        if left > 1:
            reps += [Rep(treatment) for treatment in reversed(order)]
        left -= 2
    return tuple(reps + control)
