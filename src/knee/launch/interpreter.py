"""Which Python runs the workload: found by name, described by itself."""

from __future__ import annotations

import glob
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import platformdirs

from knee.errors import KneeError

OLDEST = (3, 9)
"""The oldest CPython in which the agent runs."""

_TIMEOUT = 30.0
_MARK = "knee-interpreter:"  # a site hook may print; the answer is the line that starts so
_QUESTION = f"""
import json, sys, sysconfig
print({_MARK!r} + json.dumps({{
    "executable": sys.executable,
    "version": ".".join(map(str, sys.version_info[:3])),
    "release": sys.version_info[3],
    "implementation": sys.implementation.name,
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "gil_enabled": getattr(sys, "_is_gil_enabled", lambda: True)(),
    "debug": hasattr(sys, "gettotalrefcount"),
    "optimised": "--enable-optimizations" in (sysconfig.get_config_var("CONFIG_ARGS") or ""),
    "abi": sysconfig.get_config_var("SOABI") or "",
    "build": sys.version,
}}))
"""


@dataclass(frozen=True)
class Interpreter:
    """One Python, as it describes itself.

    Attributes:
        path: absolute path, symbolic links kept (a virtual environment is one).
        version: ``3.13.5``; a pre-release carries its level, ``3.15.0-alpha``.
        implementation: ``cpython``, ``pypy``, ...
        free_threaded: built with ``--disable-gil``.
        gil_enabled: whether the GIL is on right after the start, with no environment variable set.
        debug: a build that counts all references (``--with-pydebug``); its timings say little.
        optimised: built with profile-guided optimisation, as releases are.
        abi: the tag of its extension modules, ``cpython-313t-x86_64-linux-gnu``.
        build: the whole of ``sys.version``: compiler, date and flags.
        found: how Knee came to it, for people.
    """

    path: str
    version: str
    implementation: str
    free_threaded: bool
    gil_enabled: bool
    debug: bool
    optimised: bool
    abi: str
    build: str
    found: str

    @property
    def label(self) -> str:
        """The short name that tables use: ``3.13.5t``, ``pypy 3.10.14``, ``3.13.5td``."""
        flags = ("t" if self.free_threaded else "") + ("d" if self.debug else "")
        prefix = "" if self.implementation == "cpython" else f"{self.implementation} "
        return f"{prefix}{self.version}{flags}"

    def to_json(self) -> dict[str, Any]:
        """Return all fields, for the fingerprint of a run."""
        return asdict(self)


@dataclass(frozen=True)
class _Request:
    """A version as people write it: ``3.13``, ``3.13t``, ``python3.13.5``, ``cpython-3.13t``."""

    version: str
    free_threaded: bool

    _PATTERN = re.compile(r"^(?:c?python-?)?(?P<version>\d+(?:\.\d+){0,2})(?P<flag>t?)$")

    @classmethod
    def parse(cls, text: str) -> _Request | None:
        match = cls._PATTERN.match(text)
        return None if match is None else cls(match["version"], match["flag"] == "t")

    def __str__(self) -> str:
        return f"Python {self.version}{'t' if self.free_threaded else ''}"

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(int(part) for part in self.version.split("."))

    @property
    def names(self) -> tuple[str, ...]:
        """The commands that carry the version, likeliest first."""
        short = ".".join(self.version.split(".")[:2])
        return (f"python{short}t", f"python{short}") if self.free_threaded else (f"python{short}",)

    def accepts(self, interpreter: Interpreter) -> bool:
        found = interpreter.version.partition("-")[0].split(".")
        wanted = self.version.split(".")
        return found[: len(wanted)] == wanted and interpreter.free_threaded == self.free_threaded


def cache() -> Path:
    """Return the folder of the interpreters that ``scripts/freethreaded`` builds."""
    return Path(platformdirs.user_cache_dir("knee", appauthor=False)) / "interpreters"


def find_uv() -> str | None:
    """Return the path of uv: the one installed with Knee, else the one on PATH, else None."""
    try:
        import uv

        return str(uv.find_uv_bin())
    except (ImportError, FileNotFoundError):
        return shutil.which("uv")


def ask(path: str | os.PathLike[str], found: str = "by path") -> Interpreter:
    """Start the interpreter once and let it describe itself.

    Args:
        path: an executable.
        found: how Knee came to it.

    Raises:
        KneeError: it does not start, does not answer, or is older than ``OLDEST``.
    """
    path = os.path.abspath(path)
    try:
        answer = subprocess.run(
            [path, "-I", "-c", _QUESTION],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=_TIMEOUT,
            check=False,
        )
    except OSError as error:
        raise KneeError(f"{path} cannot be started: {error.strerror}", "name a Python interpreter") from error
    except subprocess.TimeoutExpired as error:
        raise KneeError(
            f"{path} did not answer within {_TIMEOUT:.0f} s", f"try it by hand: {path} -I -c 'print(1)'"
        ) from error
    for line in answer.stdout.splitlines():
        if line.startswith(_MARK):
            return _described(path, json.loads(line[len(_MARK) :]), found)
    raise KneeError(
        f"{path} is no Python that Knee can use: {_complaint(answer.stderr or answer.stdout)}",
        f"try it by hand: {path} -I -c 'import sysconfig'",
    )


def find(text: str | None = None) -> Interpreter:
    """Find the interpreter that ``--python`` names.

    Args:
        text: a path (of an interpreter or of a virtual environment), a version (``3.13``, ``3.13t``,
            ``python3.13.5``), or the name of a command; None is the Python that runs Knee. A version
            without ``t`` never finds a free-threaded build.

    A version is looked for on PATH, among the interpreters that Knee built, among those that uv
    installed, among pyenv's, then behind the names ``python3`` and ``python``, and last where Knee itself
    runs; the first that fits and works is taken.

    Raises:
        KneeError: none fits; the text says where Knee looked and why it took none of those it saw.
    """
    if text is None:
        return ask(sys.executable, "the Python that runs Knee")
    if os.sep in text or Path(text).exists():
        return _at(Path(text).expanduser())
    request = _Request.parse(text)
    if request is None:
        command = shutil.which(text)
        if command is None:
            raise KneeError(
                f"there is no interpreter '{text}'",
                "name a path, a version (3.13, 3.13t) or a command on PATH",
            )
        return ask(command, "on PATH")
    if len(request.numbers) > 1 and request.numbers < OLDEST:
        raise KneeError(
            f"{request} is older than the workload's side of Knee can run in",
            f"take Python {OLDEST[0]}.{OLDEST[1]} or later",
        )
    refused: list[str] = []
    for path, found in _candidates(request):
        try:
            interpreter = ask(path, found)
        except KneeError as error:
            refused.append(error.text)
            continue
        if request.accepts(interpreter):
            return interpreter
    raise KneeError(
        f"no {request}: looked on PATH, in {cache()}, among uv's and pyenv's"
        + (f"; passed over: {'; '.join(refused)}" if refused else ""),
        _advice(request),
    )


def _described(path: str, answer: dict[str, Any], found: str) -> Interpreter:
    numbers = tuple(int(part) for part in answer["version"].split("."))
    if numbers < OLDEST:
        raise KneeError(
            f"{path} is Python {answer['version']}",
            f"the workload's side of Knee needs Python {OLDEST[0]}.{OLDEST[1]} or later",
        )
    release = answer.pop("release")
    if release != "final":
        answer["version"] += f"-{release}"
    # What a wrapper (a pyenv shim, a shell script) starts is what gets measured.
    executable = answer.pop("executable") or path
    return Interpreter(path=executable, found=found, **answer)


def _at(path: Path) -> Interpreter:
    if path.is_dir():
        for python in (path / "bin" / "python", path / "Scripts" / "python.exe"):
            if python.exists():
                return ask(python)
        raise KneeError(
            f"there is no bin/python in the folder {path}", "name a virtual environment or an interpreter"
        )
    if not path.exists():
        raise KneeError(
            f"there is no interpreter {path}", "check the path; it is taken from the current folder"
        )
    return ask(path)


def _candidates(request: _Request) -> Iterator[tuple[str, str]]:
    """Yield (path, how found), each executable once, likeliest first."""
    seen: set[str] = set()
    for path, found in _places(request):
        if path not in seen and os.access(path, os.X_OK) and not os.path.isdir(path):
            seen.add(path)
            yield path, found


def _places(request: _Request) -> Iterator[tuple[str, str]]:
    folders = os.get_exec_path()
    for name in request.names:
        yield from ((os.path.join(folder, name), "on PATH") for folder in folders)
    # glob.glob rather than Path.glob: a folder that may not be read holds nothing, and is no error.
    for built in sorted(glob.glob(str(cache() / "*" / "bin" / request.names[0]))):
        yield built, "built by scripts/freethreaded"
    managed = _managed(request)
    if managed:
        yield managed, "installed by uv"
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for installed in sorted(glob.glob(f"{pyenv}/versions/{request.version}*/bin/python"), reverse=True):
        yield installed, "installed by pyenv"
    for name in ("python3", "python"):  # any version: each has to be asked
        yield from ((os.path.join(folder, name), "on PATH") for folder in folders)
    yield sys.executable, "the Python that runs Knee"


def _managed(request: _Request) -> str | None:
    """Ask uv for one of its own interpreters; it downloads nothing."""
    uv = find_uv()
    if uv is None:
        return None
    version = request.version + ("t" if request.free_threaded else "")
    try:
        answer = subprocess.run(
            [uv, "python", "find", "--managed-python", "--no-python-downloads", "--no-project", version],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None


def _advice(request: _Request) -> str:
    version = request.version + ("t" if request.free_threaded else "")
    install = f"uv python install {version}"
    if request.free_threaded:
        return f"run scripts/freethreaded (it installs or builds one), or: {install}"
    return f"name its path, or: {install}"


def _complaint(output: str) -> str:
    """The telling line of a program that gave up: the last one of a traceback, else the first."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if not lines:
        return "it says nothing"
    line = lines[-1] if lines[0].startswith("Traceback") else lines[0]
    return line if len(line) <= 100 else line[:97] + "..."
