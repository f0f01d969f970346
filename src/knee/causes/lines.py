"""Narrowing a removal to the few source lines whose allocations it has to treat."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from knee.causes.cause import Given
from knee.causes.seen import Seen
from knee.causes.source import in_function, name_of, text
from knee.causes.trial import Trial
from knee.plan.workload import Workload

if TYPE_CHECKING:
    from knee.causes.search import Search

Line = tuple[str, int]


def culprits(
    search: Search, workload: Workload, given: Given, make: Callable[[dict[str, Any], str], Trial]
) -> tuple[list[Line], Seen | None]:
    """Record which lines allocate, then treat what ever fewer of them do.

    Args:
        workload: lines of its file come first, those of functions before others.
        given: what treating all of them gives back.
        make: the trial with these options (``record`` or ``lines``) as the step so called.

    Returns:
        the fewest lines that alone give the loss back, none if that was not found; and the launch that recorded.
    """
    recorded = search.launch(make({"record": True}, "recording lines"))
    if recorded is None:
        return [], None
    told = recorded.check.get("lines", [])
    # What workers are dealt is seldom made while modules are executed, which allocates most.
    told.sort(key=lambda one: (one[0] != workload.file, not in_function(one[0], one[1]), -one[2]))
    lines = [f"{file}:{line}" for file, line, _ in told]
    found = search.narrow(
        lines, given, lambda some, step: make({"lines": [[*_place(one)] for one in some]}, _short(step))
    )
    return [_place(one) for one in found], recorded


def quoted(line: Line) -> str:
    """The line's place and what it says."""
    return f"{name_of(line)} {text(*line)}"


def _place(place: str) -> Line:
    file, _, line = place.rpartition(":")
    return file, int(line)


def _short(step: str) -> str:
    return step.replace("only /", "only …/") if len(step) < 60 else "only …" + step[-55:]
