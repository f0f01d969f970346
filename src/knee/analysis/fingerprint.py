"""What a result depends on, so that two runs can tell what differs between them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from knee.plan.content import digest
from knee.plan.treatment import Treatment
from knee.store.record import LaunchRecord

RELEVANT = (
    "PYTHON",
    "MALLOC_",
    "MIMALLOC_",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "GLIBC_TUNABLES",
    "OMP_",
    "OPENBLAS_",
    "MKL_",
    "NUMEXPR_",
    "VECLIB_",
    "BLIS_",
)
"""Prefixes of the environment variables that are known to change how a program runs or scales."""


def take(
    treatments: Sequence[Treatment],
    interpreters: Sequence[Mapping[str, Any] | None],
    packages: Sequence[Sequence[str]],
    machine: Mapping[str, Any],
    environ: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Describe what a run's result depends on, as far as it is known before the first launch.

    Args:
        treatments: those of the run.
        interpreters: for each, its interpreter as JSON; None for a command.
        packages: for each, what is installed beside it.
        machine: as JSON.
        environ: Knee's own environment; ``os.environ`` if None.
    """
    own = os.environ if environ is None else environ
    return {
        "treatments": [
            {
                "label": treatment.label,
                "workload": workload(treatment),
                "interpreter": None if interpreter is None else _interpreter(interpreter),
                "packages": sorted(installed),
                "loader": treatment.loader,
                "environment": environment(own, treatment.env),
            }
            for treatment, interpreter, installed in zip(treatments, interpreters, packages, strict=True)
        ],
        "machine": {key: machine[key] for key in ("id", "name", "system") if key in machine},
    }


def workload(treatment: Treatment) -> dict[str, Any]:
    """The workload and, where it is a file, its name and the hash of its source; the folder makes no difference."""
    found = treatment.workload.to_json()
    if treatment.workload.form == "callable":
        found |= {"file": Path(treatment.workload.file).name, "source": digest(treatment.workload.file)}
    return found


def environment(own: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    """The relevant variables as the launch sees them, and all that the treatment sets."""
    seen = {name: value for name, value in own.items() if name.startswith(RELEVANT)}
    for name, value in changes.items():
        if value is None:
            seen.pop(name, None)
        else:
            seen[name] = value
    return dict(sorted(seen.items()))


def complete(fingerprint: Mapping[str, Any], launches: Sequence[LaunchRecord]) -> dict[str, Any]:
    """Add what only the workload knew: the files that it declared with ``knee.uses``, and their hashes."""
    used: dict[str, str | None] = {}
    for launch in launches:
        declared = (launch.facts or {}).get("used") or {}
        used.update(declared if isinstance(declared, Mapping) else dict.fromkeys(declared))
    return {**fingerprint, "files": dict(sorted(used.items()))}


@dataclass(frozen=True)
class Difference:
    """Something in which two fingerprints differ.

    Attributes:
        what: the path to it, for people: ``interpreter version``.
        left: its value in the first; None where it is missing.
        right: its value in the second.
    """

    what: str
    left: Any
    right: Any

    @property
    def text(self) -> str:
        """One line."""
        return f"{self.what}: {_short(self.left)} / {_short(self.right)}"


def differences(
    left: Mapping[str, Any], right: Mapping[str, Any], meant: Sequence[str] = ()
) -> tuple[Difference, ...]:
    """Everything in which two fingerprints differ, but what was meant to.

    Args:
        left: one fingerprint, or one treatment's part of it.
        right: the other.
        meant: beginnings of ``Difference.what`` that are no surprise, such as ``interpreter``.
    """
    found = (Difference(" ".join(path), a, b) for path, a, b in _differing(left, right, ()))
    return tuple(d for d in found if not any(d.what == m or d.what.startswith(f"{m} ") for m in meant))


def _differing(left: Any, right: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        for key in dict.fromkeys((*left, *right)):
            yield from _differing(left.get(key), right.get(key), (*path, str(key)))
    elif isinstance(left, list) and isinstance(right, list) and path[-1:] == ("treatments",):
        alone = len(left) == len(right) == 1  # a single treatment needs no number
        for index, (a, b) in enumerate(zip_longest(left, right)):
            yield from _differing(a, b, path[:-1] if alone else (*path, str(index)))
    elif left != right:
        yield path, left, right


def _interpreter(data: Mapping[str, Any]) -> dict[str, Any]:
    """Of an interpreter, what changes how fast it runs; where it lies and how it was found do not."""
    kept = ("version", "implementation", "free_threaded", "debug", "optimised", "abi", "build")
    return {key: data[key] for key in kept if key in data}


def _short(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
