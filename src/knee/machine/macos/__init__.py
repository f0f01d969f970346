"""macOS: the output of ``sysctl``, live or recorded. Tested on recorded outputs only, not run on a Mac."""

from __future__ import annotations

import subprocess
from pathlib import Path

from knee.machine.limits import Limits
from knee.machine.macos import cores
from knee.machine.topology import Topology

COMMAND = (
    "/usr/sbin/sysctl",
    "hw",
    "machdep.cpu",
    "kern.hv_vmm_present",
    "kern.osproductversion",
    "kern.osrelease",
)


def read(recorded: Path | str | None = None) -> tuple[Topology, Limits]:
    """This Mac, or the one whose ``sysctl`` output the file holds, and what a process may use of it."""
    try:
        if recorded is None:
            # sysctl fails for a name it does not know and still prints the others.
            text = subprocess.run(COMMAND, capture_output=True, text=True, timeout=5, check=False).stdout
            reason = "sysctl printed nothing"
        else:
            text = Path(recorded).read_text()
            reason = f"{recorded} is empty"
    except (OSError, UnicodeDecodeError, subprocess.SubprocessError) as error:
        text, reason = "", f"sysctl cannot be read: {error}"
    return cores.parse(text, reason)
