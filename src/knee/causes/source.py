"""Reading the workload's source for the line where a name gets its object."""

from __future__ import annotations

import ast
from functools import lru_cache

from knee.plan.workload import Workload


@lru_cache(maxsize=8)
def _tree(file: str) -> ast.Module | None:
    try:
        with open(file, encoding="utf-8") as source:
            return ast.parse(source.read())
    except (OSError, SyntaxError, ValueError):
        return None


def defined(workload: Workload, owner: str, name: str = "") -> tuple[str, int] | None:
    """Where a name of the workload's module is bound, or, for ``state``, where ``setup`` makes the states.

    Returns:
        file and line, or None if the source does not show it.
    """
    if workload.form != "callable":
        return None
    tree = _tree(workload.file)
    if tree is None:
        return None
    if owner == "state":
        line = _returned(tree, workload.name)
        return None if line is None else (workload.file, line)
    line = _bound(tree, owner)
    return None if line is None else (workload.file, line)


def _bound(tree: ast.Module, name: str) -> int | None:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(
                isinstance(part, ast.Name) and part.id == name
                for target in targets
                for part in ast.walk(target)
            ):
                return node.lineno
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if node.name == name:
                return node.lineno
        elif isinstance(node, (ast.Import, ast.ImportFrom)) and any(
            (alias.asname or alias.name.split(".")[0]) == name for alias in node.names
        ):
            return node.lineno
    return None


def _returned(tree: ast.Module, name: str) -> int | None:
    """The line on which the workload's ``setup`` returns its states."""
    body: list[ast.stmt] = tree.body
    for part in name.split("."):
        for node in body:
            if isinstance(node, ast.ClassDef) and node.name == part:
                body = node.body
    for scope in (body, tree.body):
        for node in scope:
            if isinstance(node, ast.FunctionDef) and node.name == "setup":
                returns = [inner for inner in ast.walk(node) if isinstance(inner, ast.Return)]
                return returns[-1].lineno if returns else node.lineno
    return None


def text(file: str, line: int) -> str:
    """A line of source, stripped; empty if it cannot be read."""
    try:
        with open(file, encoding="utf-8") as source:
            lines = source.read().splitlines()
    except (OSError, ValueError):
        return ""
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""


def calls(file: str, name: str) -> tuple[str, int] | None:
    """The first call of a function or method of that name in a file."""
    tree = _tree(file) if file else None
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call):
            called = (
                node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
            )
            if called == name:
                return file, node.lineno
    return None
