"""scripts/freethreaded answers with one path on stdout, or says on stderr what is in the way."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "freethreaded"
GOOD = "exit 0"  # a free-threaded CPython with ctypes: the script's question is answered with yes
BAD = "exit 1"


def program(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """The script in a project of its own, whose uv offers nothing."""
    copy = tmp_path / "project" / "scripts" / "freethreaded"
    copy.parent.mkdir(parents=True)
    copy.write_text(SCRIPT.read_text())
    copy.chmod(0o755)
    program(tmp_path / "project" / ".venv" / "bin" / "uv", BAD)
    return copy


def run(script: Path, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    system = {"PATH": f"{home / 'path'}:/usr/bin:/bin", "HOME": str(home)}
    return subprocess.run(
        [script, *words], env=system, capture_output=True, text=True, check=False, timeout=60
    )


def test_one_on_path_is_taken(script: Path, tmp_path: Path) -> None:
    wanted = program(tmp_path / "path" / "python3.13t", GOOD)
    answer = run(script, tmp_path)
    assert answer.stdout == f"{wanted}\n"
    assert "on PATH" in answer.stderr


def test_one_that_does_not_work_is_passed_over(script: Path, tmp_path: Path) -> None:
    program(tmp_path / "path" / "python3.13t", BAD)
    built = program(tmp_path / ".cache/knee/interpreters/cpython-3.13t/bin/python3.13t", GOOD)
    assert run(script, tmp_path).stdout == f"{built}\n"


def test_uvs_own_is_taken(script: Path, tmp_path: Path) -> None:
    managed = program(tmp_path / "managed" / "python3.14t", GOOD)
    program(script.parents[1] / ".venv" / "bin" / "uv", f"echo {managed}")
    assert run(script, tmp_path).stdout == f"{managed}\n"


def test_one_that_uv_can_install_is_taken(script: Path, tmp_path: Path) -> None:
    managed = program(tmp_path / "managed" / "python3.14t", GOOD)
    done = tmp_path / "installed"
    program(
        script.parents[1] / ".venv" / "bin" / "uv",
        f'[ "$2" = install ] && touch {done}; [ -e {done} ] && echo {managed}',
    )
    answer = run(script, tmp_path)
    assert answer.stdout == f"{managed}\n"
    assert "just installed" in answer.stderr


def test_a_source_that_cannot_be_had_is_told_and_leaves_nothing(script: Path, tmp_path: Path) -> None:
    program(script.parent / "debian", "echo the archive is away >&2; exit 100")
    for name in ("cc", "apt-get"):
        program(tmp_path / "path" / name, GOOD)
    answer = run(script, tmp_path)
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert "the archive is away" in answer.stderr
    assert "check that apt-get reaches its archive" in answer.stderr
    assert [path.name for path in (tmp_path / ".cache/knee/interpreters").iterdir()] == [".lock"]


def test_what_an_interrupted_build_left_is_no_interpreter(script: Path, tmp_path: Path) -> None:
    """The folder of a build is taken by no one, and the next build removes it."""
    half = program(tmp_path / ".cache/knee/interpreters/.build-abc/stage/bin/python3.13t", GOOD)
    program(script.parent / "debian", "exit 100")
    for name in ("cc", "apt-get"):
        program(tmp_path / "path" / name, GOOD)
    assert run(script, tmp_path).stdout == ""
    assert not half.exists()


def test_an_unknown_word_prints_what_the_script_does(script: Path, tmp_path: Path) -> None:
    answer = run(script, tmp_path, "--help")
    assert answer.returncode == 2
    assert "Finds a free-threaded CPython" in answer.stderr


@pytest.mark.parametrize("name", ["setup", "test", "demo", "build", "debian", "freethreaded"])
def test_scripts_parse_and_are_executable(name: str) -> None:
    path = SCRIPT.parent / name
    assert os.access(path, os.X_OK)
    subprocess.run(["bash", "-n", path], check=True)


def test_an_interrupted_build_leaves_nothing(script: Path, tmp_path: Path) -> None:
    program(script.parent / "debian", f'touch "$2/half"; touch {tmp_path}/started; exec sleep 60')
    for name in ("cc", "apt-get"):
        program(tmp_path / "path" / name, GOOD)
    system = {"PATH": f"{tmp_path / 'path'}:/usr/bin:/bin", "HOME": str(tmp_path)}
    process = subprocess.Popen(
        [script], env=system, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not (tmp_path / "started").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.terminate()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert "interrupted" in err
    assert [path.name for path in (tmp_path / ".cache/knee/interpreters").iterdir()] == [".lock"]
