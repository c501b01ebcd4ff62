"""Programs on the command line: files, and standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from cera.diagnostics import Source
from cera.errors import UsageError

_STANDARD_INPUT = "-"


def program_parts(files: Iterable[Path], *, read_by_others: bool) -> list[Path | Source]:
    """Returns the files, each once, with the text of standard input in the place of `-`."""
    parts = list(dict.fromkeys(files))
    if any(map(is_standard_input, parts)) and read_by_others:
        raise UsageError("the program and the events cannot both come from standard input; put one into a file")
    return [standard_input() if is_standard_input(part) else part for part in parts]


def is_standard_input(file: str | Path) -> bool:
    """Returns whether the program is on standard input, and not in a file."""
    return str(file) == _STANDARD_INPUT


def standard_input() -> Source:
    """Reads the program on standard input, with its own line endings."""
    try:
        return Source("<stdin>", sys.stdin.buffer.read().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(f"standard input is not UTF-8 text (byte {error.start})") from error
