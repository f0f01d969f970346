"""A run that could measure nothing because its workload does not load: bad input, not a result."""

from __future__ import annotations

import re

from knee.errors import KneeError
from knee.launch.runner import LOADING
from knee.launch.sample import Loss

_STARTING = re.compile(r"start: (?P<text>.* cannot be run: .*)")
_MISSING = re.compile(r"ModuleNotFoundError: No module named '(?P<name>[\w.]+)'")
_PLACE = re.compile(r'File "(?P<file>[^"<]+)", line (?P<line>\d+)')


def refuse(workload: str, loss: Loss | None) -> None:
    """Raise if a run ended because its workload does not load, or its command does not start.

    Args:
        workload: how it is named.
        loss: what ended the run, if anything did.

    Raises:
        KneeError: with the reason in one line, and the place in the source where there is one.
    """
    if loss is None:
        return
    starting = _STARTING.fullmatch(loss.text)
    if starting is not None:
        raise KneeError(starting["text"], "check its path; it is run without a shell")
    if loss.text.startswith(LOADING):
        raise KneeError(f"{workload} cannot be loaded: {loss.text.removeprefix(LOADING)}", advice(loss))


def advice(loss: Loss) -> str:
    """What to do about a workload that does not load."""
    missing = _MISSING.search(loss.text)
    if missing is not None:
        return f"--with PACKAGE installs what it needs: --with {missing['name'].partition('.')[0]}, or as it is called"
    places = _PLACE.findall(loss.traceback)
    if places:
        return "see line {1} of {0}".format(*places[-1])
    if "setup(" in loss.text or "@staticmethod" in loss.text or "runs nothing" in loss.text:
        return "see The five verbs in README.md for the shape of a workload"
    return "name a callable that takes nothing, or one state"
