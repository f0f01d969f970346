"""Output on terminals and in files whose encoding lacks some of Knee's characters."""

from __future__ import annotations

import codecs
import io
import os
import sys

_PLAIN = {
    "±": "+-",
    "→": "->",
    "…": "...",
    "─": "-",
    "│": "|",
    "µ": "u",
    "×": "x",
    "–": "-",
    "’": "'",
    "²": "^2",
}


def substitute(error: UnicodeError) -> tuple[str, int]:
    """Write what an encoding lacks in its own characters, or as ``?``: a result must not be lost to an encoding."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_PLAIN.get(character, "?") for character in missing), error.end


def use() -> None:
    """Let standard output and error take any text, and be there: a program may be started with them closed."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - as long as the process
    codecs.register_error("knee.plain", substitute)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and codecs.lookup(stream.encoding).name != "utf-8":
            stream.reconfigure(errors="knee.plain")
