"""Two runs can tell what differs between them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from knee.analysis import fingerprint
from knee.plan.treatment import Treatment
from knee.plan.workload import Workload, from_statement
from knee.store.record import LaunchRecord

PYTHON = {"version": "3.13.5", "free_threaded": True, "path": "/a/python", "found": "on PATH"}


def take(path: Path, **changes: Any) -> dict[str, Any]:
    workload = Workload("callable", file=str(path), name="operation")
    given = {
        "env": {},
        "loader": "import",
        "interpreter": PYTHON,
        "packages": ["numpy 2.4.6"],
        "machine": {"id": "m"},
    }
    given |= changes
    treatment = Treatment("bench", workload, "/a/python", env=given["env"], loader=given["loader"])
    return fingerprint.take(
        [treatment], [given["interpreter"]], [given["packages"]], given["machine"], environ={}
    )


def what(left: dict[str, Any], right: dict[str, Any], *meant: str) -> list[str]:
    return [difference.what for difference in fingerprint.differences(left, right, meant)]


def test_the_same_inputs_have_the_same_fingerprint(tmp_path: Path) -> None:
    path = tmp_path / "bench.py"
    path.write_text("def operation(): pass")
    assert what(take(path), take(path)) == []


def test_every_input_that_changes_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bench.py"
    path.write_text("def operation(): pass")
    before = take(path)
    assert what(before, take(path, interpreter={**PYTHON, "version": "3.14.0"})) == ["interpreter version"]
    assert what(before, take(path, packages=["numpy 2.4.5"])) == ["packages"]
    assert what(before, take(path, env={"MALLOC_ARENA_MAX": "1"})) == ["environment MALLOC_ARENA_MAX"]
    assert what(before, take(path, loader="script")) == ["loader"]
    assert what(before, take(path, machine={"id": "other"})) == ["machine id"]
    path.write_text("def operation(): return 1")
    assert what(before, take(path)) == ["workload source"]


def test_where_an_interpreter_lies_makes_no_difference(tmp_path: Path) -> None:
    path = tmp_path / "bench.py"
    path.touch()
    assert what(take(path), take(path, interpreter={**PYTHON, "path": "/b/python", "found": "by path"})) == []


def test_where_the_workload_lies_makes_no_difference(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bench.py").write_text("def operation(): pass")
    assert what(take(tmp_path / "one" / "bench.py"), take(tmp_path / "two" / "bench.py")) == []


def test_what_was_meant_to_differ_is_no_surprise(tmp_path: Path) -> None:
    path = tmp_path / "bench.py"
    path.touch()
    other = take(path, interpreter={**PYTHON, "version": "3.14.0"}, packages=[])
    assert what(take(path), other, "interpreter") == ["packages"]
    assert what(take(path), other, "interpreter", "packages") == []


def test_only_relevant_variables_and_those_that_the_treatment_sets_count() -> None:
    own = {"HOME": "/root", "PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "4", "LD_PRELOAD": "x.so"}
    found = fingerprint.environment(own, {"MINE": "1", "OMP_NUM_THREADS": None, "PYTHONHASHSEED": "2"})
    assert found == {"MINE": "1", "PYTHONHASHSEED": "2", "LD_PRELOAD": "x.so"}


def test_files_that_the_workload_declared_are_added_from_the_launches() -> None:
    def launch(used: Any) -> LaunchRecord:
        return LaunchRecord(0, 0, 0.0, 1.0, "ended", {}, {"used": used})

    assert fingerprint.complete({"machine": {}}, [launch({"b": "2"}), launch({"a": "1"})]) == {
        "machine": {},
        "files": {"a": "1", "b": "2"},
    }
    assert fingerprint.complete({}, [launch(["a"])])["files"] == {"a": None}
    assert fingerprint.complete({}, []) == {"files": {}}


def test_a_statement_is_its_own_source() -> None:
    treatment = Treatment("s", from_statement("sum(d)", "d = []"), "/python")
    assert fingerprint.workload(treatment) == {"form": "statement", "statement": "sum(d)", "setup": "d = []"}


JSON = st.recursive(
    st.booleans() | st.integers() | st.text(),  # None is unknown, which is no difference from missing
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=3), JSON), st.dictionaries(st.text(max_size=3), JSON))
def test_differences_are_found_if_and_only_if_there_are_any(
    left: dict[str, Any], right: dict[str, Any]
) -> None:
    assert bool(fingerprint.differences(left, right)) == (left != right)
    for difference in fingerprint.differences(left, right):
        assert difference.text
