"""How the agent loads a workload and decides how to call it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from knee.agent.workload import Loaded, WorkloadError, load


@pytest.fixture(autouse=True)
def _clean_import_state() -> Iterator[None]:
    path, modules = list(sys.path), dict(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - set(modules):
        del sys.modules[name]


def _write(folder: Path, text: str, name: str = "some_workload.py") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def _load(path: str, name: str = "operation", **options: Any) -> Loaded:
    return load({"form": "callable", "file": path, "name": name}, **options)


@pytest.mark.parametrize(
    ("parameters", "loop"),
    [
        ("", "_loop_nothing"),
        ("state", "_loop_state"),
        ("state, share", "_loop_share"),
        ("state=None", "_loop_nothing"),
    ],
)
def test_the_parameters_decide_how_the_operation_is_called(
    tmp_path: Path, parameters: str, loop: str
) -> None:
    path = _write(tmp_path, f"def setup(workers): pass\ndef operation({parameters}): pass")
    loaded = _load(path)
    assert loaded.loop.__name__ == loop


def test_an_operation_that_wants_more_is_refused_with_what_it_may_take(tmp_path: Path) -> None:
    with pytest.raises(WorkloadError, match="nothing, one state, or a state and its share"):
        _load(_write(tmp_path, "def operation(a, b, c): pass"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("async def operation(): pass", "runs nothing: it is async"),
        ("async def operation(): yield", "runs nothing: it is async"),
        ("def operation(): yield", "runs nothing: it is a generator"),
        ("def operation(state): pass", r"takes a state, and there is no setup\(workers\)"),
    ],
)
def test_an_operation_that_could_only_be_called_in_vain_is_refused(
    tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(WorkloadError, match=told):
        _load(_write(tmp_path, text))


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    def operation(self, state): pass",
        "class A:\n    def setup(self, workers): pass\n    @staticmethod\n    def operation(state): pass",
    ],
)
def test_a_method_has_no_instance_to_be_called_on(tmp_path: Path, text: str) -> None:
    path = _write(tmp_path, text)
    for name in ("A", "A.operation"):
        with pytest.raises(WorkloadError, match=r"A\.\w+ is a method, and there is no instance"):
            _load(path, name)


def test_a_missing_callable_is_told_with_the_names_that_are_there(tmp_path: Path) -> None:
    with pytest.raises(WorkloadError, match="has no 'operation'; it has other, some"):
        _load(_write(tmp_path, "def some(): pass\ndef other(): pass\nx = 1"))


def test_something_that_is_no_callable_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkloadError, match="of type list, not a callable"):
        _load(_write(tmp_path, "operation = []"))


def test_a_namespace_has_its_own_setup_and_never_the_files(tmp_path: Path) -> None:
    path = _write(
        tmp_path,
        "def setup(workers): return [1] * workers\n"
        "def operation(state): pass\n"
        "class fixed:\n"
        "    @staticmethod\n"
        "    def setup_worker(index, workers): return index\n"
        "    operation = staticmethod(operation)\n",
    )
    assert _load(path).states(2) == [1, 1]
    fixed = _load(path, "fixed")
    assert fixed.setup is None
    assert fixed.state(1, 2, None) == 1


@pytest.mark.parametrize(
    ("returned", "told"), [("[1]", "returned 1 states"), ("None", "returned a NoneType")]
)
def test_setup_must_return_one_state_per_worker(tmp_path: Path, returned: str, told: str) -> None:
    path = _write(tmp_path, f"def setup(workers): return {returned}\ndef operation(state): pass")
    with pytest.raises(WorkloadError, match=told):
        _load(path).states(2)


def test_a_worker_keeps_the_given_state_where_its_own_setup_makes_none(tmp_path: Path) -> None:
    path = _write(tmp_path, "def setup_worker(index, workers): return None\ndef operation(state): pass")
    assert _load(path).state(0, 1, "given") == "given"


def test_an_import_is_done_once_and_a_private_one_shares_nothing(tmp_path: Path) -> None:
    path = _write(tmp_path, "shared = []\ndef operation(): return shared")
    first, again = _load(path), _load(path)
    private = _load(path, private=True)
    assert first.namespace is again.namespace
    assert private.namespace is not first.namespace
    assert private.operation() is not first.operation()


def test_a_workload_in_a_package_can_use_relative_imports(tmp_path: Path) -> None:
    package = tmp_path / "some_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "part.py").write_text("VALUE = 5")
    path = _write(package, "from .part import VALUE\ndef operation(): return VALUE", "bench.py")
    assert _load(path).operation() == 5


def test_what_was_installed_comes_before_what_lies_beside_the_workload(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {name: tmp_path / name for name in ("beside", "named", "site")}
    for name, place in places.items():
        place.mkdir()
        (place / "under_test.py").write_text(f"place = {name!r}")
    (places["beside"] / "helper.py").write_text("")
    path = _write(places["beside"], "import helper, under_test\ndef operation(): return under_test.place")
    monkeypatch.setenv("PYTHONPATH", str(places["named"]))
    sys.path[:0] = [str(places["named"]), str(places["site"])]
    assert _load(path, installed=True).operation() == "site"


@pytest.mark.parametrize("installed", [False, True])
def test_a_folder_is_put_on_the_path_once(tmp_path: Path, installed: bool) -> None:
    path = _write(tmp_path, "def operation(): pass")
    for _ in range(3):
        _load(path, installed=installed, private=True)
    assert sys.path.count(str(tmp_path)) == 1
    assert sys.path.index(str(tmp_path)) == (len(sys.path) - 1 if installed else 0)


def test_a_script_is_not_imported(tmp_path: Path) -> None:
    path = _write(tmp_path, "def operation(): return __name__", "some_script.py")
    loaded = _load(path, loader="script")
    assert loaded.operation() == "some_script"
    assert "some_script" not in sys.modules


def test_a_syntax_error_of_a_script_names_its_file(tmp_path: Path) -> None:
    with pytest.raises(SyntaxError) as caught:
        _load(_write(tmp_path, "def operation(:"), loader="script")
    assert str(caught.value.filename).endswith("some_workload.py")


def test_a_statement_runs_in_one_loop_and_shares_the_names_of_its_setup() -> None:
    loaded = load({"form": "statement", "statement": "seen.append(1)", "setup": "seen = []"})
    loaded.loop(loaded.operation, None, 3, range(3))
    assert loaded.namespace["seen"] == [1, 1, 1]


def test_the_loops_call_as_often_as_told(tmp_path: Path) -> None:
    path = _write(
        tmp_path,
        "def setup(workers): pass\n"
        "def operation(state): state.append(1)\n"
        "def shared(state, share): state.extend(share)\n"
        "count = []\n"
        "def plain(): count.append(1)\n",
    )
    state: list[int] = []
    loaded = _load(path)
    loaded.loop(loaded.operation, state, 4, range(10, 14))
    assert state == [1, 1, 1, 1]
    share: list[int] = []
    loaded = _load(path, "shared")
    loaded.loop(loaded.operation, share, 4, range(10, 14))
    assert share == [10, 11, 12, 13]
    loaded = _load(path, "plain")
    loaded.loop(loaded.operation, None, 5, range(5))
    assert len(loaded.namespace["count"]) == 5
