"""Control groups of this process, versions 1 and 2, from its own group up to the root that it can see.

The path in ``/proc/self/cgroup`` counts from the root of the hierarchy, the mount in
``/proc/self/mountinfo`` may show a part of it only (its field 4 says which), and inside a cgroup namespace
both may start with ``/..`` (cgroups(7), cgroup_namespaces(7)).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from knee.machine.linux.tree import Tree


@dataclass(frozen=True)
class Mount:
    """A mounted hierarchy: its version, its controllers (version 1), the part it shows and where."""

    version: int
    controllers: frozenset[str]
    root: str
    point: str


def mounts(tree: Tree) -> list[Mount]:
    """Hierarchies listed in ``/proc/self/mountinfo`` (proc_pid_mountinfo(5))."""
    found = []
    for line in (tree.text("proc/self/mountinfo") or "").splitlines():
        before, dash, after = line.partition(" - ")
        fields, kind = before.split(" "), after.split(" ")
        if not dash or len(fields) < 6 or len(kind) < 3 or kind[0] not in ("cgroup", "cgroup2"):
            continue
        version = 2 if kind[0] == "cgroup2" else 1
        controllers = frozenset(kind[2].split(",")) if version == 1 else frozenset()
        found.append(Mount(version, controllers, _unescape(fields[3]), _unescape(fields[4])))
    return found


def folders(tree: Tree, controller: str) -> Iterator[tuple[int, str]]:
    """Version and folder of each visible group of this process under a controller, its own first."""
    paths: dict[str, str] = {}
    for line in (tree.text("proc/self/cgroup") or "").splitlines():
        parts = line.split(":", 2)
        if len(parts) == 3:
            for name in parts[1].split(",") if parts[1] else [""]:
                paths[name] = parts[2]
    for mount in mounts(tree):
        if mount.version == 1 and controller not in mount.controllers:
            continue
        path = paths.get(controller if mount.version == 1 else "")
        if path is None:
            continue
        inside = _below(path, mount.root)
        steps = [step for step in inside.split("/") if step]
        for depth in range(len(steps), -1, -1):
            yield mount.version, "/".join([mount.point.strip("/"), *steps[:depth]])


def _below(path: str, root: str) -> str:
    """``path`` relative to the part of the hierarchy that the mount shows; its top if it lies outside."""
    if ".." in path.split("/"):
        return ""
    if root == "/" or ".." in root.split("/"):
        return path
    return path.removeprefix(root) if path == root or path.startswith(f"{root}/") else ""


def _unescape(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)
