"""Several arms at once: whether two that overlap remove one thing or two shows in what they give back together."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Callable

from knee.agent.arm import Arm as Base

if TYPE_CHECKING:
    from knee.agent.workload import Loaded


class Arm(Base):
    """Options: ``arms``: of each its ``file`` and ``options``. Where two load or order in their "
    "own way, the first does."""

    def __init__(self, variant: str, options: dict[str, Any]) -> None:
        super().__init__(variant, options)
        self._arms: list[Base] = [_made(spec, variant) for spec in options["arms"]]
        self.worker_made = any(arm.worker_made for arm in self._arms)
        self.in_turn = any(arm.in_turn for arm in self._arms)

    def _first(self, hook: str) -> Any:
        """The hook of the first arm that has one of its own, else the one that does nothing."""
        for arm in self._arms:
            if getattr(type(arm), hook) is not getattr(Base, hook):
                return getattr(arm, hook)
        return getattr(super(), hook)

    def install(self) -> None:
        """Install all."""
        for arm in self._arms:
            arm.native = self.native
            arm.install()

    @contextmanager
    def making(self) -> Iterator[None]:
        """Inside all."""
        with ExitStack() as stack:
            for arm in self._arms:
                stack.enter_context(arm.making())
            yield

    def copies(self, load: Callable[[bool], Loaded], workers: int) -> list[Loaded]:
        """Load as the first that cares."""
        found: list[Loaded] = self._first("copies")(load, workers)
        return found

    def states(self, copies: Sequence[Loaded], workers: int) -> list[Any]:
        """Make states as the first that cares."""
        found: list[Any] = self._first("states")(copies, workers)
        return found

    def made(self, copies: Sequence[Loaded], states: Sequence[Any]) -> list[Any] | None:
        """Hand the states from one to the next."""
        current = list(states)
        for arm in self._arms:
            current = arm.made(copies, current) or current
        return current

    def order(self, workers: int) -> list[int | None]:
        """Order as the first that cares."""
        found: list[int | None] = self._first("order")(workers)
        return found

    def idle(self, copies: Sequence[Loaded], states: Sequence[Any]) -> None:
        """Idle as all do."""
        for arm in self._arms:
            arm.idle(copies, states)

    def ready(self, index: int, loaded: Loaded, state: Any) -> Any:
        """Hand the state from one to the next."""
        for arm in self._arms:
            state = arm.ready(index, loaded, state)
        return state

    def check(self) -> dict[str, Any]:
        """Honoured if all are."""
        told = [arm.check() for arm in self._arms]
        whys = [str(one.get("why")) for one in told if not one.get("honoured")]
        return {"honoured": not whys, "why": "; ".join(whys), "arms": told}


def _made(spec: dict[str, Any], variant: str) -> Base:
    loader = importlib.util.spec_from_file_location("knee_arm", spec["file"])
    if loader is None or loader.loader is None:
        raise ImportError(f"{spec['file']} is no Python file")
    module = importlib.util.module_from_spec(loader)
    loader.loader.exec_module(module)
    arm: Base = module.Arm(variant, dict(spec["options"]))
    return arm
