"""Reports that every view must be able to render."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from knee.analysis.report import RunReport
from knee.analysis.run import analyse
from knee.launch.sample import Loss
from knee.store.database import Store
from tests.synthetic import INTERPRETER, Synthetic, amdahl, perfect


def bends(workers: int) -> float:
    """Rises to 4 workers, falls after."""
    return {1: 1.0, 2: 1.9, 4: 2.9, 8: 2.4}[workers]


def ladder(store: Store) -> int:
    """Threads that bend against processes that do not."""
    return Synthetic(
        curves={"threads": bends, "processes": amdahl(0.02)}, workers=(1, 2, 4, 8), launches=10
    ).into(store)


def split(store: Store) -> int:
    """Launches in two modes."""
    return Synthetic(lottery=lambda launch: 1.5 if launch % 3 else 1.0, launches=12).into(store)


def single(store: Store) -> int:
    """One launch: nothing is known of the spread."""
    return Synthetic(launches=1, control=False).into(store)


def fixed(store: Store) -> int:
    """A fixed amount of work, divided, by a command with marks that formats treat as their own."""
    made = Synthetic(
        curves={"command": perfect},
        law="fixed",
        workload="./p|<x> [b]*a*[/b] `q` --n '{workers}'",
        interpreter={},
    )
    return made.into(store)


def troubled(store: Store) -> int:
    """Interrupted, with hazards, losses, the GIL back on and a kind that refused."""
    run = Synthetic(
        launches=3,
        status="interrupted",
        printed=3,
        interpreter={**INTERPRETER, "gil": False},
        facts={"gil": [True], "modules": ["_old"]},
    ).into(store)
    store.hazards(
        run, "before", [{"id": "turbo", "text": "Clocks [b]rise[/b].", "advice": "Turn it off | on."}]
    )
    store.loss(run, Loss(2, 0, 0, "raised", "ValueError: [x]", "Traceback\n  here", 1, 0, 4, "threads", 2))
    store.loss(run, Loss(3, 0, 0, "raised", "ValueError: [x]", "Traceback\n  here", 1, 0, 4, "threads", 2))
    store.loss(run, Loss(0, 0, 0, "unavailable", "_x refuses", worker_kind="subinterpreters", workers=1))
    return run


def nothing(store: Store) -> int:
    """A run that had no launch."""
    run = store.begin(Synthetic().record())
    store.finish(run, "failed")
    return run


MADE: dict[str, Callable[[Store], int]] = {
    made.__name__: made for made in (ladder, split, single, fixed, troubled, nothing)
}


@pytest.fixture(params=MADE)
def any_run(request: pytest.FixtureRequest, store: Store) -> int:
    """Each of the runs above."""
    return MADE[request.param](store)


@pytest.fixture
def any_report(any_run: int, store: Store) -> RunReport:
    """The report of each of the runs above."""
    return analyse(store, any_run)


@pytest.fixture
def report(store: Store) -> Callable[[str], RunReport]:
    """Make one of the reports above by name."""
    return lambda name: analyse(store, MADE[name](store))
