"""The planted workloads and their runner keep their shape; ``scripts/planted`` says whether ``knee why`` finds them."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from planting.case import CAUSES, Case, CaseError, read, read_folder  # noqa: E402
from planting.conditions import NotHereError, holding  # noqa: E402
from planting.score import Share, score  # noqa: E402
from planting.trial import Trial  # noqa: E402

PLANTED = ROOT / "examples" / "planted"
CASES = read_folder(PLANTED)
FILES = sorted({case.path for case in CASES})


@pytest.mark.parametrize("cause", [cause for cause in CAUSES if cause != "unknown"])
def test_every_cause_has_two_workloads(cause: str) -> None:
    assert sum(case.expected == cause for case in CASES if case.name == "operation") >= 2


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_named_after_its_cause_and_tells_its_story(path: Path) -> None:
    planted, *twins = read(path)
    docstring = ast.get_docstring(ast.parse(path.read_text())) or ""
    assert path.stem.startswith(planted.expected.translate(str.maketrans(".-", "__")))
    assert docstring.splitlines()[0].endswith(".")
    if planted.expected != "none":
        assert "Goes away: " in docstring
        assert [twin.name for twin in twins] == ["fixed"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_workloads_can_be_read_by_the_oldest_target(path: Path) -> None:
    ast.parse(path.read_text(), feature_version=(3, 9))


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.stem != "refcount_literal"], ids=lambda path: path.stem
)
def test_no_counted_literal_is_planted_by_accident(path: Path) -> None:
    """On CPython 3.13t floats and integers above 256 in a loop would be a second cause."""
    for loop in ast.walk(ast.parse(path.read_text())):
        if isinstance(loop, ast.For):
            for part in loop.body:
                for node in ast.walk(part):
                    if isinstance(node, ast.Constant) and not isinstance(node.value, bool):
                        assert not isinstance(node.value, float)
                        if isinstance(node.value, int) and not in_a_call(part, node):
                            assert node.value <= 256


def in_a_call(part: ast.AST, constant: ast.AST) -> bool:
    """Whether a constant is an argument of a call that takes far longer than counting it."""
    slow = {"range", "work"}
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in slow
        and any(argument is constant for argument in node.args)
        for node in ast.walk(part)
    )


def write(folder: Path, text: str) -> Path:
    path = folder / "gil_test.py"
    path.write_text(text)
    return path


def test_a_header_gives_conditions_marks_and_a_twin_without_them(tmp_path: Path) -> None:
    text = '''"""A story.

Expected on CPython 3.13t: gil, somewhere.
"""
# knee: env PYTHON_GIL=1
# knee: with numpy==2.4.6


def operation():
    pass  # knee: here


class fixed:
    pass
'''
    planted, twin = read(write(tmp_path, text))
    assert planted.expected == "gil"
    assert set(planted.conditions) == {("env", "PYTHON_GIL=1"), ("with", "numpy==2.4.6")}
    assert planted.marks == (10,)
    assert planted.apart
    assert twin == Case(planted.path, "fixed", "none", (("with", "numpy==2.4.6"),), (), True)


@pytest.mark.parametrize("text", ['"""No cause."""', '"""Expected: luck."""', "def broken("])
def test_a_file_without_a_known_cause_is_refused_by_name(tmp_path: Path, text: str) -> None:
    with pytest.raises(CaseError, match=r"gil_test\.py"):
        read(write(tmp_path, text))


def test_a_place_counts_within_one_line_in_the_same_file() -> None:
    case = Case(Path("/a/lock_x.py"), "operation", "lock", marks=(10, 20))
    assert case.is_at("/b/lock_x.py", 11)
    assert case.is_at("/a/lock_x.py", 19)
    assert not case.is_at("/a/lock_x.py", 12)
    assert not case.is_at("/a/other.py", 10)
    assert not case.is_at(None, None)


def test_variables_and_packages_become_options() -> None:
    case = Case(Path("x.py"), "operation", "gil", (("env", "A=1"), ("with", "b==2")))
    with holding(case) as conditions:
        assert conditions.arguments == ("--env", "A=1", "--with", "b==2")


def test_what_the_machine_cannot_give_is_not_here() -> None:
    case = Case(Path("x.py"), "operation", "machine.cores", (("cpus", "99999"),))
    with pytest.raises(NotHereError, match="99999"), holding(case):
        pass


def trial(name: str, expected: str, found: str | None, **more: object) -> Trial:
    return Trial(f"{expected}_x.py", name, expected, 1, "done" if found else "failed", found, **more)  # type: ignore[arg-type]


def test_shares_count_lost_runs_as_wrong_and_leave_out_what_is_not_here() -> None:
    figures = score(
        [
            trial("operation", "lock", "lock", at=True),
            trial("operation", "lock", "refcount", at=False),
            trial("operation", "lock", None),
            trial("fixed", "none", "none"),
            trial("fixed", "none", "unknown"),
            trial("fixed", "none", "gil"),
            Trial("q.py", "operation", "machine.quota", 1, "not here", text="no group"),
        ]
    )
    assert figures.right == Share(1, 3)
    assert figures.placed == Share(1, 3)
    assert figures.false == Share(1, 3)
    assert figures.unknown == Share(1, 3)
    assert figures.not_here == ("q.py: no group",)
    assert figures.counts["lock", "refcount"] == 1


def test_a_result_survives_the_results_file() -> None:
    one = trial("operation", "lock", "lock", shares=(("lock", 0.8), ("refcount", None)), place="lock_x.py:3")
    assert Trial.from_json(one.to_json()) == one
