"""A trial: the workload as it is but for one thing, to be launched by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from knee.plan.cell import Kind
from knee.plan.treatment import Arm, Treatment

ARMS = Path(__file__).parent.parent / "agent" / "arms"
"""Where the agent's side of Knee's own arms lies."""


@dataclass(frozen=True)
class Trial:
    """One treatment of a search.

    Attributes:
        arm: the arm's name; empty for the program as it is.
        variant: ``arm``, or the name of a control.
        kind: the kind of worker that runs it.
        file: the arm's module in the agent; None where the environment or the kind is all there is to change.
        options: JSON data for it.
        env: environment variables that differ; None removes one.
        pin: whether worker i is pinned to the i-th CPU.
        step: what a localising step changed, for people; empty for others.
    """

    arm: str
    variant: str = "arm"
    kind: Kind = "threads"
    file: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    env: Mapping[str, str | None] = field(default_factory=dict)
    pin: bool = False
    step: str = ""

    @property
    def control(self) -> bool:
        """Whether it is a control."""
        return self.variant != "arm"

    @property
    def label(self) -> str:
        """How reports name it."""
        words = [self.arm or "as it is"]
        if self.control:
            words.append(f"({self.variant})")
        if self.step:
            words.append(f"[{self.step}]")
        return " ".join(words)

    def treatment(self, base: Treatment) -> Treatment:
        """The workload under this trial."""
        side: Literal["arm", "control"] = "control" if self.control else "arm"
        arm = None if self.file is None else Arm(str(self.file), side, dict(self.options))
        return Treatment(
            label=self.label,
            workload=base.workload,
            python=base.python,
            env={**base.env, **self.env},
            arm=arm,
            loader=base.loader,
        )


def together(one: Trial, other: Trial) -> Trial | None:
    """Both at once; None for two that need different kinds of worker."""
    if one.kind != other.kind:
        return None
    parts = [trial for trial in (one, other) if trial.file is not None]
    return Trial(
        f"{one.arm} and {other.arm}",
        kind=one.kind,
        file=ARMS / "together.py" if parts else None,
        options={"arms": [{"file": str(part.file), "options": dict(part.options)} for part in parts]}
        if parts
        else {},
        env={**one.env, **other.env},
        pin=one.pin or other.pin,
    )


BASE = Trial("")
"""The program as it is."""
