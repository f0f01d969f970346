"""What is repeated on the command line is what is compared; all else is common."""

from __future__ import annotations

from typing import Any

import pytest

from knee.cli import treatments as module
from knee.cli.treatments import treatments
from knee.errors import KneeError
from knee.plan.treatment import Treatment
from knee.plan.workload import Workload

A = Workload("callable", file="/w.py", name="a")
B = Workload("callable", file="/w.py", name="b")
COMMAND = Workload("command", argv=("./old", "{workers}"))


@pytest.fixture(autouse=True)
def _no_real_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    def interpreter(
        python: str | None, packages: Any, commit: str | None = None
    ) -> tuple[str, tuple[str, ...]]:
        return f"/{python}/{commit}", tuple(packages)

    monkeypatch.setattr(module, "interpreter", interpreter)


def given(**options: Any) -> dict[str, Any]:
    return {"python": (), "packages": (), "variables": (), "commits": (), "loader": "import", **options}


def found_of(workloads: list[Workload], options: dict[str, Any]) -> tuple[Treatment, ...]:
    return treatments(workloads, options).found


@pytest.mark.parametrize(
    ("workloads", "options", "varies"),
    [
        ([A, B], {}, "targets"),
        ([A], {"python": ("3.13", "3.13t")}, "--python"),
        ([A], {"packages": ("Pillow==1", "pillow==2")}, "--with pillow"),
        ([A], {"variables": (("M", "1"), ("M", "8"))}, "--env M"),
        ([A], {"commits": ("main", "HEAD")}, "--git"),
    ],
)
def test_what_varies_is_told(workloads: list[Workload], options: dict[str, Any], varies: str) -> None:
    assert treatments(workloads, given(**options)).varies == varies


def test_targets_vary_and_share_one_interpreter() -> None:
    found = found_of([A, B], given(python=("3.13t",), packages=("numpy",)))
    assert [t.label for t in found] == ["w.py:a", "w.py:b"]
    assert {t.process_key for t in found} == {found[0].process_key}
    assert {t.packages for t in found} == {("numpy",)}


def test_a_package_named_twice_varies_and_one_named_once_is_common() -> None:
    found = found_of([A], given(packages=("numpy", "Pillow==11.0.0", "pillow==12.2.0")))
    assert [t.packages for t in found] == [("numpy", "Pillow==11.0.0"), ("numpy", "pillow==12.2.0")]
    assert [t.label for t in found] == ["w.py:a Pillow==11.0.0", "w.py:a pillow==12.2.0"]


def test_a_variable_named_twice_varies_and_one_named_once_is_common() -> None:
    found = found_of([A], given(variables=(("X", "1"), ("M", "1"), ("M", "8"))))
    assert [dict(t.env) for t in found] == [{"X": "1", "M": "1"}, {"X": "1", "M": "8"}]


def test_a_value_with_an_equals_sign_stays_whole() -> None:
    [found] = found_of([A], given(variables=(("OPTIONS", "a=b"),)))
    assert found.env == {"OPTIONS": "a=b"}


@pytest.mark.parametrize(("option", "name"), [("python", "--python"), ("commits", "--git")])
def test_interpreters_and_commits_vary(option: str, name: str) -> None:
    found = found_of([A], given(**{option: ("one", "two")}))
    assert len({t.python for t in found}) == 2
    assert "one" in found[0].label
    assert name


def test_two_things_that_vary_are_refused() -> None:
    with pytest.raises(KneeError, match="--python and --with vary at the same time"):
        treatments([A], given(python=("3.13", "3.13t"), packages=("pillow==1", "pillow==2")))


@pytest.mark.parametrize(
    "option",
    [{"python": ("3.13",)}, {"packages": ("numpy",)}, {"commits": ("main",)}, {"loader": "script"}],
)
def test_commands_take_no_interpreter_packages_commits_or_loader(option: dict[str, Any]) -> None:
    with pytest.raises(KneeError, match="is for Python workloads"):
        treatments([COMMAND], given(**option))


def test_commands_vary_by_their_environment() -> None:
    found = found_of([COMMAND], given(variables=(("M", "1"), ("M", "8"))))
    assert [dict(t.env) for t in found] == [{"M": "1"}, {"M": "8"}]
    assert {t.python for t in found} == {""}


def test_nothing_repeated_is_one_treatment() -> None:
    assert len(found_of([A], given())) == 1
