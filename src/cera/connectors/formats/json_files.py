"""JSON files: one event object, an array of them, or `{"events": […]}`.

The elements of an array are read one by one, so that a bad one does not cost the others, not even one that is nested
too deep to be read, and a truncated file still gives what stands before its end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, TypeVar

from cera.connectors.formats.jsonl import event_in, is_ignored_mark
from cera.connectors.records.layout import Layout, Rejected, decode, rejected
from cera.model.events.event import Event

T = TypeVar("T")

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}"]', re.DOTALL)
_CLOSING = {"[": "]", "{": "}"}
_ARRAY_START = re.compile(r'[ \t\r\n]*(?P<object>\{[ \t\r\n]*"events"[ \t\r\n]*:[ \t\r\n]*)?\[')


def _extent_only(text: str) -> None:
    """Ignores a number: it is parsed when the element is read."""


_DECODER = json.JSONDecoder(parse_int=_extent_only, parse_float=_extent_only)


class _BrokenError(Exception):
    """The file cannot be read from `position` on."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.position = position


def read(stream: BinaryIO, name: str, layout: Layout) -> Iterator[Event | Rejected]:
    return read_by(lambda text, place: event_in(text, place, layout), stream, name, layout)


def read_by(event: Callable[[str, str], T], stream: BinaryIO, name: str, layout: Layout) -> Iterator[T | Rejected]:
    """Yields the events that a function returns for the text of a record and its place."""
    text = decode(stream.read())
    line, counted = 1, 0
    try:
        for start, end in _extents(text):
            line, counted = line + text.count("\n", counted, start), start
            if not is_ignored_mark(text[start:end], layout):
                yield event(text[start:end], f"{name}:{line}")
    except _BrokenError as error:
        line += text.count("\n", counted, error.position)
        reason = f"{error}; nothing from line {line} on was read"
        yield rejected(f"{name}:{line}", reason, text[error.position :])


def _extents(text: str) -> Iterator[tuple[int, int]]:
    """Yields where each event starts and ends."""
    if _after_space(text, 0) == len(text):
        return
    array = _ARRAY_START.match(text)
    if array is None:
        start = _after_space(text, 0)
        position = _end_of_value(text, start)
        yield start, position
        _expect(text, position, "", "the end of the file; if every line is an event, name the file .jsonl")
        return
    position = _after_space(text, array.end())
    if not text.startswith("]", position):
        while True:
            start = _after_space(text, position)
            end = _end_of_value(text, start)
            yield start, end
            position = _after_space(text, end)
            if not text.startswith(",", position):
                break
            position += 1
    position = _expect(text, position, "]", "`,` or `]`")
    if array["object"]:
        position = _expect(text, position, "}", "`}`: beside `events` there is nothing else")
    _expect(text, position, "", "the end of the file")


def _end_of_value(text: str, start: int) -> int:
    try:
        return _DECODER.raw_decode(text, start)[1]
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise _BrokenError(f"not JSON at {place}: {error.msg}", start) from None
    except RecursionError:
        return _end_of_deep_value(text, start)


def _end_of_deep_value(text: str, start: int) -> int:
    """Returns the end, found by brackets alone, of a value that is nested too deep for Python's reader."""
    open_brackets: list[str] = []
    for found in _STRING_OR_BRACKET.finditer(text, start):
        token = found[0]
        if token in _CLOSING:
            open_brackets.append(_CLOSING[token])
        elif token in ("]", "}"):
            if open_brackets.pop() != token:
                break
            if not open_brackets:
                return found.end()
        elif token == '"':  # a string that is not closed
            break
    raise _BrokenError("not readable: the JSON is nested too deep, and its brackets do not show where it ends", start)


def _expect(text: str, position: int, wanted: str, description: str) -> int:
    """Returns the position after the wanted text; the empty text stands for the end."""
    position = _after_space(text, position)
    if not text.startswith(wanted, position) or (not wanted and position < len(text)):
        found = f"`{text[position]}`" if position < len(text) else "the end of the file"
        raise _BrokenError(f"not one JSON value: found {found}, expected {description}", position)
    return position + len(wanted)


def _after_space(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return space.end() if space else position
