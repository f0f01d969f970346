"""One variant under comparison, and the arms that Knee makes itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from knee.plan.workload import Workload

Variant = Literal["arm", "control"]


@dataclass(frozen=True)
class Arm:
    """A way of removing one kind of sharing inside the target, with its control.

    Attributes:
        file: the agent-side module of the arm (standard library only), by absolute path.
        variant: the arm itself, or its control, which does the same work without the removal.
        options: JSON data for the agent-side module.
    """

    file: str
    variant: Variant = "arm"
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Treatment:
    """Code, interpreter, packages, environment and arm of one side of a comparison.

    Attributes:
        label: how tables name it.
        workload: what is run.
        python: absolute path of the interpreter; empty for a command.
        env: environment variables that differ from Knee's own; None removes one.
        arm: what Knee changes itself, if anything.
        loader: ``import`` (as programs run) or ``script`` (see docs/loader.md).
        packages: what was installed for it, as ``name==version``; a record, the interpreter has them.
    """

    label: str
    workload: Workload
    python: str
    env: Mapping[str, str | None] = field(default_factory=dict)
    arm: Arm | None = None
    loader: Literal["import", "script"] = "import"
    packages: tuple[str, ...] = ()

    @property
    def process_key(self) -> tuple[Any, ...]:
        """Treatments with equal keys can share one launch, and there one pool."""
        arm = (
            ()
            if self.arm is None
            else (self.arm.file, self.arm.variant, repr(sorted(self.arm.options.items())))
        )
        return (self.workload.form == "command", self.python, tuple(sorted(self.env.items())), arm)
