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


def defined(workload: Workload, owner: str) -> tuple[str, int] | None:
    """Where a name of the workload's module is bound, or, for ``state``, where ``setup`` makes the states.

    Returns:
        file and line, or None if the source does not show it.
    """
    tree = _tree(workload.file) if workload.form == "callable" else None
    if tree is None:
        return None
    line = _returned(tree, workload.name) if owner == "state" else _bound(tree, owner)
    return None if line is None else (workload.file, line)


def used(workload: Workload, name: str) -> tuple[str, int] | None:
    """Where the workload uses a name of its module: at a ``with`` that takes it, else first in its operation.

    Returns:
        file and line, or None if no function uses it.
    """
    tree = _tree(workload.file) if workload.form == "callable" else None
    if tree is None:
        return None
    body = _body(tree, workload.name.rpartition(".")[0])
    last = workload.name.rpartition(".")[2]
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    functions.sort(key=lambda node: (node.name != last or node not in body, node.name.startswith("setup")))
    for function in functions:
        found = [
            (not taken, inner.lineno)
            for inner, taken in _loads(function)
            if isinstance(inner, ast.Name) and inner.id == name
        ]
        if found:
            return workload.file, min(found)[1]
    return None


def _loads(function: ast.AST) -> list[tuple[ast.AST, bool]]:
    """Nodes inside a function's body, each with whether a ``with`` takes it."""
    taken = {
        id(inner)
        for node in ast.walk(function)
        if isinstance(node, (ast.With, ast.AsyncWith))
        for item in node.items
        for inner in ast.walk(item.context_expr)
    }
    return [(node, id(node) in taken) for node in ast.walk(function)]


def _body(tree: ast.Module, holder: str) -> list[ast.stmt]:
    body = tree.body
    for part in filter(None, holder.split(".")):
        for node in body:
            if isinstance(node, ast.ClassDef) and node.name == part:
                body = node.body
    return body


def twin(workload: Workload) -> str:
    """The name of the workload's mended twin: ``fixed`` where the file has one, else a name to be written."""
    tree = _tree(workload.file) if workload.form == "callable" else None
    names = (
        {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        if tree
        else set()
    )
    return "fixed" if "fixed" in names else "mended"


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
    """The line of ``setup`` that makes what it returns: of the local name in it, else of the return itself."""
    for scope in (_body(tree, name), _body(tree, name.rpartition(".")[0]), tree.body):
        for node in scope:
            if isinstance(node, ast.FunctionDef) and node.name == "setup":
                returns = [inner for inner in ast.walk(node) if isinstance(inner, ast.Return)]
                if not returns:
                    return node.lineno
                names = {inner.id for inner in ast.walk(returns[-1]) if isinstance(inner, ast.Name)}
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Assign) and any(
                        isinstance(target, ast.Name) and target.id in names for target in inner.targets
                    ):
                        return inner.lineno
                return returns[-1].lineno
    return None


def text(file: str, line: int) -> str:
    """A line of source, stripped; empty if it cannot be read."""
    try:
        with open(file, encoding="utf-8") as source:
            lines = source.read().splitlines()
    except (OSError, ValueError):
        return ""
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""


def in_function(file: str, line: int) -> bool:
    """Whether a line belongs to the body of a function."""
    tree = _tree(file)
    return any(
        node.body[0].lineno <= line <= (node.end_lineno or node.lineno)
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    )


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


def name_of(place: tuple[str, int]) -> str:
    """``bench.py:14``."""
    return f"{place[0].rsplit('/', 1)[-1]}:{place[1]}"


def enclosing(file: str, line: int) -> range:
    """The lines of the innermost ``with`` around a line that makes an executor or a pool; empty if there is none."""
    tree = _tree(file)
    found = range(0)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, (ast.With, ast.AsyncWith)) and node.lineno <= line <= (
            node.end_lineno or node.lineno
        ):
            for item in node.items:
                called = item.context_expr.func if isinstance(item.context_expr, ast.Call) else None
                name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                if name.endswith(("Executor", "Pool")):
                    found = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return found
