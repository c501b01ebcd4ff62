"""Arrays of JSON objects as lines, an object each, where the file has no line break inside of one.

The elements are not parsed: a comma between two braces ends a line, wherever it stands. Inside of a string or of
another value it leaves lines that are not JSON, by which a reader of lines finds out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

_SPACE = b" \t\r\n"
_START = re.compile(rb'[ \t\r\n]*(?P<object>\{[ \t\r\n]*"events"[ \t\r\n]*:[ \t\r\n]*)?\[[ \t\r\n]*(?=\{)')
_BETWEEN = re.compile(rb"\}([ \t\r\n]*,[ \t\r\n]*)\{")
#: What has so many bytes, as a multiple of what is read at once, and no end of an element is not split.
_MOST = 4


def array_lines(stream: BinaryIO, size: int) -> Iterator[bytes | None]:
    """Yields the elements of an array as whole lines, about so many bytes at a time; None at last if the rest is
    something else."""
    data = stream.read(size)
    start = _START.match(data)
    if start is None:
        yield None
        return
    data = data[start.end() :]
    found = _BETWEEN.search(data)
    space = b"," if found is None else found[1]
    between = b"}" + space + b"{"
    while more := stream.read(size):
        end = data.rfind(between)
        if end >= 0:
            yield (lines := _lines(data[: end + 1], space))
            if lines is None:
                return
            data = data[end + 1 + len(space) :]
        elif len(data) > _MOST * size:
            yield None
            return
        data += more
    for closing in (b"}", b"]") if start["object"] else (b"]",):
        data = data.rstrip(_SPACE)
        if not data.endswith(closing):
            yield None
            return
        data = data[:-1]
    yield _lines(data.rstrip(_SPACE), space)


def _lines(data: bytes, space: bytes) -> bytes | None:
    """Returns elements with this text between them as lines; None if they have line breaks of their own."""
    between = b"}" + space + b"{"
    if data.count(b"\n") != data.count(between) * space.count(b"\n"):
        return None
    return data.replace(between, b"}\n{") + b"\n"
