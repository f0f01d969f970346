"""Environments for ``--with``: made by uv, kept by content.

An environment is never changed once it is whole: its name is a hash of all that went into it (interpreter,
requirements, contents of local packages), and the file that says what is installed is written last.
Requirements that pin no version go by the day as well, so that "the newest" does not stay what it was.
"""

from __future__ import annotations

import datetime
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from knee.errors import KneeError
from knee.launch.interpreter import Interpreter, find_uv

_RECORD = "knee.json"
_UNREAD = {".git", ".hg", ".venv", "__pycache__", "build", "dist"}
_PINNED = re.compile(r"^[\w.-]+(\[[^\]]*\])?\s*===?\s*[\w.+!-]+\s*(;.*)?$")
_LOCAL = re.compile(r"^(?P<path>.*?)(?P<extras>\[[\w,.\s-]*\])?$")


@dataclass(frozen=True)
class Environment:
    """One interpreter with packages.

    Attributes:
        python: absolute path of its interpreter.
        packages: what is installed, as ``name==version``, sorted; a local package carries the hash of its
            contents. Empty where nothing was asked for: then the interpreter is used as it is.
    """

    python: str
    packages: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Part:
    """One thing to install: a requirement, or a local path with its extras."""

    text: str
    content: str
    path: Path | None = None
    extras: str = ""


def cache() -> Path:
    """Return the folder of the environments that Knee made; it may be deleted at any time."""
    return Path(platformdirs.user_cache_dir("knee", appauthor=False)) / "environments"


def environment(
    interpreter: Interpreter, packages: Sequence[str] = (), *, only_binary: bool | None = None
) -> Environment:
    """Return an environment with these packages, made now or earlier.

    Args:
        interpreter: whose Python it has.
        packages: requirements (``pillow==12.2.0``), and local folders (``.``, ``../pkg[test]``) or wheels.
        only_binary: refuse requirements that would have to be compiled. By default they are refused for
            free-threaded interpreters, where a package without a wheel is mostly one that is not
            ready. Local folders are built in any case.

    Raises:
        KneeError: uv is missing or cannot do it; the text carries uv's reason.
    """
    if not packages:
        return Environment(interpreter.path)
    uv = find_uv()
    if uv is None:
        raise KneeError(
            "uv is not there, and it makes the environments", "install it: python -m pip install uv"
        )
    if only_binary is None:
        only_binary = interpreter.free_threaded
    parts = [_part(package) for package in packages]
    key = _key(interpreter, parts, only_binary)
    with _locked(key) as folder:
        record = folder / _RECORD
        if not record.exists():
            shutil.rmtree(folder, ignore_errors=True)  # left by a maker that was interrupted
            try:
                record.write_text(
                    json.dumps({"packages": _make(uv, interpreter, folder, parts, only_binary)})
                )
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
        return Environment(str(_python(folder)), tuple(json.loads(record.read_text())["packages"]))


def _part(text: str) -> _Part:
    match = _LOCAL.match(text.strip())
    path = Path(match["path"]).expanduser() if match else Path(text)
    local = (
        text.strip().startswith((".", "/", "~")) or path.suffix == ".whl" or os.sep in text.partition("@")[0]
    )
    if not local:
        return _Part(text.strip(), " ".join(text.split()))
    if not path.exists():
        raise KneeError(f"there is no package at {path}", "name a folder with a pyproject.toml, or a wheel")
    extras = (match["extras"] or "") if match else ""
    return _Part(text, f"sha256:{_fingerprint(path)}{extras}", path.resolve(), extras)


def _fingerprint(path: Path) -> str:
    """Hash names and contents of a file, or of a folder's files but those that git ignores."""
    digest = hashlib.sha256()
    for file in [path] if path.is_file() else _files(path):
        digest.update(str(file.relative_to(path)).encode() + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _files(folder: Path) -> list[Path]:
    listed = subprocess.run(
        ["git", "-C", str(folder), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0:
        entries = {folder / os.fsdecode(name) for name in listed.stdout.split(b"\0") if name}
    else:
        entries = set(folder.iterdir())
    files: set[Path] = set()
    for entry in entries:
        if entry.is_dir():  # a submodule, or no repository at all
            files.update(
                Path(root, name)
                for root, folders, names in os.walk(entry)
                if not _UNREAD.intersection(Path(root).relative_to(folder).parts)
                for name in names
            )
        elif entry.is_file():
            files.add(entry)
    return sorted(files)


def _key(interpreter: Interpreter, parts: Sequence[_Part], only_binary: bool) -> str:
    pinned = all(part.path is not None or _PINNED.match(part.text) for part in parts)
    content = {
        "interpreter": [os.path.realpath(interpreter.path), interpreter.build, interpreter.abi],
        "parts": sorted(part.content for part in parts),
        "only_binary": only_binary,
        "day": None if pinned else datetime.date.today().isoformat(),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:24]


@contextmanager
def _locked(key: str) -> Iterator[Path]:
    """Hold the lock of one environment, so that of several makers the first makes and the others wait."""
    folder = cache() / key
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = open(folder.parent / f"{key}.lock", "a")  # noqa: SIM115 (closed below; the error is this line's)
    except OSError as error:
        raise KneeError(
            f"the environments' folder {folder.parent} cannot be written: {error.strerror}",
            "make it writable, or set XDG_CACHE_HOME to a folder that is",
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def _make(
    uv: str, interpreter: Interpreter, folder: Path, parts: Sequence[_Part], only_binary: bool
) -> list[str]:
    """Make the environment and return what is installed."""
    _uv(uv, "venv", "--quiet", "--no-project", "--python", interpreter.path, str(folder))
    local: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="knee-wheels-") as wheels:
        requirements = []
        for number, part in enumerate(parts):
            if part.path is None:
                requirements.append(part.text)
                continue
            wheel = part.path
            if wheel.is_dir():
                out = Path(wheels, str(number))
                _uv(
                    uv,
                    "build",
                    "--wheel",
                    "--python",
                    interpreter.path,
                    "--out-dir",
                    str(out),
                    str(part.path),
                )
                wheel = next(out.glob("*.whl"))
            name = wheel.name.partition("-")[0]
            local[_normal(name)] = part.content
            requirements.append(f"{name}{part.extras} @ {wheel.as_uri()}")
        binary = ["--only-binary", ":all:"] if only_binary else []
        _uv(uv, "pip", "install", "--python", str(_python(folder)), *binary, *requirements)
    listing = json.loads(_uv(uv, "pip", "list", "--format", "json", "--python", str(_python(folder))))
    return sorted(
        f"{package['name']}=={package['version']}"
        + (f" ({local[_normal(package['name'])]})" if _normal(package["name"]) in local else "")
        for package in listing
    )


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _python(folder: Path) -> Path:
    return folder / "bin" / "python"


def _uv(uv: str, *words: str) -> str:
    """Run uv and return what it prints.

    Raises:
        KneeError: it fails, with the reason out of what it wrote.
    """
    surroundings = {
        name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "UV_PYTHON")
    }
    surroundings |= {"NO_COLOR": "1", "UV_NO_WRAP": "1", "UV_PYTHON_DOWNLOADS": "never"}
    try:
        answer = subprocess.run(
            [uv, *words],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            env=surroundings,
            check=False,
        )
    except OSError as error:
        raise KneeError(
            f"uv cannot be started ({uv}): {error.strerror}", "install it: python -m pip install uv"
        ) from error
    if answer.returncode != 0:
        reason = complaint(answer.stderr) or f"exit code {answer.returncode}, without a word"
        raise KneeError(f"uv {words[0]} failed: {reason}", _advice(answer.stderr))
    return answer.stdout


def complaint(stderr: str) -> str:
    """Return uv's reason in one line: its deepest cause.

    uv writes a tree (``×`` what failed, ``├─▶`` why, ``╰─▶`` why that) or ``error:`` and ``cause:`` lines,
    amid progress, warnings and hints.
    """
    reasons: list[str] = []
    for line in stderr.splitlines():
        text = line.strip()
        start = re.match(r"^(?:×|├─▶|╰─▶|error:|cause:|Caused by:)\s*(.*)", text)
        if start:
            reasons.append(start[1])
        elif re.match(r"^(hint:|warning:|Using |Resolved |Prepared |Building )", text) or not text:
            if reasons and text:
                break
        elif reasons and text.strip("^"):
            reasons[-1] = f"{reasons[-1]} {text.lstrip('│ ')}".strip()
    if reasons:
        return " ".join(reasons[-1].split())
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _advice(stderr: str) -> str:
    low = stderr.lower()
    if "dns error" in low or "client error (connect)" in low or "error sending request" in low:
        return "the package index cannot be reached: check the network, or set UV_INDEX_URL or UV_OFFLINE"
    if (
        "no-build" in low
        or "only-binary" in low
        or "no usable wheels" in low
        or "building source distributions" in low
    ):
        return "there is no wheel for this interpreter: take another version, or build it and name the wheel"
    if "no solution found" in low or "not found in the package registry" in low:
        return "check the name and the version"
    return "try it by hand with uv to see all of its output"
