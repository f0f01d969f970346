"""The entry: help is quick and complete, errors are two lines, exit codes are kept to."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from knee import cli
from knee.errors import KneeError
from tests.cli.conftest import Knee

ROOT = Path(__file__).parents[2]
HEAVY = ("numpy", "scipy", "rich", "matplotlib", "sqlite3", "psutil", "importlib.metadata")


def python(*arguments: str, **given: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, text=True, capture_output=True, check=False, **given
    )  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help_names_every_verb_with_its_line(knee: Knee, arguments: tuple[str, ...]) -> None:
    ended = knee(*arguments)
    assert ended.code == 0
    for verb, line in cli.VERBS.items():
        assert verb in ended.out
        assert line.split()[0] in ended.out


def test_help_imports_nothing_heavy() -> None:
    code = f"import sys; from knee.cli import main; main(['--help']); print([m for m in {HEAVY} if m in sys.modules])"
    assert python("-c", code).stdout.endswith("[]\n")


@pytest.mark.parametrize("verb", cli.VERBS)
def test_every_verb_can_be_loaded_and_explains_itself(knee: Knee, verb: str) -> None:
    ended = knee(verb, "--help")
    assert ended.code == 0
    assert f"Usage: knee {verb}" in ended.out


def test_the_version_is_told(knee: Knee) -> None:
    ended = knee("--version")
    assert ended.code == 0
    assert ended.out.startswith("knee ")


def test_the_package_runs_as_a_module() -> None:
    ended = python("-m", "knee", "--version")
    assert (ended.returncode, ended.stderr) == (0, "")


def run(action: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> int:
    """Call ``knee list`` with its work replaced."""

    @click.command
    def command() -> object:
        return action()

    monkeypatch.setattr("knee.cli.list.command", command)
    return cli.main(["list"])


def raises(error: BaseException) -> Callable[[], object]:
    def action() -> object:
        raise error

    return action


@pytest.mark.parametrize(("advice", "lines"), [("do that", "knee: no\n  do that\n"), ("", "knee: no\n")])
@pytest.mark.parametrize("code", [1, 2])
def test_what_the_user_can_mend_is_one_line_and_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], advice: str, lines: str, code: int
) -> None:
    assert run(raises(KneeError("no", advice, exit_code=code)), monkeypatch) == code
    assert capsys.readouterr() == ("", lines)


def test_an_interrupt_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(raises(KeyboardInterrupt()), monkeypatch) == 130
    assert capsys.readouterr().err.split("\n") == [
        "",
        "knee: interrupted",
        "",
    ]  # the first ends the line of ^C


@pytest.mark.parametrize(("returned", "code"), [(None, 0), (0, 0), (1, 1)])
def test_a_command_returns_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, returned: object, code: int
) -> None:
    assert run(lambda: returned, monkeypatch) == code


def test_a_mistake_in_knee_itself_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        run(lambda: 1 / 0, monkeypatch)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("nope",), "knee: no such command 'nope'"),
        (("run", "--nope"), "knee: no such option"),
        (("list", "extra"), "knee: got unexpected extra argument"),
        (
            ("run", "x.py:f", "--workers", "0"),
            "knee: invalid value for '-w' / '--workers': 0 is not a worker count",
        ),
    ],
)
def test_a_slip_on_the_command_line_is_one_line_and_where_help_is(
    knee: Knee, arguments: tuple[str, ...], line: str
) -> None:
    ended = knee(*arguments)
    assert (ended.code, ended.out) == (2, "")
    first, second = ended.err.splitlines()
    assert first.startswith(line)
    assert "--help shows what there is" in second


def test_a_reader_that_leaves_early_is_no_error() -> None:
    code = (
        "import sys, os; from knee.cli import main\n"
        "read, write = os.pipe(); os.close(read); os.dup2(write, 1)\n"
        "sys.exit(main(['schema', 'run']))"
    )
    ended = python("-c", code)
    assert (ended.returncode, ended.stderr) == (1, "")


def test_a_path_that_the_system_refuses_is_one_line(knee: Knee) -> None:
    for arguments in (("run", "a" * 5000), ("run", "1 + 1", "--json", "b" * 5000)):
        ended = knee(*arguments)
        assert (ended.code, ended.out, len(ended.err.splitlines())) == (2, "", 2)
        assert "ile name too long" in ended.err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has a device that is always full")
@pytest.mark.parametrize("arguments", [["schema", "run"], ["run", "--help"], ["machine"]])
def test_output_that_has_no_room_is_one_line(arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "knee", *arguments],
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[0].startswith("knee: standard output cannot be written: No space left")


def test_a_closed_output_is_no_error(tmp_path: Path) -> None:
    code = (
        "import os, sys; os.close(1); os.close(2); sys.stdout = sys.stderr = None\n"
        "from knee.cli import main; sys.exit(main(['list', '--store', 'nowhere.db']))"
    )
    assert python("-c", code, cwd=tmp_path).returncode == 2
    assert not (tmp_path / "nowhere.db").exists()
    code = code.replace("'list', '--store', 'nowhere.db'", "'machine'")
    assert python("-c", code, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("arguments", [["list"], ["show", "1"], ["run", "1 + 1"]])
def test_a_current_folder_that_is_gone_is_one_line(tmp_path: Path, arguments: list[str]) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    code = f"import os, sys; os.rmdir({str(gone)!r})\nfrom knee.cli import main; sys.exit(main({arguments}))"
    ended = python("-c", code, cwd=gone)
    assert (ended.returncode, ended.stderr) == (
        2,
        "knee: the current folder has been deleted\n  cd to one that exists\n",
    )
