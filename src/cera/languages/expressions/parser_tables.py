"""Parsers of Lark with their tables kept in the user's cache folder: making these takes longer than most runs.

A file is found by a digest of all that its tables follow from, the grammar and the versions of Lark and Python. Its
content has a digest of its own, so that a damaged or an old one is never used. It has data only: nothing in it is run.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import lark
from lark import Lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

_OPTIONS: dict[str, Any] = {"parser": "lalr", "lexer": "contextual", "propagate_positions": True}


def parser_of(grammar: str, starts: Sequence[str]) -> Lark:
    """Returns the parser of a grammar, whose items are the rules `starts`."""
    folder = cache_folder()
    path = None if folder is None else folder / f"{_key(grammar, starts)}.grammar"
    known = None if path is None else _read(path)
    if known is not None:
        with suppress(Exception):  # whatever is wrong with tables, they can be made again
            found: Lark = Lark._load_from_dict(*known)  # type: ignore[no-untyped-call]
            return found
    made = Lark(grammar, start=list(starts), **_OPTIONS)
    with suppress(OSError, ValueError):  # nowhere to write, or something that is not plain data
        if path is not None:
            _write(path, made.memo_serialize([TerminalDef, Rule]))
    return made


def cache_folder() -> Path | None:
    """Returns the folder of the user in which tables are kept; None if there is none."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    try:
        base = Path(given) if given else Path.home() / ".cache"
    except RuntimeError:
        return None
    return base / "cera"


def _key(grammar: str, starts: Sequence[str]) -> str:
    parts = (lark.__version__, sys.version, marshal.version, sorted(_OPTIONS.items()), list(starts), grammar)
    return sha256(repr(parts).encode()).hexdigest()


def _read(path: Path) -> tuple[Any, Any] | None:
    """Returns the tables in a file; None if there are none, or they are damaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, content = data[:32], data[32:]
    if sha256(content).digest() != digest:
        return None
    tables, memo = marshal.loads(content)
    return tables, memo


def _write(path: Path, tables: Any) -> None:
    content = marshal.dumps(_plain(tuple(tables)))
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_bytes(sha256(content).digest() + content)
    unfinished.replace(path)


def _plain(data: Any) -> Any:
    """Returns data with texts in the place of Lark's tokens, which are texts."""
    match data:
        case str():
            return str(data)
        case dict():
            return {_plain(key): _plain(value) for key, value in data.items()}
        case list() | tuple():
            return type(data)(map(_plain, data))
        case _:
            return data
