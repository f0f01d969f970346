"""Whether a twin is one: the cause's loss is there in ``operation`` and gone in ``fixed``, by Knee's own measure.

Where both can share a process, ``knee compare`` tells: at two workers the twin is faster, and by more than at
one. Where the cause holds for a whole process (the GIL, a quota), ``knee run`` measures each: the intervals of
the speedups lie apart.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planting.case import Case
from planting.conditions import NotHereError, holding
from planting.trial import knee


@dataclass(frozen=True)
class Proof:
    """What came out: proven or not, and the figures in one line."""

    file: str
    proven: bool | None
    text: str


def proved(planted: Case, twin: Case, *, python: str, budget: float, store: Path) -> Proof:
    """Prove one pair; ``proven`` is None where this machine cannot."""
    options = ["--python", python, "--workers", "1,2", "--budget", f"{budget:g}s"]
    options += ["--store", str(store), "--json", "-"]
    try:
        if planted.apart:
            before, after = (_speedup(_asked(case, "run", case.target, *options)) for case in (planted, twin))
            proven = after["low"] > before["high"]
            text = f"speedup at 2 workers {_text(before)}, the twin's {_text(after)}"
        else:
            answer = _asked(planted, "compare", planted.target, twin.target, *options)
            rows = {row["workers"]: row for row in answer["rows"]}
            one, two = rows[1]["ratio"], rows[2]["ratio"]
            proven = rows[2]["verdict"] == "faster" and two["high"] < one["low"]
            text = f"the twin's time over the operation's: {_text(one)} at 1 worker, {_text(two)} at 2"
    except NotHereError as reason:
        return Proof(planted.path.name, None, f"not here: {reason}")
    except (ValueError, KeyError, TypeError) as error:
        return Proof(planted.path.name, False, f"no figures: {error}")
    return Proof(planted.path.name, proven, text)


def _asked(case: Case, *words: str) -> dict[str, Any]:
    with holding(case) as conditions:
        answer = subprocess.run(
            knee(*words, *conditions.arguments),
            preexec_fn=conditions.enter,
            capture_output=True,
            text=True,
            check=False,
        )
    try:
        found: dict[str, Any] = json.loads(answer.stdout)
    except ValueError:
        raise ValueError(answer.stderr.strip()[-300:] or "no JSON") from None
    return found


def _speedup(answer: dict[str, Any]) -> dict[str, float]:
    (kind,) = (kind for kind in answer["kinds"] if kind["kind"] == "threads")
    (row,) = (row for row in kind["rows"] if row["workers"] == 2)
    interval: dict[str, float] = row["speedup"]
    return interval


def _text(interval: dict[str, float]) -> str:
    return f"{interval['estimate']:.2f} ({interval['low']:.2f} to {interval['high']:.2f})"
