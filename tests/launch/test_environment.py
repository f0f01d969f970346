"""Environments are made once for the same content, and uv's failures are told in one line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from knee.errors import KneeError
from knee.launch import environment as module
from knee.launch.environment import Environment, complaint, environment
from knee.launch.interpreter import Interpreter, find, find_uv

TARGET = Interpreter(
    path=sys.executable,
    version="3.13.5",
    implementation="cpython",
    free_threaded=True,
    gil_enabled=False,
    debug=False,
    optimised=True,
    abi="cpython-313t",
    build="3.13.5 experimental free-threading build",
    found="made up",
)

# A uv that writes down how it was called, makes what uv would make and fails where it is told to.
FAKE_UV = r"""#!/bin/sh
echo "$@" >> "$KNEE_FAKE/calls"
[ -e "$KNEE_FAKE/fail-$1-$2" ] && { cat "$KNEE_FAKE/fail-$1-$2" >&2; exit 2; }
case "$1 $2" in
  "venv "*) for folder; do :; done; mkdir -p "$folder/bin"; touch "$folder/bin/python";;
  "pip list") echo '[{"name": "Pillow", "version": "12.2.0"}, {"name": "tiny", "version": "1.0"}]';;
  "build "*) mkdir -p "$6"; touch "$6/tiny-1.0-py3-none-any.whl";;
  "pip install") sleep "${KNEE_FAKE_SLOW:-0}";;
esac
"""


class FakeUv:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def calls(self) -> list[str]:
        log = self.folder / "calls"
        return log.read_text().splitlines() if log.exists() else []

    def fail(self, call: str, stderr: str) -> None:
        (self.folder / f"fail-{call.replace(' ', '-')}").write_text(stderr)


@pytest.fixture
def uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeUv]:
    program = tmp_path / "uv"
    program.write_text(FAKE_UV)
    program.chmod(0o755)
    monkeypatch.setenv("KNEE_FAKE", str(tmp_path))
    monkeypatch.setattr(module, "find_uv", lambda: str(program))
    monkeypatch.setattr(module, "cache", lambda: tmp_path / "environments")
    return FakeUv(tmp_path)


def test_without_packages_the_interpreter_itself_is_used(uv: FakeUv) -> None:
    assert environment(TARGET) == Environment(sys.executable)
    assert uv.calls == []


def test_installed_versions_are_told(uv: FakeUv) -> None:
    made = environment(TARGET, ["pillow==12.2.0"])
    assert made.packages == ("Pillow==12.2.0", "tiny==1.0")
    assert Path(made.python).exists()


def test_the_same_content_is_made_once(uv: FakeUv) -> None:
    first = environment(TARGET, ["pillow==12.2.0"])
    calls = len(uv.calls)
    assert environment(TARGET, ["pillow==12.2.0"]) == first
    assert len(uv.calls) == calls


@pytest.mark.parametrize(
    "other",
    [
        (TARGET, ["pillow==11.0.0"]),
        (TARGET, ["pillow==12.2.0", "numpy==2.4.6"]),
        (Interpreter(**{**TARGET.to_json(), "build": "another build"}), ["pillow==12.2.0"]),
    ],
)
def test_other_content_is_another_environment(uv: FakeUv, other: tuple[Interpreter, list[str]]) -> None:
    assert environment(*other).python != environment(TARGET, ["pillow==12.2.0"]).python


def test_the_order_of_packages_does_not_matter(uv: FakeUv) -> None:
    assert environment(TARGET, ["a==1", "b==1"]).python == environment(TARGET, ["b==1", "a==1"]).python


def test_unpinned_requirements_are_made_anew_on_another_day(
    uv: FakeUv, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Tomorrow(module.datetime.date):
        @classmethod
        def today(cls) -> Tomorrow:
            return cls(2999, 1, 1)

    today = environment(TARGET, ["pillow"]).python, environment(TARGET, ["pillow==12.2.0"]).python
    monkeypatch.setattr(module.datetime, "date", Tomorrow)
    tomorrow = environment(TARGET, ["pillow"]).python, environment(TARGET, ["pillow==12.2.0"]).python
    assert tomorrow[0] != today[0]
    assert tomorrow[1] == today[1]


@pytest.mark.parametrize(("free_threaded", "wheels_only"), [(True, True), (False, False)])
def test_free_threaded_interpreters_get_wheels_only(
    uv: FakeUv, free_threaded: bool, wheels_only: bool
) -> None:
    environment(Interpreter(**{**TARGET.to_json(), "free_threaded": free_threaded}), ["pillow==12.2.0"])
    install = next(call for call in uv.calls if call.startswith("pip install"))
    assert ("--only-binary :all:" in install) == wheels_only


def test_a_failed_environment_is_not_taken_for_a_whole_one(uv: FakeUv) -> None:
    uv.fail("pip install", "error: no space left on device\n")
    with pytest.raises(KneeError, match="no space left on device"):
        environment(TARGET, ["pillow==12.2.0"])
    (uv.folder / "fail-pip-install").unlink()
    assert environment(TARGET, ["pillow==12.2.0"]).packages


def test_an_environment_left_half_made_is_made_again(uv: FakeUv) -> None:
    """As after SIGKILL: the folder is there, the record is not."""
    made = environment(TARGET, ["pillow==12.2.0"])
    folder = Path(made.python).parents[1]
    (folder / "knee.json").unlink()
    (folder / "debris").touch()
    assert environment(TARGET, ["pillow==12.2.0"]) == made
    assert not (folder / "debris").exists()


def test_of_several_makers_one_makes(uv: FakeUv, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNEE_FAKE_SLOW", "0.3")
    made: list[Environment] = []
    makers = [
        threading.Thread(target=lambda: made.append(environment(TARGET, ["pillow==12.2.0"])))
        for _ in range(4)
    ]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert len(made) == 4
    assert len(set(made)) == 1
    assert sum(call.startswith("pip install") for call in uv.calls) == 1


def test_a_local_folder_goes_by_its_contents(uv: FakeUv, tmp_path: Path) -> None:
    package = tmp_path / "tiny"
    package.mkdir()
    (package / "pyproject.toml").write_text("[project]\nname = 'tiny'\n")
    first = environment(TARGET, [str(package)])
    assert environment(TARGET, [str(package)]) == first
    (package / "tiny.py").write_text("x = 1\n")
    second = environment(TARGET, [str(package)])
    assert second.python != first.python
    assert any(package.startswith("tiny==1.0 (sha256:") for package in first.packages)


def test_extras_of_a_local_folder_reach_uv(uv: FakeUv, tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    environment(TARGET, [f"{tmp_path}/tiny[test]"])
    install = next(call for call in uv.calls if call.startswith("pip install"))
    assert "tiny[test] @ file://" in install


def test_what_git_ignores_does_not_count(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("*.o\n")
    (tmp_path / "a.c").write_text("int x;")
    before = module._fingerprint(tmp_path)
    (tmp_path / "a.o").write_text("object")
    assert module._fingerprint(tmp_path) == before
    (tmp_path / "b.c").write_text("int y;")
    assert module._fingerprint(tmp_path) != before


def test_missing_uv_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_uv", lambda: None)
    with pytest.raises(KneeError, match="uv is not there") as caught:
        environment(TARGET, ["pillow==12.2.0"])
    assert "pip install uv" in caught.value.advice


def test_a_uv_that_does_not_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "cache", lambda: tmp_path)
    monkeypatch.setattr(module, "find_uv", lambda: str(tmp_path / "gone"))
    with pytest.raises(KneeError, match="uv cannot be started"):
        environment(TARGET, ["pillow==12.2.0"])


def test_a_missing_local_package(uv: FakeUv) -> None:
    with pytest.raises(KneeError, match="there is no package at nothing"):
        environment(TARGET, ["./nothing"])
    assert uv.calls == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_cache_that_cannot_be_written(uv: FakeUv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    monkeypatch.setattr(module, "cache", lambda: tmp_path / "closed" / "environments")
    with pytest.raises(KneeError, match="cannot be written"):
        environment(TARGET, ["pillow==12.2.0"])


def test_a_cache_that_is_a_file(uv: FakeUv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(module, "cache", lambda: tmp_path / "file" / "environments")
    with pytest.raises(KneeError, match="cannot be written"):
        environment(TARGET, ["pillow==12.2.0"])


UNSATISFIABLE = """Using Python 3.13.5 environment at: /tmp/x
  × No solution found when resolving dependencies:
  ╰─▶ Because there is no version of pillow==99 and you require pillow==99, we can
      conclude that your requirements are unsatisfiable.

hint: pillow was requested with a pre-release marker
"""
NO_NETWORK = """warning: something odd
error: Failed to fetch the index
  cause: Request failed after 3 retries in 7.8s
  cause: dns error
"""
PARSE = """error: Failed to parse: `pillow=!1`
  cause: no such comparison operator "=!"
pillow=!1
      ^^^
"""


@pytest.mark.parametrize(
    ("stderr", "line"),
    [
        (
            UNSATISFIABLE,
            "Because there is no version of pillow==99 and you require pillow==99, we can conclude that your "
            "requirements are unsatisfiable.",
        ),
        (NO_NETWORK, "dns error"),
        (PARSE, 'no such comparison operator "=!" pillow=!1'),
        ("Killed\n", "Killed"),
        ("", ""),
    ],
)
def test_the_reason_is_uvs_deepest_cause(stderr: str, line: str) -> None:
    assert complaint(stderr) == line


@pytest.mark.parametrize(
    ("stderr", "advice"),
    [
        (UNSATISFIABLE, "check the name and the version"),
        (NO_NETWORK, "cannot be reached"),
        (
            "  × No solution found:\n  ╰─▶ Because lief==1.0.0 has no usable wheels",
            "no wheel for this interpreter",
        ),
        ("", "by hand"),
    ],
)
def test_each_failure_has_its_advice(uv: FakeUv, stderr: str, advice: str) -> None:
    uv.fail("pip install", stderr)
    with pytest.raises(KneeError) as caught:
        environment(TARGET, ["pillow==12.2.0"])
    assert advice in caught.value.advice
    assert caught.value.exit_code == 2


@pytest.mark.real
@pytest.mark.skipif(find_uv() is None, reason="no uv here")
def test_a_real_environment_imports_a_local_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny: Path
) -> None:
    monkeypatch.setattr(module, "cache", lambda: tmp_path / "environments")
    made = environment(find(), [str(tiny)])
    answer = subprocess.run(
        [made.python, "-c", "import tiny; print(tiny.VALUE)"], capture_output=True, check=True
    )
    assert answer.stdout.strip() == b"1"
    assert [package.partition(" ")[0] for package in made.packages] == ["tiny==1.0"]
    shutil.rmtree(tmp_path / "environments")
