"""Knee: how a program scales with workers, whether to believe it, and why it stops.

In a workload: ``with knee.phase("parse"):`` times a part of it, ``knee.uses("input.json")`` declares a file
that it depends on. In an application: ``knee.useful_workers()`` is the number of workers that its pools
should have.

This module is imported inside measured programs, on every Python that can be measured: it imports nothing
until it is asked for something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from knee._phase import phase, uses
    from knee.machine import useful_workers

    __version__: str

__all__ = ["__version__", "phase", "useful_workers", "uses"]


def __getattr__(name: str) -> object:
    if name in ("phase", "uses"):
        from knee import _phase

        found: object = getattr(_phase, name)
    elif name == "useful_workers":
        from knee.machine import useful_workers as found
    elif name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            found = version("knee")
        except PackageNotFoundError:  # the sources, never built
            found = "0"
    else:
        raise AttributeError(f"module 'knee' has no attribute '{name}'")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
