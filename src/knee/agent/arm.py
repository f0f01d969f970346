"""What an arm may change in the life of a launch.

The agent calls these hooks in the order in which they stand. An arm is one file (in ``knee/agent/arms`` or
anywhere else: ``docs/causes.md`` says how to add one) that defines a class ``Arm`` derived from this one. It may
import the standard library, ``knee.agent`` and ``knee.native`` only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    import threading

    from knee.agent.workload import Loaded


class Arm:
    """The program as it is: every hook does nothing.

    Args:
        variant: ``"arm"`` removes one kind of sharing; ``"control"`` does the same work without the removal.
        options: JSON data from the cause that asked for the arm.
    """

    worker_made = False
    """Call ``setup`` in each worker (keeping its own state) instead of once in the pool's thread."""

    in_turn = False
    """Let each thread get ready before the next one starts."""

    native: Any = None
    """The opened native library (``knee.native.Native``); None where there is none."""

    def __init__(self, variant: str, options: dict[str, Any]) -> None:
        self.variant = variant
        self.options = options

    def install(self) -> None:
        """Before the workload is loaded, in the main thread."""

    @contextmanager
    def making(self) -> Iterator[None]:
        """Around the execution of the workload's module and around ``setup``."""
        yield

    def copies(self, load: Callable[[bool], Loaded], workers: int) -> list[Loaded]:
        """Load the workload, for each worker; ``load(True)`` executes its module again, apart from the others."""
        return [load(False)] * workers

    def states(self, copies: Sequence[Loaded], workers: int) -> list[Any]:
        """Call ``setup``: a state for each worker, or an empty list where the workload has none."""
        return copies[0].states(workers)

    def made(self, copies: Sequence[Loaded], states: Sequence[Any]) -> list[Any] | None:
        """After ``setup`` (``states`` may be empty), before workers start; may return states to use instead."""
        return None

    def order(self, workers: int) -> list[int | None]:
        """The order in which threads start: a worker's index, or None for an idle thread."""
        return list(range(workers))

    def idle(self, copies: Sequence[Loaded], states: Sequence[Any]) -> None:
        """In each idle thread, once, before it waits for the pool's end."""

    def ready(self, index: int, loaded: Loaded, state: Any) -> Any:
        """In each worker, after its state is there and before its first rep; returns the state to use."""
        return state

    def watch(self, workers: Sequence[threading.Thread], running: Callable[[], bool]) -> dict[str, Any]:
        """In the main thread while a watched rep runs (never one that counts); returns JSON data."""
        return {}

    def check(self) -> dict[str, Any]:
        """After the last rep: ``{"honoured": True}``, or False with ``"why"``, and any evidence as JSON."""
        return {"honoured": True}
