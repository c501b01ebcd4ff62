"""The imports between the rooms of the package: a room is a folder, at any depth; a file at the top is its own room."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "cera"

Edges = Mapping[str, frozenset[str]]


def modules() -> dict[str, Path]:
    """Returns the files of the package by the dotted names of their modules."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def room(path: Path) -> str:
    folder = path.parent.relative_to(PACKAGE).as_posix()
    if folder != ".":
        return folder
    return "cera" if path.stem == "__init__" else path.stem


def imported(path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """Yields the modules of the package that a file imports, also inside of functions and for the type checker only."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            below = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in known else node.module or "" for name in below]
        else:
            continue
        yield from (name for name in names if name in known)


@cache
def edges() -> Edges:
    """Returns the rooms that each room imports, without itself."""
    known = modules()
    found: dict[str, set[str]] = {}
    for path in known.values():
        others = {room(known[name]) for name in imported(path, known)} - {room(path)}
        found.setdefault(room(path), set()).update(others)
    return {name: frozenset(others) for name, others in found.items()}


def tangles(graph: Edges) -> list[list[str]]:
    """Returns the groups of rooms that import each other in a circle, each group sorted."""
    reach = {name: _reachable(graph, name) for name in graph}
    groups = {frozenset(other for other in reach[name] if name in reach[other]) for name in graph}
    return sorted(sorted(group) for group in groups if group)


def _reachable(graph: Edges, start: str) -> frozenset[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for name in graph.get(waiting.pop(), frozenset()) - found:
            found.add(name)
            waiting.append(name)
    return frozenset(found)
