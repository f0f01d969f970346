"""The command line, called in this process, on fake launches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from knee import cli, session
from knee.launch import interpreter
from knee.plan.experiment import Experiment
from knee.plan.treatment import Treatment
from tests.launch.fake import Clock, FakeHost


@dataclass(frozen=True)
class Ended:
    """What a call of the command line left."""

    code: int
    out: str
    err: str


Knee = Callable[..., Ended]


@pytest.fixture
def knee(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Knee:
    """Call ``knee`` with arguments, in a folder of its own that is a project."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KNEE_STORE", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)
    (tmp_path / "pyproject.toml").touch()

    def call(*arguments: str) -> Ended:
        capfd.readouterr()
        code = cli.main(arguments)
        out, err = capfd.readouterr()
        return Ended(code, out, err)

    return call


@dataclass
class Lab:
    """What fake launches do: ``cost(treatment, kind, workers)`` seconds a call, and trouble."""

    cost: Callable[[int, str, int], float] = lambda *_: 0.001
    trouble: Callable[[tuple[object, ...]], None] = lambda _: None
    experiments: Sequence[Experiment] = ()


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch) -> Lab:
    """Launches that start nothing, of an interpreter that is not asked."""
    made = Lab()
    clock = Clock()

    def start(experiment: Experiment, _: Sequence[Treatment]) -> FakeHost:
        made.experiments = (*made.experiments, experiment)
        return FakeHost(clock, [], made.cost, made.trouble, 1e9)

    here = interpreter.Interpreter(
        "/fake/python", "3.13.5", "cpython", True, False, False, True, "", "", "faked"
    )
    monkeypatch.setattr(session, "start", start)
    monkeypatch.setattr(session, "ask", lambda path: here)
    monkeypatch.setattr(interpreter, "find", lambda text=None: here)
    return made


@pytest.fixture
def bench(tmp_path: Path) -> str:
    """A target that exists."""
    (tmp_path / "bench.py").write_text("def operation(): pass\n")
    return "bench.py:operation"
