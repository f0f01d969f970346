"""C helpers of the planted workloads: compiled at first use into the user's cache, by content.

The same source with the same flags and compiler is compiled once; processes that race for it each compile to a
file of their own and rename it, so that nobody loads half a library.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.machinery
import importlib.util
import os
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import types
from pathlib import Path

FLAGS = ("-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-pthread")
SHARED = ("-fPIC", "-shared")


class CompilerError(Exception):
    """There is no C compiler, or it refused the source; the text says which."""


def library(source: str, *flags: str) -> ctypes.CDLL:
    """Compile ``source`` as a shared library and open it; calls through it run without the GIL.

    Raises:
        CompilerError: no compiler, or one that fails.
    """
    return ctypes.CDLL(str(_built("library.so", source, (*SHARED, *flags))))


def program(source: str, *flags: str) -> Path:
    """Compile ``source`` as a program; returns its path.

    Raises:
        CompilerError: no compiler, or one that fails.
    """
    return _built("program", source, flags)


def extension(name: str, source: str, *flags: str) -> types.ModuleType:
    """Compile ``source`` as the extension module ``name`` for this interpreter and import it.

    Raises:
        CompilerError: no compiler, no ``Python.h``, or a compiler that fails.
    """
    include = sysconfig.get_path("include")
    if not Path(include, "Python.h").is_file():
        raise CompilerError(f"{sys.executable} has no Python.h in {include}: install its development files")
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    path = str(_built(f"{name}{suffix}", source, (*SHARED, f"-I{include}", *flags)))
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def _built(name: str, source: str, flags: tuple[str, ...]) -> Path:
    command = [*shlex.split(os.environ.get("CC", "gcc")), *FLAGS]
    content = hashlib.sha256("\0".join([name, source, *command, *flags]).encode()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "knee" / "planted" / content
    target = cache / name
    if target.is_file():
        return target
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        written, made = Path(folder) / "source.c", Path(folder) / name
        written.write_text(source, encoding="utf-8")
        command += [str(written), "-o", str(made), *flags]  # libraries (-l) must follow the source
        try:
            subprocess.run(command, check=True, capture_output=True, text=True)
        except FileNotFoundError:
            raise CompilerError(
                f"there is no C compiler '{command[0]}': install gcc, or name one in the environment variable CC"
            ) from None
        except subprocess.CalledProcessError as error:
            raise CompilerError(f"{shlex.join(command)} failed:\n{error.stderr}") from None
        os.replace(made, target)
    return target
