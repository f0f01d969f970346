"""Progress of a run on standard error: a bar with the time left; nothing where that is no terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from knee.views import units

if TYPE_CHECKING:
    from knee.launch.runner import Progress as State


class Teller(Protocol):
    """Takes what the runner tells."""

    def __call__(self, state: State, /) -> None:
        """Show it."""


@contextmanager
def bar(console: Console | None = None) -> Iterator[Teller]:
    """A bar while the block runs, gone afterwards."""
    console = console or Console(stderr=True)
    if not console.is_terminal:
        yield _silent
        return
    display = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[left]}"),
        console=console,
        transient=True,
        # Drawn when the runner tells, between pools, and never while a rep is timed.
        auto_refresh=False,
        # What the user types, or a workload writes to the terminal itself, is not Knee's to redirect.
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with display:
        task = display.add_task("starting", total=1.0, left="")

        def tell(state: State) -> None:
            display.update(
                task, completed=share(state), description=describe(state), left=left(state), refresh=True
            )

        yield tell


def _silent(state: State) -> None:
    """Say nothing."""


def share(state: State) -> float:
    """How much of the run is done, 0 to 1: of its launches where their number is known, else of its budget."""
    if state.expected:
        return min(1.0, state.launches / state.expected)
    return min(1.0, state.elapsed / state.budget)


def seconds_left(state: State) -> float | None:
    """Seconds that the run will still take: at the pace so far, and within the budget; None while unknown."""
    if state.launches == 0:
        return None
    rest = max(0.0, state.budget - state.elapsed)
    if state.expected is None:
        return rest
    return max(0, state.expected - state.launches) * state.elapsed / state.launches


def describe(state: State) -> str:
    """Which launch, and what it does."""
    of = f" of {state.expected}" if state.expected else ""
    return f"launch {state.launches + 1}{of}: {state.doing}"


def left(state: State) -> str:
    """The time left, for people."""
    seconds = seconds_left(state)
    if seconds is None:
        return f"up to {units.span(state.budget)}"
    return f"{units.span(seconds)} left"
