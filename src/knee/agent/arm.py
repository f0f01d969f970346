"""What an arm may change in the life of a launch.

The agent calls these hooks in the order in which they stand. An arm is one file (in ``knee/agent/arms`` or
anywhere else: ``docs/causes.md`` says how to add one) that defines a class ``Arm`` derived from this one. It may
import the standard library, ``knee.agent`` and ``knee.native`` only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


class Arm:
    """The program as it is: every hook does nothing.

    Args:
        variant: ``"arm"`` removes one kind of sharing; ``"control"`` does the same work without the removal.
        options: JSON data from the cause that asked for the arm.
    """

    private_module = False
    """Load the workload's module once per worker instead of once."""

    worker_made = False
    """Call ``setup`` in each worker (keeping its own state) instead of once in the pool's thread."""

    def __init__(self, variant: str, options: dict[str, Any]) -> None:
        self.variant = variant
        self.options = options

    def install(self) -> None:
        """Before the workload is loaded, in the main thread."""

    @contextmanager
    def making(self) -> Iterator[None]:
        """Around the execution of the workload's module and around ``setup``."""
        yield

    def made(self, namespaces: Sequence[dict[str, Any]], states: Sequence[Any]) -> list[Any] | None:
        """After ``setup`` (``states`` may be empty), before workers start; may return states to use instead.

        ``namespaces`` are the globals of the loaded modules: one, or one per worker where private.
        """
        return None

    def order(self, workers: int) -> list[int | None]:
        """The order in which threads start: a worker's index, or None for an idle thread."""
        return list(range(workers))

    def ready(self, index: int, state: Any) -> Any:
        """In each worker, after its state is there and before its first rep; returns the state to use."""
        return state

    def check(self) -> dict[str, Any]:
        """After the last rep: ``{"honoured": True}``, or False with ``"why"``, and any evidence as JSON."""
        return {"honoured": True}
