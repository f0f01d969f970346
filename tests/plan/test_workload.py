"""What people type becomes a workload, or one clear line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.errors import KneeError
from knee.plan.workload import Workload, from_command, from_statement, from_target


def test_a_target_is_a_file_and_a_dotted_name(tmp_path: Path) -> None:
    path = tmp_path / "bench.py"
    path.write_text("")
    found = from_target(f"{path}:fixed.operation")
    assert (found.form, found.file, found.name) == ("callable", str(path), "fixed.operation")
    assert found.label == "bench.py:fixed.operation"


@given(st.text())
def test_any_other_text_is_refused_without_a_traceback(text: str) -> None:
    with pytest.raises(KneeError):
        from_target(text)


@pytest.mark.parametrize(("statement", "setup"), [("1 +", ""), ("x", "for"), ("a\0b", "")])
def test_code_that_does_not_compile_is_refused(statement: str, setup: str) -> None:
    with pytest.raises(KneeError, match="does not compile"):
        from_statement(statement, setup)


def test_a_command_needs_a_place_for_the_worker_count() -> None:
    with pytest.raises(KneeError, match="has no "):
        from_command(("./prog", "--threads", "4"))
    with pytest.raises(KneeError, match="no command"):
        from_command(())
    assert from_command(("./prog", "-j{workers}")).label == "./prog '-j{workers}'"


@pytest.mark.parametrize(
    "workload",
    [
        Workload("callable", file="/a.py", name="b"),
        Workload("statement", statement="sum(d)", setup="d = []"),
        Workload("command", argv=("./prog", "{workers}")),
    ],
)
def test_a_workload_comes_back_from_its_json(workload: Workload) -> None:
    assert Workload.from_json(workload.to_json()) == workload
