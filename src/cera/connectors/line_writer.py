"""Files that are written whole or not at all, and text on standard output."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast

from cera.errors import UsageError
from cera.model.url_paths import shown_path

#: How many bytes of held output are kept in memory; more go to a temporary file.
_HELD_IN_MEMORY = 1 << 20
#: How many bytes are written at once: for longer texts Linux looks for larger pages, which are rarely there.
_PIECE = 1 << 17


def write_file(path: Path, text: str) -> None:
    """Replaces the file in one step, so that nobody ever sees half of it. What is no regular file is written to."""
    target = Path(os.path.realpath(path))
    data = encoded(text)
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
        raise UsageError(f"{shown_path(path)} cannot be written: {error.strerror}") from error


class LineWriter:
    """Lines into a file that appears when all are written, or on standard output as they come.

    With `held`, what goes to standard output is kept in a temporary file until all is written.
    """

    def __init__(self, path: Path | None, *, held: bool = False) -> None:
        self._path = path
        self._held = held and path is None
        self._unfinished: Path | None = None
        self._stream: BinaryIO | None = None

    def __enter__(self) -> LineWriter:
        if self._held:
            self._stream = cast(BinaryIO, SpooledTemporaryFile(_HELD_IN_MEMORY))
            return self
        if self._path is None:
            self._stream = sys.stdout.buffer
            return self
        target = Path(os.path.realpath(self._path))
        with self._problems():
            if target.exists() and not target.is_file():
                self._stream = target.open("wb")
            else:
                self._unfinished = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
                self._stream = self._unfinished.open("wb")
        return self

    def write(self, line: str) -> None:
        self.write_bytes(encoded(line) + b"\n")

    def write_bytes(self, data: bytes | memoryview) -> None:
        """Writes lines as they are, in UTF-8 and with their ends."""
        assert self._stream is not None
        try:  # lines are many: the context manager is entered where there is a problem
            if len(data) <= _PIECE:
                self._stream.write(data)
                return
            view = memoryview(data)
            for first in range(0, len(view), _PIECE):
                self._stream.write(view[first : first + _PIECE])
        except OSError as error:
            with self._problems():
                raise error

    def __exit__(self, kind: object, *details: object) -> None:
        assert self._stream is not None
        if self._held:
            with standard_output(), self._stream:
                if kind is None:
                    self._stream.seek(0)
                    shutil.copyfileobj(self._stream, sys.stdout.buffer)
        if self._path is None:
            with standard_output():
                sys.stdout.buffer.flush()
            return
        try:
            with self._problems():
                self._stream.close()  # which writes what is left, if there is room for it
                if self._unfinished is not None and kind is None:
                    target = os.path.realpath(self._path)
                    if os.path.exists(target):
                        shutil.copymode(target, self._unfinished)
                    os.replace(self._unfinished, target)
        finally:
            if self._unfinished is not None:
                self._unfinished.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _problems(self) -> Iterator[None]:
        """Raises UsageError if writing inside fails; BrokenPipeError, a reader that is gone, passes."""
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            place = (
                "a temporary file for standard output" if self._held else shown_path(self._path or "standard output")
            )
            raise UsageError(f"{place} cannot be written: {error.strerror}") from error


def write_output(text: str, path: Path | None = None) -> None:
    """Writes the text into a file or on standard output, in UTF-8 whatever the encoding of the terminal is."""
    if path is not None:
        write_file(path, text)
    else:
        with standard_output():
            sys.stdout.buffer.write(encoded(text))
            sys.stdout.flush()


@contextlib.contextmanager
def standard_output() -> Iterator[None]:
    """Raises UsageError if standard output cannot be written inside; BrokenPipeError, a reader that is gone, passes."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon_output()
        raise UsageError(f"standard output cannot be written: {error.strerror}") from error


def abandon_output() -> None:
    """Lets what is still to be written to standard output go nowhere, so that Python does not try again at its end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def encoded(text: str) -> bytes:
    """Returns the text in UTF-8; a lone surrogate, which UTF-8 lacks, as an escape that JSON and terms read back."""
    return text.encode("utf-8", "backslashreplace")


def lines(items: Iterable[str]) -> str:
    return "".join(f"{item}\n" for item in items)
