"""Files that are written whole or not at all, and JSON lines on standard output."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import click

from cera.errors import UsageError


def check_writable(option: str, path: Path) -> None:
    """Raises UsageError where the path cannot become a file, before any long work is done for it."""
    if path.is_dir():
        raise UsageError(f"{option}: {path} is a folder; name a file")
    if not path.parent.is_dir():
        raise UsageError(f"{option}: there is no folder {path.parent} to write {path.name} to")


def write_file(path: Path, text: str) -> None:
    """Replaces the file in one step, so that nobody ever sees half of it. What is no regular file is written to."""
    target = Path(os.path.realpath(path))
    data = text.encode()
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as device:
                device.write(data)
            return
        unfinished = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
        try:
            unfinished.write_bytes(data)
            if target.exists():
                shutil.copymode(target, unfinished)
            os.replace(unfinished, target)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error


def write_lines(path: Path | None, lines: Iterable[str]) -> None:
    """The lines into a file, or on standard output; UTF-8 in both, whatever the terminal speaks."""
    text = "".join(f"{line}\n" for line in lines)
    if path is not None:
        write_file(path, text)
    else:
        stream = click.get_binary_stream("stdout")
        stream.write(text.encode())
        stream.flush()
