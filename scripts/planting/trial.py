"""One call of ``knee why`` on a case, and what it found."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from planting.case import Case
from planting.conditions import NotHereError, holding

Status = Literal["done", "failed", "timeout", "not here"]

_SLACK = 60.0
"""Seconds that a run may take beyond its budget before it is given up."""


@dataclass(frozen=True)
class Trial:
    """What one run found, as one line of the results.

    Attributes:
        file, name, expected: the case.
        run: its number, from 1.
        status: ``done``, or why there is no finding.
        found: the first cause; ``none`` where there is none; None unless done.
        shares: each cause found and its share of the loss.
        place: the first cause's file and line, as text; None without one.
        at: whether that is a marked line; None where nothing is marked.
        seconds: how long it took.
        text: what was said where there is no finding.
    """

    file: str
    name: str
    expected: str
    run: int
    status: Status
    found: str | None = None
    shares: tuple[tuple[str, float | None], ...] = ()
    place: str | None = None
    at: bool | None = None
    seconds: float = 0.0
    text: str = ""

    @property
    def key(self) -> tuple[str, str, int]:
        """What tells it from other runs."""
        return self.file, self.name, self.run

    def to_json(self) -> str:
        """Return it as one line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Trial:
        """Read back what ``to_json`` wrote."""
        fields = json.loads(line)
        fields["shares"] = tuple((cause, share) for cause, share in fields["shares"])
        return cls(**fields)


def knee(*words: str) -> list[str]:
    """The command line of Knee in this environment."""
    return [sys.executable, "-m", "knee", *words]


def tried(case: Case, run: int, *, python: str, budget: float, store: Path) -> Trial:
    """Run ``knee why`` once."""
    head = (case.path.name, case.name, case.expected, run)
    begun = time.monotonic()
    try:
        with holding(case) as conditions:
            words = knee("why", case.target, "--workers", "2", "--python", python)
            words += ["--budget", f"{budget:g}s", "--store", str(store), "--json", "-"]
            answer = subprocess.run(
                [*words, *conditions.arguments],
                preexec_fn=conditions.enter,
                capture_output=True,
                text=True,
                timeout=budget + _SLACK,
                check=False,
            )
    except NotHereError as reason:
        return Trial(*head, status="not here", text=str(reason))
    except subprocess.TimeoutExpired:
        return Trial(*head, status="timeout", seconds=round(time.monotonic() - begun, 1))
    seconds = round(time.monotonic() - begun, 1)
    try:
        why = json.loads(answer.stdout)
        return _found(case, head, why, seconds)
    except (ValueError, KeyError, TypeError) as error:
        text = f"{error!r}: {answer.stderr.strip()[-500:] or answer.stdout[-200:]}"
        return Trial(*head, status="failed", seconds=seconds, text=text)


def _found(case: Case, head: tuple[str, str, str, int], why: dict[str, Any], seconds: float) -> Trial:
    causes = why["causes"]
    if not causes:
        return Trial(*head, status="done", found="none", at=False if case.marks else None, seconds=seconds)
    where = causes[0].get("where") or {}
    file, line = where.get("file"), where.get("line")
    return Trial(
        *head,
        status="done",
        found=causes[0]["cause"],
        shares=tuple((cause["cause"], _estimate(cause.get("share"))) for cause in causes),
        place=None if file is None else f"{Path(file).name}:{line}",
        at=case.is_at(file, line) if case.marks else None,
        seconds=seconds,
    )


def _estimate(share: Any) -> float | None:
    if isinstance(share, dict):
        share = share.get("estimate")
    return None if share is None else round(float(share), 3)
