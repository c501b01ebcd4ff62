"""Standard input, spooled to files: Spark can read a file again after a restart, but not a pipe."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import BinaryIO

#: A file is closed after so many lines, or so many seconds after its first one.
LINES = 10_000
SECONDS = 0.5

NAME = "<stdin>"


class Spool:
    """Copies a stream of lines into files `SEQUENCE-FIRSTLINE.ENDING`, until it ends.

    Sequences begin with the time of the start in microseconds, so that those of a later run are others.
    """

    def __init__(self, stream: BinaryIO, folder: Path, ending: str) -> None:
        self._stream = stream
        self._folder = folder
        self._ending = ending
        self._in_pieces = ending == "jsonl"
        self._lock = threading.Lock()
        self._lines: list[bytes] = []
        self._first_line = 1
        self._since = 0.0
        self.ended = threading.Event()
        self.failure: OSError | None = None
        folder.mkdir(parents=True, exist_ok=True)
        # Spark ignores a file whose name it has read before, even if that one is gone: names are never reused
        there = max((int(file.name.split("-")[0]) for file in folder.glob("*-*")), default=0)
        self._sequence = max(there + 1, time.time_ns() // 1_000)

    def start(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()
        if self._in_pieces:
            threading.Thread(target=self._flush_in_time, daemon=True).start()

    def _read(self) -> None:
        try:
            for line in self._stream:
                with self._lock:
                    if not self._lines:
                        self._since = time.monotonic()
                    self._lines.append(line)
                    if self._in_pieces and len(self._lines) >= LINES:
                        self._flush()
            with self._lock:
                self._flush()
        except OSError as error:
            self.failure = error
        finally:
            self.ended.set()

    def _flush_in_time(self) -> None:
        while not self.ended.wait(SECONDS / 2):
            with self._lock:
                if self._lines and time.monotonic() - self._since >= SECONDS:
                    self._flush()

    def _flush(self) -> None:
        if self._lines:
            name = f"{self._sequence:09d}-{self._first_line}.{self._ending}"
            unfinished = self._folder / f".{name}.unfinished"
            unfinished.write_bytes(b"".join(self._lines))
            os.replace(unfinished, self._folder / name)
            self._sequence += 1
            self._first_line += len(self._lines)
            self._lines = []


def first_line(path: Path) -> int:
    """Returns the number of the line of standard input with which a file of the spool begins."""
    return int(path.stem.split("-")[1])
