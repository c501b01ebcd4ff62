"""Where a file of the package looks at a text to find out which kind of source or sink it names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

#: Standard input or output, what stands before the URL of a database, the terminal, the ending of Parquet.
MARKS = frozenset({"-", "db:", "console", ".parquet"})

_METHODS = frozenset({"startswith", "removeprefix"})


def marks_in(path: Path) -> set[str]:
    """Returns the marks that a file compares texts with, looks for in them, matches them with or gives a name to."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        found.update(MARKS & set(_texts(node)))
    return found


def _texts(node: ast.AST) -> Iterator[object]:
    match node:
        case ast.Compare():
            yield from _constants(node.left, *node.comparators)
        case ast.Call(func=ast.Attribute(attr=method)) if method in _METHODS:
            yield from _constants(*node.args)
        case ast.MatchValue():
            yield from _constants(node.value)
        case ast.Assign() | ast.AnnAssign():
            yield from _constants(node.value)


def _constants(*nodes: ast.expr | None) -> Iterator[object]:
    for node in nodes:
        match node:
            case ast.Constant():
                yield node.value
            case ast.Tuple() | ast.List() | ast.Set():
                yield from _constants(*node.elts)
