"""Which languages a file of the package names: in its imports, in texts of its code, and in the help of commands."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from cera.languages.registry import LANGUAGES
from import_graph import PACKAGE

#: The folders of the languages.
FOLDERS = frozenset(type(language).__module__.split(".")[-2] for language in LANGUAGES)

_NAMES = re.compile(rf"\b(?:{'|'.join(re.escape(language.name) for language in LANGUAGES)})\b")
_ENDINGS = re.compile(rf"(?:{'|'.join(re.escape(language.ending) for language in LANGUAGES)})\b")


def named_in(path: Path) -> set[str]:
    """Returns what a file names.

    Of docstrings only those of commands count, which are their help, and in these the names of files are examples.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = set(_imported(tree))
    docstrings = set(_docstrings(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node not in docstrings:
                found |= {*_NAMES.findall(node.value), *_ENDINGS.findall(node.value)}
            elif path.is_relative_to(PACKAGE / "cli"):
                found |= set(_NAMES.findall(node.value))
    return found


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                package, _, rest = f"{node.module}.{alias.name}".partition("cera.languages.")
                if not package and (folder := rest.split(".")[0]) in FOLDERS:
                    yield f"cera.languages.{folder}"


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value
