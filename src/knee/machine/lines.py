"""The cache line: as the system states it, as Knee measured it, and as others assume it for the architecture.

The table is what libraries and compilers pad to (crossbeam-utils 0.8 ``CachePadded``, Go
``CacheLinePadSize``, GCC and Clang ``hardware_destructive_interference_size``, MSVC STL, folly, abseil,
Linux 6.12 ``L1_CACHE_BYTES``, JVM ``@Contended``), in bytes; None where the source has no value or sets it
by configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LIBRARIES = ("crossbeam", "Go", "GCC", "Clang", "MSVC", "folly", "abseil", "Linux", "JVM")

_TABLE: Mapping[str, tuple[int | None, ...]] = {
    "x86-64": (128, 64, 64, 64, 64, 128, 64, 64, 128),
    "x86-32": (64, 64, 64, 64, 64, 128, 64, 64, 128),
    "aarch64": (128, 128, 256, 256, 64, 128, 64, 64, 128),
    "Apple arm64": (128, 128, 256, 128, None, 128, 64, 64, 128),
    "powerpc64": (128, 128, 128, 128, None, 128, 128, 128, 128),
    "s390x": (256, 256, 256, 256, None, 64, 64, 256, 128),
    "arm32": (32, 32, 64, 64, 64, 64, 64, None, 128),
    "riscv64": (64, 64, 64, 64, None, 128, 64, 64, 128),
    "loongarch64": (64, 64, 64, 64, None, 128, 64, None, 128),
    "mips": (32, 32, None, None, None, 128, 64, None, 128),
}

_NAMES = {
    "x86_64": "x86-64",
    "amd64": "x86-64",
    "i386": "x86-32",
    "i686": "x86-32",
    "x86": "x86-32",
    "arm64": "aarch64",
    "ppc64": "powerpc64",
    "ppc64le": "powerpc64",
    "armv7l": "arm32",
    "armv6l": "arm32",
    "mips64": "mips",
}


@dataclass(frozen=True)
class Line:
    """Cache-line sizes in bytes.

    Attributes:
        stated: by the system; None if it does not say.
        measured: effective interference size by the line probe; None if it was not run or cannot tell.
        interval: the largest distance that interferes and the smallest that does not, where measured.
        assumed: what libraries pad to on this architecture, by library.
    """

    stated: int | None
    measured: int | None = None
    interval: tuple[int, int] | None = None
    assumed: Mapping[str, int | None] | None = None

    @property
    def padding(self) -> int:
        """What to pad to: the larger of measured and stated; the commonest assumption if neither is known."""
        known = [size for size in (self.measured, self.stated) if size]
        if known:
            return max(known)
        guesses = [size for size in (self.assumed or {}).values() if size]
        return max(set(guesses), key=lambda size: (guesses.count(size), size)) if guesses else 128

    def to_json(self) -> dict[str, Any]:
        """The ``line`` of the ``machine`` schema."""
        return {
            "stated": self.stated,
            "measured": self.measured,
            "interval": None if self.interval is None else list(self.interval),
            "assumed": None if self.assumed is None else dict(self.assumed),
            "padding": self.padding,
        }


def assumed(architecture: str, system: str = "") -> dict[str, int | None] | None:
    """What each library pads to on an architecture (as ``platform.machine()`` names it), if it is listed."""
    name = architecture.lower()
    key = "Apple arm64" if name == "arm64" and system.startswith("macOS") else _NAMES.get(name, name)
    sizes = _TABLE.get(key)
    return None if sizes is None else dict(zip(LIBRARIES, sizes, strict=True))
