"""Files that a run writes beside its answers, checked before anything is read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cera.connectors.sink import check_writable
from cera.connectors.source import Source
from cera.errors import UsageError
from cera.program import Program
from cera.running.request import Request


def check_side_files(request: Request, program: Program) -> None:
    """Raises UsageError if malformed or late records cannot be written to the files named for them."""
    for option, path in (("--rejected", request.rejected), ("--late", request.late)):
        if path is not None:
            check_writable(option, path)
            check_not_read(option, path, request.sources, (source.name for source in program.sources))


def check_not_read(option: str, path: Path, inputs: Iterable[Source], programs: Iterable[str] = ()) -> None:
    """Raises UsageError if writing a file would overwrite events or a program, or put it where the next run reads
    events."""
    for source in inputs:
        if source.is_overwritten_by(path):
            raise UsageError(f"{option}: {path} is also read with --events; it would be overwritten")
        if source.contains(path):
            raise UsageError(
                f"{option}: {path} lies in {source.text}, which is read with --events; name another folder"
            )
    if any(path.resolve() == Path(name).resolve() for name in programs):
        raise UsageError(f"{option} names the program {path} itself")
