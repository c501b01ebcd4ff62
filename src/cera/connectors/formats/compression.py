"""Compressed files, by their endings: `.gz` and `.zst` behind the ending that names the format."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from typing import Any, BinaryIO, cast

_CHUNK = 1 << 16

#: The endings of compressed files.
COMPRESSED = (".gz", ".zst")


def is_compressed(path: Path) -> bool:
    return path.suffix.lower() in COMPRESSED


def format_ending(path: Path) -> str:
    """Returns the ending that names the format, in lower case: that of `log.csv.gz` is `.csv`."""
    return (path.with_suffix("") if is_compressed(path) else path).suffix.lower()


def open_events(path: Path) -> BinaryIO:
    """Opens a file of events for reading, decompressed. Broken compressed data raises OSError."""
    if not is_compressed(path):
        return path.open("rb")
    file = path.open("rb")
    try:
        decompressed = gzip.GzipFile(fileobj=file) if path.suffix.lower() == ".gz" else _Zstandard(file)
    except BaseException:
        file.close()
        raise
    return cast(BinaryIO, io.BufferedReader(_DecompressedFile(decompressed, file), 1 << 17))


class _Zstandard:
    """The bytes of a file of Zstandard frames. (The library's own reader does not report a truncated file.)"""

    def __init__(self, file: BinaryIO) -> None:
        import zstandard  # takes time to import, and few files need it

        self._file = file
        self._new_frame = zstandard.ZstdDecompressor().decompressobj
        self._frame = self._new_frame()
        self._is_between_frames = True
        self._data = b""

    def read(self, size: int) -> bytes:
        while not self._data and (read := self._file.read(_CHUNK)):
            self._data = self._decompressed(read)
        if not self._data and not self._is_between_frames:
            raise EOFError("the file ends inside of a frame")
        data, self._data = self._data[:size], self._data[size:]
        return data

    def _decompressed(self, read: bytes) -> bytes:
        parts = []
        while read:
            parts.append(self._frame.decompress(read))
            self._is_between_frames = self._frame.eof
            read = self._frame.unused_data
            if self._frame.eof:
                self._frame = self._new_frame()
        return b"".join(parts)

    def close(self) -> None:
        """Does nothing: the file is closed by whoever opened it."""


class _DecompressedFile(io.RawIOBase):
    """The bytes of a compressed file."""

    def __init__(self, decompressed: Any, file: BinaryIO) -> None:
        self._decompressed = decompressed
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._decompressed.read(len(buffer))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise OSError(f"the compressed data is damaged: {error}") from error
        except Exception as error:
            if type(error).__name__ != "ZstdError":
                raise
            raise OSError(f"the compressed data is damaged: {error}") from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._decompressed.close()
            self._file.close()
        super().close()
