"""Lines of source for names."""

from __future__ import annotations

from pathlib import Path

import pytest

from knee.causes.source import defined, enclosing, in_function, twin, used
from knee.plan.workload import Workload, from_target

SOURCE = """\
import random
import threading

GUARD = threading.Lock()
TABLE = make()


def helper():
    return TABLE


def setup(workers):
    cells = [0] * workers
    return [(cells, i) for i in range(workers)]


def operation(state):
    GUARD.locked()
    with GUARD:
        return random.random()


class fixed:
    @staticmethod
    def setup(workers):
        return [None] * workers

    @staticmethod
    def operation(state):
        return TABLE
"""


@pytest.fixture
def bench(tmp_path: Path) -> Workload:
    file = tmp_path / "bench.py"
    file.write_text(SOURCE)
    return from_target(f"{file}:operation")


def test_a_lock_is_used_where_a_with_takes_it(bench: Workload) -> None:
    assert used(bench, "GUARD") == (bench.file, 19)


def test_a_name_is_used_first_in_the_operation_then_elsewhere(bench: Workload) -> None:
    assert used(bench, "random") == (bench.file, 20)
    assert used(bench, "TABLE") == (bench.file, 9)
    inner = Workload("callable", file=bench.file, name="fixed.operation")
    assert used(inner, "TABLE") == (bench.file, 30)


def test_a_name_is_defined_where_it_is_bound(bench: Workload) -> None:
    assert defined(bench, "GUARD") == (bench.file, 4)
    assert defined(bench, "random") == (bench.file, 1)
    assert defined(bench, "nowhere") is None


def test_states_are_made_where_setup_makes_what_it_returns(bench: Workload) -> None:
    assert defined(bench, "state") == (bench.file, 13)
    assert defined(Workload("callable", file=bench.file, name="fixed"), "state") == (bench.file, 26)


def test_a_with_that_makes_an_executor_encloses_what_starts_threads(tmp_path: Path) -> None:
    file = tmp_path / "pool.py"
    file.write_text(
        "def operation():\n    with ThreadPoolExecutor(4) as pool:\n        for _ in range(4):\n"
        "            pool.submit(int)\n    with GUARD:\n        pass\n"
    )
    assert enclosing(str(file), 4) == range(2, 5)
    assert not enclosing(str(file), 6)
    assert not enclosing("/nowhere.py", 1)


def test_the_twin_is_named_where_there_is_one(bench: Workload, tmp_path: Path) -> None:
    assert twin(bench) == "fixed"
    (tmp_path / "lonely.py").write_text("def operation():\n    pass\n")
    assert twin(from_target(f"{tmp_path}/lonely.py:operation")) == "mended"


def test_a_file_that_cannot_be_read_has_no_lines() -> None:
    assert used(Workload("callable", file="/nowhere.py", name="operation"), "x") is None
    assert used(Workload("statement", statement="x"), "x") is None


def test_lines_of_functions_are_told_from_those_of_the_module(tmp_path: Path) -> None:
    file = tmp_path / "bench.py"
    file.write_text("import os\n\ndef setup(workers):\n    made = [os]\n    return made\n\nMADE = setup(1)\n")
    assert [line for line in range(1, 8) if in_function(str(file), line)] == [4, 5]
    assert not in_function(str(tmp_path / "gone.py"), 1)
