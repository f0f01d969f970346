"""The library as built, and scripts run with it in other interpreters."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import knee.native
from knee.native import Native

SOURCES = Path(__file__).parents[2] / "src"

RunScript = Callable[..., str]


@pytest.fixture(scope="session")
def library() -> str:
    path = knee.native.library_path()
    if path is None:
        pytest.fail("the native library is not built: scripts/build")
    return path


@pytest.fixture(scope="session")
def native(library: str) -> Native:
    return knee.native.load(library)


@pytest.fixture
def run(library: str) -> RunScript:
    """Run a script in a fresh process: ``run(text, python=..., **environment)`` returns its standard output."""

    def run_script(text: str, python: str = sys.executable, **environment: str) -> str:
        done = subprocess.run(
            [python, "-c", text],
            env={**os.environ, "PYTHONPATH": str(SOURCES), "KNEE_NATIVE": library, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run_script


@pytest.fixture
def free_threaded() -> str:
    """A free-threaded CPython on this machine; skips when there is none."""
    cached = Path.home() / ".cache/knee/interpreters"
    for path in sorted(cached.glob("*t/bin/python3*t")):
        return str(path)
    pytest.skip("no free-threaded CPython in ~/.cache/knee/interpreters")
