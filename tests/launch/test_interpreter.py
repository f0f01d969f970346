"""Interpreters are found by what people write, and described by themselves."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.errors import KneeError
from knee.launch import interpreter
from knee.launch.interpreter import Interpreter, ask, find

ANSWER = {
    "executable": "",
    "version": "3.13.5",
    "release": "final",
    "implementation": "cpython",
    "free_threaded": True,
    "gil_enabled": False,
    "debug": False,
    "optimised": True,
    "abi": "cpython-313t-x86_64-linux-gnu",
    "build": "3.13.5 experimental free-threading build",
}


def script(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def python(path: Path, **changes: object) -> Path:
    """A fake interpreter that describes itself as asked."""
    answer = json.dumps({**ANSWER, **changes})
    return script(path, f"echo a site hook prints\necho 'knee-interpreter:{answer}'")


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every place where Knee looks is empty."""
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setattr(interpreter, "cache", lambda: tmp_path / "cache" / "interpreters")
    monkeypatch.setattr(interpreter, "find_uv", lambda: None)
    return tmp_path


def test_default_is_the_python_that_runs_knee() -> None:
    found = find()
    assert found.path == sys.executable
    assert found.version == ".".join(map(str, sys.version_info[:3]))
    assert found.implementation == sys.implementation.name
    assert found.build == sys.version


def test_to_json_survives_a_round_trip() -> None:
    found = find()
    assert Interpreter(**json.loads(json.dumps(found.to_json()))) == found


@pytest.mark.parametrize(
    ("changes", "label"),
    [
        ({}, "3.13.5t"),
        ({"free_threaded": False}, "3.13.5"),
        ({"debug": True}, "3.13.5td"),
        ({"release": "alpha", "version": "3.15.0"}, "3.15.0-alphat"),
        ({"implementation": "pypy", "free_threaded": False, "version": "3.10.14"}, "pypy 3.10.14"),
    ],
)
def test_label_tells_builds_apart(tmp_path: Path, changes: dict[str, object], label: str) -> None:
    assert ask(python(tmp_path / "python", **changes)).label == label


def test_order_is_path_then_knees_then_uvs_then_pyenvs(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path = python(places / "path" / "python3.13t")
    built = python(places / "cache" / "interpreters" / "cpython-3.13t" / "bin" / "python3.13t")
    managed = python(places / "uv" / "python3.13t")
    uv = script(places / "bin" / "uv", f"echo {managed}")
    monkeypatch.setattr(interpreter, "find_uv", lambda: str(uv))
    pyenv = python(places / "pyenv" / "versions" / "3.13.5t" / "bin" / "python")
    seen = []
    for path in (on_path, built, managed, pyenv):
        found = find("3.13t")
        assert found.path == str(path)
        seen.append(found.found)
        path.unlink()
    assert seen == ["on PATH", "built by scripts/freethreaded", "installed by uv", "installed by pyenv"]


@pytest.mark.parametrize("text", ["3.13t", "python3.13t", "cpython-3.13t", "3.13.5t"])
def test_versions_as_people_write_them(places: Path, text: str) -> None:
    python(places / "path" / "python3.13t")
    assert find(text).version == "3.13.5"


def test_a_version_without_t_never_finds_a_free_threaded_build(places: Path) -> None:
    python(places / "path" / "python3.13")
    with pytest.raises(KneeError, match=r"^no Python 3\.13: looked on PATH"):
        find("3.13")


def test_a_patch_version_is_exact(places: Path) -> None:
    python(places / "path" / "python3.13t")
    with pytest.raises(KneeError, match=r"no Python 3\.13\.50t"):
        find("3.13.50t")


def test_one_digit_is_no_prefix_of_another(places: Path) -> None:
    """3.1 must not find 3.13."""
    python(places / "path" / "python3", free_threaded=False)
    with pytest.raises(KneeError):
        find("4.1")
    assert find("3").version == "3.13.5"


def test_a_broken_candidate_is_passed_over_and_told(places: Path) -> None:
    """A pyenv shim for a version that is not the selected one exits with 127."""
    script(places / "path" / "python3.13t", "echo 'shim: command not found' >&2; exit 127")
    with pytest.raises(KneeError, match=r"passed over: .*shim: command not found"):
        find("3.13t")
    good = python(places / "cache" / "interpreters" / "cpython-3.13t" / "bin" / "python3.13t")
    assert find("3.13t").path == str(good)


def test_missing_free_threaded_build_says_how_to_get_one(places: Path) -> None:
    with pytest.raises(KneeError) as caught:
        find("3.14t")
    assert "scripts/freethreaded" in caught.value.advice
    assert "uv python install 3.14t" in caught.value.advice
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("text", ["3.8", "2.7", "python3.6"])
def test_versions_that_are_too_old_are_refused_unseen(places: Path, text: str) -> None:
    with pytest.raises(KneeError, match="older"):
        find(text)


def test_an_interpreter_that_is_too_old_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KneeError, match=r"is Python 3\.8\.18"):
        ask(python(tmp_path / "python", version="3.8.18"))


def test_a_wrapper_gives_way_to_what_it_starts(tmp_path: Path) -> None:
    assert ask(python(tmp_path / "shim", executable="/opt/real/python3.13t")).path == "/opt/real/python3.13t"


def test_a_folder_is_a_virtual_environment(tmp_path: Path) -> None:
    inside = python(tmp_path / "env" / "bin" / "python")
    assert find(str(tmp_path / "env")).path == str(inside)
    with pytest.raises(KneeError, match="no bin/python"):
        find(str(tmp_path))


@pytest.mark.parametrize("text", ["./nothing", "nonsense", "3.13.5.1"])
def test_no_such_interpreter(places: Path, text: str) -> None:
    with pytest.raises(KneeError, match="there is no interpreter"):
        find(text)


def test_a_program_that_is_no_python(tmp_path: Path) -> None:
    with pytest.raises(KneeError, match="is no Python that Knee can use: what is -I"):
        ask(script(tmp_path / "prog", "echo what is -I >&2; exit 1"))


def test_a_file_that_cannot_be_started(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")
    with pytest.raises(KneeError, match="cannot be started"):
        ask(tmp_path / "text")


def test_an_interpreter_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "_TIMEOUT", 0.2)
    with pytest.raises(KneeError, match="did not answer"):
        ask(script(tmp_path / "python", "exec sleep 20"))


@given(st.text(max_size=12).filter(lambda text: "\0" not in text))
def test_any_text_gives_an_interpreter_or_one_clear_line(text: str) -> None:
    """Parsing never fails otherwise; the search itself is left out here."""
    request = interpreter._Request.parse(text)
    if request is not None:
        assert all(isinstance(number, int) for number in request.numbers)
        assert text.rstrip("\n").endswith("t") == request.free_threaded


@pytest.mark.real
@pytest.mark.skipif(
    not (interpreter.cache() / "cpython-3.13t").is_dir(), reason="scripts/freethreaded was not run here"
)
def test_the_free_threaded_build_runs_without_the_gil() -> None:
    found = find(os.fspath(interpreter.cache() / "cpython-3.13t" / "bin" / "python3.13t"))
    assert found.free_threaded
    assert not found.gil_enabled
    assert "313t" in found.abi
