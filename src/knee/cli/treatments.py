"""From what the command line repeats to the treatments that a comparison needs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from knee.errors import KneeError
from knee.plan.treatment import Treatment
from knee.plan.workload import Workload

_NAME = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Treatments:
    """The treatments, and what they were meant to differ in (``Experiment.varies``)."""

    found: tuple[Treatment, ...]
    varies: str


def treatments(workloads: Sequence[Workload], given: Mapping[str, Any]) -> Treatments:
    """Make the treatments: one thing varies, all else is common.

    A package or variable that is named once is common to all treatments; one that is named several times is what
    varies, as are several targets, interpreters or commits.

    Args:
        workloads: those named, one or more.
        given: options ``python``, ``packages``, ``variables``, ``commits`` (all repeatable) and ``loader``.

    Raises:
        KneeError: two things vary at a time, options that do not fit a command, no such interpreter, or packages that
            cannot be installed.
    """
    packages, package_choices = _split(given["packages"], _package)
    variables, variable_choices = _split([f"{name}={value}" for name, value in given["variables"]], _variable)
    varied = {
        "targets": list(workloads),
        "--python": list(given["python"]),
        "--with": package_choices,
        "--env": variable_choices,
        "--git": list(given["commits"]),
    }
    several = [option for option, choices in varied.items() if len(choices) > 1]
    name = {"--with": _package, "--env": _variable}
    if len(several) > 1:
        raise KneeError(
            f"{' and '.join(several)} vary at the same time, and an effect could be either's",
            "vary one thing at a time; what is named once is common to all treatments",
        )
    if workloads[0].form == "command":
        given_to_it = {
            "--python": bool(varied["--python"]),
            "--git": bool(varied["--git"]),
            "--with": bool(packages or package_choices),
            "--loader": given["loader"] != "import",
        }
        for option, refused in given_to_it.items():
            if refused:
                raise KneeError(
                    f"{option} is for Python workloads", "a command starts its own workers and interpreter"
                )
    what = several[0] if several else "targets"
    found = tuple(_one(what, choice, workloads[0], packages, variables, given) for choice in varied[what])
    return Treatments(found, f"{what} {name[what](varied[what][0])}" if what in name else what)


def _one(
    what: str,
    choice: Any,
    workload: Workload,
    packages: Sequence[str],
    variables: Sequence[str],
    given: Mapping[str, Any],
) -> Treatment:
    """One treatment: the common parts and its own choice."""
    mine = choice if what == "targets" else workload
    installed = [*packages, *([choice] if what == "--with" else [])]
    environment = dict(item.split("=", 1) for item in (*variables, *([choice] if what == "--env" else [])))
    commit = choice if what == "--git" else (given["commits"] or [None])[0]
    python = choice if what == "--python" else (given["python"] or [None])[0]
    path, found = ("", ()) if mine.form == "command" else interpreter(python, installed, commit)
    return Treatment(
        label=mine.label
        if what == "targets"
        else f"{mine.label} {choice if what != '--python' else f'on {choice}'}",
        workload=mine,
        python=path,
        env=environment,
        loader=given["loader"],
        packages=found,
    )


def interpreter(
    python: str | None, packages: Sequence[str], commit: str | None = None
) -> tuple[str, tuple[str, ...]]:
    """Return an interpreter's path and what is installed beside it, made where needed.

    Raises:
        KneeError: no such interpreter or commit, or it cannot be installed.
    """
    from knee.launch.commit import from_git
    from knee.launch.environment import environment
    from knee.launch.interpreter import find

    found = find(python)
    made = environment(found, packages) if commit is None else from_git(found, commit, packages=packages)
    return made.python, made.packages


def _split(items: Sequence[str], name: Any) -> tuple[list[str], list[str]]:
    """Sort items into those whose name occurs once and those whose name is repeated."""
    counts = Counter(name(item) for item in items)
    return [i for i in items if counts[name(i)] == 1], [i for i in items if counts[name(i)] > 1]


def _package(text: str) -> str:
    """The name that a requirement starts with; a path stands for itself."""
    match = _NAME.match(text)
    if "/" in text or match is None:
        return text
    return match[0].lower().replace("_", "-")


def _variable(text: str) -> str:
    return text.partition("=")[0]
