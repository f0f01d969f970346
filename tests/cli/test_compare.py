"""What ``knee compare`` and ``knee check`` refuse, in one line each, before anything is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from knee.cli import main
from knee.cli.check import efficiency
from knee.errors import KneeError


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "bench.py"
    path.write_text("def a(): return 1\ndef b(): return 2\ndef c(): return 1\n")
    return path


@pytest.mark.usefixtures("bench")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["compare"], "nothing to compare"),
        (["compare", "bench.py:a"], "one treatment is no comparison"),
        (["compare", "bench.py:a", "nowhere.py:b"], "there is no file nowhere.py"),
        (["compare", "bench.py:a", "--", "./x {workers}"], "targets and commands do not mix"),
        (["compare", "--", "./x {workers}", "./y"], "has no {workers} in it"),
        (["compare", "--", "'./x {workers}"], "cannot be split"),
        (["compare", "bench.py:a", "bench.py:b", "--only", "z"], "'z' names none of the treatments"),
        (["compare", "bench.py:a", "bench.py:b", "--margin", "200%"], "is not a share"),
        (["compare", "bench.py:a", "bench.py:b", "--python", "9.9"], "9.9"),
        (["check", "bench.py:a"], "nothing to check"),
        (["check", "bench.py:a", "--min-efficiency", "often"], "is not an efficiency"),
        (["check", "bench.py:a", "--against", "12"], "there is no store"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_code_2(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert "Traceback" not in error
    assert len(error.strip().splitlines()) <= 2


@pytest.mark.real
@pytest.mark.usefixtures("bench")
def test_treatments_with_other_results_are_refused_unless_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    quick = ["--workers", "1", "--launches", "2", "--min-time", "1ms"]
    assert main(["compare", "bench.py:a", "bench.py:b", *quick]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert "bench.py:b returned 2 and bench.py:a 1 (--outputs-differ allows it)" in told
    assert main(["compare", "bench.py:a", "bench.py:b", "--outputs-differ", *quick]) == 0


@pytest.mark.real
@pytest.mark.usefixtures("bench")
def test_a_comparison_is_stored_and_shown_again(capsys: pytest.CaptureFixture[str]) -> None:
    quick = ["--workers", "1,2", "--launches", "3", "--min-time", "1ms"]
    assert main(["compare", "bench.py:a", "bench.py:c", *quick]) == 0
    first = capsys.readouterr().out
    assert "bench.py:c against bench.py:a" in first
    assert main(["show"]) == 0
    assert "bench.py:c against bench.py:a" in capsys.readouterr().out
    assert main(["show", "--format", "markdown"]) == 0
    assert "`bench.py:c` against `bench.py:a`" in capsys.readouterr().out
    assert main(["show", "--format", "csv"]) == 2
    assert "csv is for ladders" in capsys.readouterr().err


@pytest.mark.parametrize(("text", "found"), [("0.7@4", (0.7, 4)), ("70%@16", (0.7, 16))])
def test_an_efficiency_names_its_count(text: str, found: tuple[float, int]) -> None:
    assert efficiency(text) == pytest.approx(found)


@pytest.mark.parametrize("text", ["", "0.7", "@4", "2@4", "0.7@0", "x@4", "0.7@4@5"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(KneeError):
        efficiency(text)
