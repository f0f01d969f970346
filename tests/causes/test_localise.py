"""Where causes sit, on a simulated machine."""

from __future__ import annotations

import math
from typing import Any

from knee.causes.cause import Given, Removal, Where
from knee.causes.false_sharing_native import FalseSharingNative
from knee.causes.false_sharing_objects import FalseSharingObjects
from knee.causes.lock import Lock
from knee.causes.refcount import Refcount
from knee.causes.search import Search
from knee.causes.trial import Trial
from tests.causes.simulated import Bench, World, scene, seen

NAN = math.nan


def found(
    name: str, share: float = 0.95, check: dict[str, Any] | None = None, options: dict[str, Any] | None = None
) -> Given:
    trial = Trial(name, options=options or {})
    launch = seen(trial, 0, 1.0, {"user": 1.0}, check=check)
    return Given(Removal(trial), (launch,), (), share - 0.05, share, share + 0.05, NAN, NAN, NAN, True)


def search(effect: Any, checks: Any = None) -> Search:
    made = Search(Bench(World(1.8, effect=effect, checks=checks or {})), 120.0)  # type: ignore[arg-type]
    made.more_base(4)
    return made


def test_the_line_whose_objects_are_to_blame_is_named_with_their_size() -> None:
    check = {
        "honoured": True,
        "lines": [["/w/bench.py", 3, 900], ["/w/bench.py", 7, 400], ["/w/bench.py", 9, 10]],
        "near": {"kinds": [["Tally", 12]]},
    }

    def effect(trial: Trial) -> float | None:
        if trial.arm != "rounded" or "lines" not in trial.options:
            return None
        right = ["/w/bench.py", 7] in trial.options["lines"]
        size = trial.options.get("least", 1) <= 40 <= trial.options.get("most", 1024)
        return 1.0 if right and size else 1.8

    cause = FalseSharingObjects()
    given = found("rounded", check=check, options={"line": 64})
    where = cause.where(scene(), given, search(effect, {"rounded": check}))
    assert (where.file, where.line, where.name) == ("/w/bench.py", 7, "Tally")
    assert "blocks of 33 to 48 bytes" in where.also
    assert "to 64 bytes" in cause.evidence(scene(), given, where)


def test_what_only_two_lines_for_each_object_give_back_is_told_with_their_bytes() -> None:
    cause = FalseSharingObjects()
    pairs = cause.removals(scene())[1]
    assert (pairs.name, pairs.arm.options["line"]) == ("rounded to pairs", 128)
    given = found("rounded to pairs", options=dict(pairs.arm.options))
    assert "to 128 bytes" in cause.evidence(scene(), given, Where())


def test_the_line_that_has_native_code_allocate_is_named_with_the_one_that_uses_it() -> None:
    check = {"honoured": True, "lines": [["/w/bench.py", 3, 16], ["/w/bench.py", 7, 16]]}

    def effect(trial: Trial) -> float | None:
        if "lines" not in trial.options:
            return None
        assert trial.env["KNEE_MALLOC_WHEN"] == "called"
        return 1.0 if ["/w/bench.py", 7] in trial.options["lines"] else 1.8

    known = scene(watched=[{"workers": 2, "lines": [[0, "/w/bench.py", 20, "R", 30]]}])
    where = FalseSharingNative().where(
        known, found("rounded malloc"), search(effect, {"rounded malloc": check})
    )
    assert (where.file, where.line) == ("/w/bench.py", 7)
    assert where.also[0].startswith("used at bench.py:20")
    nothing = FalseSharingNative().where(known, found("rounded malloc"), search(lambda _: 1.8, {}))
    assert nothing.line == 20


def test_the_object_whose_count_moves_and_whose_immortality_helps_is_named() -> None:
    entries = [
        {"label": name, "name": name, "owner": name, "file": "/w/bench.py", "line": 5}
        for name in ("QUIET", "BUSY", "literal 300")
    ]
    known = scene(
        scout={"found": entries, "shared": 3},
        watched=[{"workers": 2, "lines": [], "moved": [["literal 300", 90], ["BUSY", 40]]}],
    )

    def effect(trial: Trial) -> float | None:
        only = trial.options.get("only")
        return None if only is None else 1.0 if "BUSY" in only else 1.8

    where = Refcount().where(known, found("immortal"), search(effect))
    assert where.name is not None
    assert "BUSY" in where.name


def test_the_name_that_holds_the_lock_is_named_with_the_other_side() -> None:
    known = scene(
        watched=[
            {
                "workers": 2,
                "lines": [[0, "/w/bench.py", 20, "S", 30], [1, "/w/bench.py", 21, "R", 60]],
                "against": [["/w/bench.py", 20, "/w/bench.py", 21, 28]],
            }
        ]
    )

    def effect(trial: Trial) -> float | None:
        private = trial.options.get("private")
        return None if private is None else 1.0 if "GUARD" in private else 1.8

    given = found("private module", check={"honoured": True, "names": ["A", "B", "GUARD", "C"]})
    where = Lock().where(known, given, search(effect))
    assert where.name == "GUARD"
    assert (where.file, where.line) == ("/w/bench.py", 20)
    assert any("bench.py:21" in line for line in where.also)
