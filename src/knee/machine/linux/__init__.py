"""Linux: sysfs, procfs and control groups, below any root folder.

Run on hardware: a 2-vCPU x86-64 virtual machine. Everything else was tested on trees written from published
listings (``tests/machine/fixtures``).
"""

from __future__ import annotations

from pathlib import Path

from knee.machine.limits import Limits
from knee.machine.linux import bounds, cpus
from knee.machine.linux.tree import Tree
from knee.machine.topology import Topology


def read(root: Path | str | Tree = "/") -> tuple[Topology, Limits]:
    """The machine whose files lie below ``root``, and what this process may use of it."""
    tree = root if isinstance(root, Tree) else Tree(root)
    topology = cpus.topology(tree)
    return topology, bounds.limits(tree, topology)
