"""Files by what is in them."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def digest(path: str | os.PathLike[str]) -> str | None:
    """SHA-256 of a file's bytes, in hexadecimal; None when it cannot be read."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None
