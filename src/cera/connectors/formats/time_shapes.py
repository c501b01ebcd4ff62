"""The times of JSON lines, found by the shape of what stands before them.

From a plain line (see `plain_lines`) a regular expression is learnt for the line up to its last time. Whatever follows
it: if the line is an event, these are its times. Where a line may be a state, which happens when it begins, the marks
of states are looked for in the whole line. The shape of a state goes on to the field that says that it is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from cera.connectors.formats.line_shapes import MOST_SHAPES, NUMBER, end_of, value_tokens, values_of
from cera.connectors.formats.plain_lines import PlainLine
from cera.connectors.records.time_texts import MINUTE, OFFSET, SECONDS, SECONDS_LENGTH, Minutes, time_reader
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeFormat

_ANY_OTHER = r"([^\n]*+)\n"
#: Values that are not times: the patterns of their kinds, without groups.
_SKIPPED = {
    "string": r'"[^"\\\x00-\x1f]*+"',
    "name": r'"[^"\\\x00-\x1f]*+"',
    "number": r"-?[0-9.]++",
    "truth": "(?:true|false)",
    "holds": "true",
    "label": '"[A-Za-z_][A-Za-z0-9_]*+"',
    **dict.fromkeys(("utc", "local", "offset"), r'"[^"\\\x00-\x1f]*+"'),
}
_TIMES = {
    "utc": f'"({MINUTE}:{SECONDS})Z"',
    "local": f'"({MINUTE}:{SECONDS})"',
    "offset": f'"({MINUTE}:{SECONDS}{OFFSET})"',
    "number": NUMBER,
}
_MINUTE_LENGTH = 16
_OFFSET_LENGTH = len("+01:00")


@dataclass(frozen=True)
class _Shape:
    """The places of begin and end in a row of a match, and how the texts are read."""

    begin: int
    end: int
    begin_of: Callable[[str], Time]
    end_of: Callable[[str], Time]
    kind: str
    #: For points: the key that is ordered just as the times are; for texts with an offset, if all have the same.
    value: Callable[[str], Any] | None


class TimeShapes:
    """The shapes of the lines of one source, as far as their times."""

    def __init__(self, times: TimeFormat, without: str = "") -> None:
        self._times = times
        #: A pattern that no line with a shape has; empty: none is looked for.
        self._without = f"(?![^\\n]*(?:{without}))" if without else ""
        utc, local, offset = Minutes(times, "Z"), Minutes(times), Minutes(times)
        time_of = time_reader(times)
        self._readers: dict[str, Callable[[str], Time]] = {
            "utc": lambda text: utc[text[:_MINUTE_LENGTH]] + _microseconds(text[_MINUTE_LENGTH + 1 :]),
            "local": lambda text: local[text[:_MINUTE_LENGTH]] + _microseconds(text[_MINUTE_LENGTH + 1 :]),
            "offset": lambda text: _with_offset(text, offset),
            "number": lambda text: time_of(_number(text)),
        }
        self._patterns: list[str] = []
        self._shapes: list[_Shape] = []
        self._groups = 0
        self._find: Callable[[str], list[tuple[str, ...]]] = re.compile(f"(){_ANY_OTHER}").findall

    def rows(self, text: str) -> list[tuple[str, ...]]:
        """Splits a text into a row for each line, which ends with the line itself if it has no shape."""
        return self._find(text)

    def times(self, row: Sequence[str]) -> tuple[Time, Time] | None:
        """Returns begin and end of a row; None if the line has no shape. Raises ValueError for what is not a time."""
        for shape in self._shapes:
            if row[shape.begin]:
                return shape.begin_of(row[shape.begin]), shape.end_of(row[shape.end])
        return None

    def ends_in_order(self, rows: Sequence[Sequence[str]]) -> tuple[Time, Time] | None:
        """Returns the first and last time if all are points of one shape, visibly in order without reading each; None
        if that is not certain. Raises ValueError if one of these two is not a time.
        """
        shape = self._shapes[0] if len(self._shapes) == 1 else None
        if shape is None or shape.value is None:
            return None
        texts = [row[0] for row in rows]
        if "" in texts:  # a line without a shape
            return None
        values = texts if shape.value is str else list(map(shape.value, texts))
        if shape.kind == "offset" and (len({text[-_OFFSET_LENGTH:] for text in texts}) > 1 or texts[0][-3] != ":"):
            return None
        return (shape.end_of(texts[0]), shape.end_of(texts[-1])) if values == sorted(values) else None

    def learn(self, text: str, line: PlainLine) -> bool:
        """Learns the shape of a plain line, which ends with its line break. Returns whether it is a new one."""
        values = values_of(text, line) if len(self._shapes) < MOST_SHAPES else None
        fields = line.fields
        names = {fields.begin} if fields.is_state else {fields.begin, fields.end}
        tokens = value_tokens(text, fields)
        if values is None or self.times(self.rows(text)[0]) is not None:
            return False
        last = max(i for i, value in enumerate(values) if value.field in names or value.kind == "holds")
        parts, end = [], 0
        places: dict[str, tuple[int, str]] = {}
        for token, value in islice(zip(tokens, values, strict=True), last + 1):
            is_time = value.field is not None and value.field in names
            if is_time and value.kind not in _TIMES:
                return False
            if is_time and value.field is not None:
                places[value.field] = (self._groups + len(places), value.kind)
            kinds = _TIMES if is_time else _SKIPPED
            parts += [re.escape(text[end : token.start()]), kinds[value.kind]]
            end = end_of(token)
        without = "" if fields.is_state else self._without
        last_time = places[fields.begin if fields.is_state else fields.end]
        self._add(f"{without}{''.join(parts)}", places[fields.begin], last_time)
        return True

    def _add(self, pattern: str, begin: tuple[int, str], end: tuple[int, str]) -> None:
        readers = self._readers
        value = self._value_of(end[1]) if begin == end else None
        self._shapes.append(_Shape(begin[0], end[0], readers[begin[1]], readers[end[1]], end[1], value))
        self._groups += len({begin, end})
        # a digit after a number would be a part of it
        self._patterns.append(pattern + r"(?![0-9.eE])[^\n]*+\n")
        self._find = re.compile("|".join([*self._patterns, _ANY_OTHER])).findall

    def _value_of(self, kind: str) -> Callable[[str], Any] | None:
        if kind == "number":
            return _number
        return str if kind != "local" or self._times.timezone == "UTC" else None  # other clocks are set back at times


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)


def _microseconds(seconds: str) -> int:
    return int(float(seconds[:SECONDS_LENGTH]) * 1e6 + 0.5)


_OFFSET = re.compile(f"{OFFSET}$")


def _with_offset(text: str, minutes: Minutes) -> Time:
    found = _OFFSET.search(text, _MINUTE_LENGTH)
    assert found is not None  # the pattern has found one
    return minutes[text[:_MINUTE_LENGTH] + found[0]] + _microseconds(text[_MINUTE_LENGTH + 1 : found.start()])
