"""Waiting events in checkpoints of before 2026-11-16, which Python's `marshal` wrote.

`marshal.loads` is only for trusted bytes: others may crash Python. This reads what was written into payloads, None,
truth values, numbers, texts, tuples, lists and dictionaries, and nothing else.
"""

from __future__ import annotations

import struct
from typing import Any

from cera.errors import DataError

_DEEPEST = 500
_REFERENCE = 0x80
_INTEGER, _FLOAT, _SIZE, _LONG_DIGIT = struct.Struct("<i"), struct.Struct("<d"), struct.Struct("<I"), 15
_CONSTANTS = {b"N": None, b"T": True, b"F": False}
_END = object()


def read_marshalled(data: bytes) -> Any:
    """Reads plain data that `marshal.dumps` wrote; raises DataError if there is anything else in it."""
    try:
        return _Reader(data).value(0)
    except (IndexError, struct.error, UnicodeDecodeError, TypeError) as error:
        raise DataError(f"the waiting events are damaged: {error}") from error


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._known: list[Any] = []

    def value(self, depth: int) -> Any:
        if depth > _DEEPEST:
            raise DataError("the waiting events are damaged: they are nested too deep")
        code = self._data[self._at]
        self._at += 1
        kind, is_known = bytes([code & ~_REFERENCE]), bool(code & _REFERENCE)
        if kind in (b"(", b")", b"[", b"{"):
            return self._container(kind, is_known, depth + 1)
        if kind == b"r":
            return self._known[self._number(_SIZE)]
        found = self._atom(kind)
        if is_known:
            self._known.append(found)
        return found

    def _container(self, kind: bytes, is_known: bool, depth: int) -> Any:
        place = len(self._known)
        if is_known:
            self._known.append(_END)
        found: Any
        if kind == b"{":
            found = {}
            while (key := self.value(depth)) is not _END:
                found[key] = self.value(depth)
        else:
            size = self._bytes(1)[0] if kind == b")" else self._number(_SIZE)
            items = [self.value(depth) for _ in range(size)]
            found = items if kind == b"[" else tuple(items)
        if is_known:
            self._known[place] = found
        return found

    def _atom(self, kind: bytes) -> Any:
        match kind:
            case b"N" | b"T" | b"F":
                return _CONSTANTS[kind]
            case b"0":
                return _END
            case b"i":
                return self._number(_INTEGER)
            case b"l":
                size = self._number(_INTEGER)
                digits = struct.unpack(f"<{abs(size)}H", self._bytes(2 * abs(size)))
                value = sum(digit << (_LONG_DIGIT * place) for place, digit in enumerate(digits))
                return -value if size < 0 else value
            case b"g":
                return self._number(_FLOAT)
            case b"z" | b"Z":
                return self._bytes(self._bytes(1)[0]).decode("ascii")
            case b"a" | b"A":
                return self._bytes(self._number(_SIZE)).decode("ascii")
            case b"u" | b"t":
                return self._bytes(self._number(_SIZE)).decode("utf-8", "surrogatepass")
            case _:
                raise DataError(f"the waiting events are damaged: {kind!r} was never written there")

    def _number(self, form: struct.Struct) -> Any:
        [number] = form.unpack(self._bytes(form.size))
        return number

    def _bytes(self, size: int) -> bytes:
        found = self._data[self._at : self._at + size]
        if len(found) < size:
            raise IndexError("bytes are missing")
        self._at += size
        return found
