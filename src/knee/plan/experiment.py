"""An experiment: everything that is decided before the first launch, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from knee.plan.cell import Kind, Law
from knee.plan.treatment import Arm, Treatment
from knee.plan.workload import Workload


@dataclass(frozen=True)
class Experiment:
    """What one call of Knee measures.

    Attributes:
        verb: ``run``, ``compare`` or ``why``.
        treatments: what is compared; a plain run has one.
        kinds: kinds of worker, each with a ladder of its own.
        workers: worker counts of the ladder, ascending.
        law: ``scaled``: every worker does the same work (Gustafson); ``fixed``: a fixed total is divided (Amdahl).
        seed: every order is drawn from it.
        precision: whole width of the speedup's interval, as a share, at which launches stop.
        budget: seconds after which launches stop.
        minimum: launches at least.
        launches: this many launches exactly, whatever precision and budget say; None leaves it to them.
        min_time: seconds that a rep at one worker lasts at least; decides the calls per rep.
        timeout: seconds that a rep may last.
        reps: reps per treatment and pool, after the warm-up rep; fewer when a rep is much longer than ``min_time``.
        control: whether the native kernel that shares nothing runs in each pool.
        again: whether the first treatment runs a second time as ``A/A`` control, numbered after the treatments.
        native: whether the native library may be used.
        pin: whether worker i is pinned to the i-th CPU that Knee may use.
        outputs: whether the treatments' results are compared once, before anything is timed.
        margin: differences of a comparison within this share are ``same``.
        varies: what the treatments were meant to differ in: ``targets``, ``--python``, ``--with NAME``,
            ``--env NAME`` or ``--git``; empty where there is one treatment, or nobody said.
        calls: calls per rep and worker; None until calibrated.
    """

    verb: Literal["run", "compare", "why"]
    treatments: tuple[Treatment, ...]
    kinds: tuple[Kind, ...] = ("threads",)
    workers: tuple[int, ...] = (1, 2)
    law: Law = "scaled"
    seed: int = 0
    precision: float = 0.03
    budget: float = 60.0
    minimum: int = 5
    launches: int | None = None
    min_time: float = 0.1
    timeout: float = 60.0
    reps: int = 2
    control: bool = True
    again: bool = False
    native: bool = True
    pin: bool = False
    outputs: bool = False
    margin: float = 0.02
    varies: str = ""
    calls: int | None = None

    def label(self, treatment: int) -> str:
        """Return how a treatment is named; the one after the last is the A/A copy of the first."""
        if treatment < len(self.treatments):
            return self.treatments[treatment].label
        return f"{self.treatments[0].label} again"

    def calibrated(self, calls: int, reps: int | None = None) -> Experiment:
        """Return the same experiment with its calls per rep, and with as many reps as they leave room for."""
        return replace(self, calls=calls, reps=self.reps if reps is None else reps)

    def reps_of(self, seconds: float) -> int:
        """Reps per treatment and pool when one takes this long: whole palindromes in the time of ``reps`` short ones.

        A workload whose single call is long gets fewer reps, two at least where two were asked for.
        """
        room = self.reps * min(1.0, self.min_time * 1.5 / max(seconds, 1e-9))
        return min(self.reps, max(2, 2 * int(room / 2)))

    def to_json(self) -> dict[str, Any]:
        """Return the plan for the store: all fields but the treatments, which are stored one by one."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in vars(self).items()
            if name != "treatments"
        }

    @classmethod
    def from_json(cls, plan: Mapping[str, Any], treatments: tuple[Treatment, ...]) -> Experiment:
        """Rebuild an experiment from the store, to resume it."""
        fields = dict(plan)
        fields["kinds"] = tuple(fields["kinds"])
        fields["workers"] = tuple(fields["workers"])
        return cls(treatments=treatments, **fields)


def treatment_to_json(treatment: Treatment) -> dict[str, Any]:
    """Return a treatment as JSON data for the store."""
    arm = treatment.arm
    return {
        "label": treatment.label,
        "workload": treatment.workload.to_json(),
        "python": treatment.python,
        "env": dict(treatment.env),
        "arm": None
        if arm is None
        else {"file": arm.file, "variant": arm.variant, "options": dict(arm.options)},
        "loader": treatment.loader,
        "packages": list(treatment.packages),
    }


def treatment_from_json(data: Mapping[str, Any]) -> Treatment:
    """Rebuild a treatment from ``treatment_to_json``'s result."""
    arm = data["arm"]
    return Treatment(
        label=data["label"],
        workload=Workload.from_json(data["workload"]),
        python=data["python"],
        env=data["env"],
        arm=None if arm is None else Arm(**arm),
        loader=data["loader"],
        packages=tuple(data.get("packages", ())),
    )
