"""A run that could measure nothing because its workload does not load: bad input, not a result."""

from __future__ import annotations

import re
from collections.abc import Sequence

from knee.errors import KneeError
from knee.launch.sample import Loss

_LOADING = "load: "
_MISSING = re.compile(r"ModuleNotFoundError: No module named '(?P<name>[\w.]+)'")
_PLACE = re.compile(r'File "(?P<file>[^"<]+)", line (?P<line>\d+)')


def refuse(workload: str, launches: int, losses: Sequence[Loss]) -> None:
    """Raise if a workload was never loaded.

    Args:
        workload: how it is named.
        launches: how many launches ended well.
        losses: those of the run.

    Raises:
        KneeError: with the reason in one line, and the place in the source where there is one.
    """
    if launches or not losses or not losses[-1].text.startswith(_LOADING):
        return
    loss = losses[-1]
    reason = loss.text.removeprefix(_LOADING)
    raise KneeError(f"{workload} cannot be loaded: {reason}", advice(loss))


def advice(loss: Loss) -> str:
    """What to do about a workload that does not load."""
    missing = _MISSING.search(loss.text)
    if missing is not None:
        return f"--with PACKAGE installs what it needs: --with {missing['name'].partition('.')[0]}, or as it is called"
    places = _PLACE.findall(loss.traceback)
    if places:
        return "see line {1} of {0}".format(*places[-1])
    return "name a callable that takes nothing, or one state"
