"""JSON lines of event objects as occurrences, without a term for each.

Most lines of a large file are plain: `{"at": T, "term": {"label": {…}}}` with a string or a number in each child. Such
a line is read by Python's own JSON reader and checked afterwards. Wherever a check leaves a doubt, the ordinary reader
reads the line again and decides, so that exactly the same lines are accepted and rejected, for the same reasons.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from json import JSONDecoder
from pathlib import Path
from typing import Any, BinaryIO

from cera.connectors.files import ENDINGS, read_events
from cera.connectors.jsonl import event_in
from cera.connectors.layout import Layout, Rejected, decode, rejected
from cera.model.events import Event
from cera.model.interval import MAX_TIME, MIN_TIME, Time
from cera.model.occurrence import Occurrence, occurrence
from cera.model.time_text import TimeFormat
from cera.model.values import MAX_INTEGER, MIN_INTEGER, number

#: For each unit: microseconds in it, and below which size doubles of it still tell microseconds apart.
_UNITS = {"s": (1_000_000, 2.0**33), "ms": (1_000, 2.0**43)}


def read_occurrences(path: str, layout: Layout) -> Iterator[Occurrence | Rejected]:
    """What `read_events` reads, as occurrences; the fast way if it is JSON lines of event objects."""
    events = read_events(path, layout)  # checks the path and the format at once, and reads nothing yet
    if layout.is_flat or layout.id_field is not None or not _is_jsonl(path, layout):
        return (occurrence(event) if isinstance(event, Event) else event for event in events)
    return read(sys.stdin.buffer, "<stdin>", layout) if path == "-" else _read_file(path, layout)


def _is_jsonl(path: str, layout: Layout) -> bool:
    if layout.format is not None:
        return layout.format == "jsonl" and not Path(path).is_dir()
    return path == "-" or (ENDINGS.get(Path(path).suffix.lower()) == "jsonl" and not Path(path).is_dir())


def _read_file(path: str, layout: Layout) -> Iterator[Occurrence | Rejected]:
    try:
        with open(path, "rb") as stream:
            yield from read(stream, path, layout)
    except OSError as error:
        yield rejected(path, f"could not be read further: {error.strerror or error}")


def read(stream: BinaryIO, name: str, layout: Layout) -> Iterator[Occurrence | Rejected]:
    """The events of a stream of event objects, a line each."""
    fast = _plain_line_reader(layout.times)
    for number_, line in enumerate(stream, 1):
        found = fast(line)
        if found is not None:
            yield found
        elif text := decode(line).rstrip(" \t\r\n"):
            event = event_in(text, f"{name}:{number_}", layout)
            yield event if isinstance(event, Rejected) else occurrence(event)


def _plain_line_reader(times: TimeFormat) -> Callable[[bytes], Occurrence | None]:
    """A function that gives the event of a plain line, and None for any other line."""
    raw_decode = JSONDecoder().raw_decode
    time_of = _time_reader(times)

    def read_line(line: bytes) -> Occurrence | None:
        try:
            text = line.decode()
            record, length = raw_decode(text)
            rest = text[length:]
            if "\\" in text or (rest != "\n" and rest.strip(" \t\r\n")):
                return None
            if len(record) == 2:
                begin = end = time_of(record["at"])
            else:
                begin, end = time_of(record["begin"]), time_of(record["end"])
                if begin > end or len(record) != 3:
                    return None
            ((label, content),) = record["term"].items()
            if not _is_plain(content):
                return None
            # Every key has a colon, and Python keeps one of equal keys: more colons than keys may mean a key twice.
            fields = len(record) + 1 + len(content)
            if text.count(":") != fields and text.count(":") != fields + _colons(label, content, record):
                return None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):  # no record of the plain shape
            return None
        return Occurrence(begin, end, label, content)

    return read_line


def _is_plain(content: Any) -> bool:
    """Whether all children are strings and numbers; numbers are brought to their one representation."""
    if content.__class__ is not dict:
        return False
    for key, value in content.items():
        kind = value.__class__
        if kind is float:
            if value.is_integer():
                content[key] = number(value)
            elif value - value != 0:  # NaN and the infinities
                return False
        elif kind is int:
            if not MIN_INTEGER <= value <= MAX_INTEGER:
                return False
        elif kind is not str:
            return False
    return True


def _colons(label: str, content: dict[str, Any], record: dict[str, Any]) -> int:
    """The colons inside of strings."""
    strings: Iterable[Any] = (label, *content, *content.values(), *record.values())
    return sum(string.count(":") for string in strings if isinstance(string, str))


def _time_reader(times: TimeFormat) -> Callable[[Any], Time]:
    """`times.parse`, faster for numbers. A double is taken to microseconds and back: if it comes back the same, it is
    the one that stands for that microsecond, since below the limit no two microseconds share a double."""
    parse = times.parse
    microseconds, limit = _UNITS.get(times.unit or "s", (1, 0.0))

    def time_of(value: Any) -> Time:
        if value.__class__ is float and -limit < value < limit:
            time = round(value * microseconds)
            if time / microseconds == value:
                return time
        elif value.__class__ is int and MIN_TIME <= (time := value * microseconds) <= MAX_TIME:
            return time
        return parse(number(value) if value.__class__ is float else value)

    return time_of
