"""Lines of JSON that look like lines seen before.

The lines of a file mostly differ in their values alone. From a plain line, `{"at": T, "term": {"label": {…}}}` with a
string, a number or an object of such in each child, its shape is learnt: a regular expression for that line with other
values in it, and a function that makes the event of a line that matches. What matches is JSON, with the keys of the
learnt line, and so none of them twice; its strings have no escapes, and its numbers are short enough to have a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cera.model.interval import MAX_TIME, MIN_TIME, Time
from cera.model.occurrence import Occurrence
from cera.model.time_text import TimeFormat
from cera.model.values import number

#: So many shapes are learnt: each is tried on a line until one matches.
MOST_SHAPES = 8

#: In fewer characters there is no term that would be too large.
LONGEST = 1_000_000

_STRING = r'"([^"\\\x00-\x1f\ud800-\udfff]*)"'
_NUMBER = r"(-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,17})?)"
_TOKEN = re.compile(r'(?P<string>"[^"\\]*")(?P<key>[ \t]*:)?|(?P<number>-?[0-9.]+(?:[eE][-+]?[0-9]+)?)')

#: For each unit: microseconds in it, and below which size doubles of it still tell microseconds apart.
_UNITS = {"s": (1_000_000, 2.0**33), "ms": (1_000, 2.0**43)}

#: Makes the event of a line that has a shape; None if it is no event after all.
Maker = Callable[[re.Match[str]], Occurrence | None]


class Shapes:
    """The shapes of the lines of one source, as one regular expression for all of them."""

    def __init__(self, times: TimeFormat) -> None:
        self._time_of = time_reader(times)
        self._unit = _UNITS.get(times.unit or "s", (1, 0.0))
        self._alternatives: list[str] = []
        self._groups = 0
        #: The maker of the shape whose last group has a number.
        self.makers: dict[int, Maker] = {}
        self.match: Callable[[str, int], re.Match[str] | None] = re.compile("(?!)").match

    def learn(self, text: str, event: Occurrence) -> None:
        """Learns the shape of a plain line from its text, which ends with the line, and its event."""
        if len(self._alternatives) == MOST_SHAPES:
            return
        parts: list[str] = []
        kinds: list[str] = []
        end = 0
        for token in _TOKEN.finditer(text):
            if token["key"] is None:
                parts += [re.escape(text[end : token.start()]), _STRING if token["string"] else _NUMBER]
                kinds.append("string" if token["string"] else "number")
                end = token.end()
        pattern = "".join([*parts, re.escape(text[end:].rstrip(" \t\r\n")), r"[ \t\r]*\n"])
        source = self._maker(text, event, kinds)
        if source is None or re.fullmatch(pattern, text) is None:
            return
        self._alternatives.append(f"{pattern}()")
        names = {"Occurrence": Occurrence, "number": number, "time_of": self._time_of}
        exec(compile(source, "<the maker of a line's events>", "exec"), names)  # made here, of a line that was read
        self._groups += len(kinds) + 1
        self.makers[self._groups] = names["make"]  # type: ignore[assignment]
        self.match = re.compile("|".join(self._alternatives)).match

    def _maker(self, text: str, event: Occurrence, kinds: list[str]) -> str | None:
        """The source of the function that makes an event; the order of the values is that of the line."""
        body = event.nested if event.content is None else event.content
        if body is None or not -1 < text.find('"at"') < text.find('"term"'):
            return None
        names = [f"v{i}" for i in range(len(kinds) - 1)]
        rest = iter(names)
        content = _object(body, rest)
        if content is None or next(rest, None) is not None:
            return None
        first = self._groups + 1
        groups = ", ".join(str(first + i) for i in range(len(kinds)))
        targets = ", ".join(["at", *names])
        lines = [f"{targets} = match.group({groups})" if names else f"at = match.group({groups})"]
        lines += self._time(kinds[0])
        for name, kind in zip(names, kinds[1:], strict=True):
            if kind == "number":
                lines += [
                    f"if '.' in {name}:",
                    f"    {name} = float({name})",
                    f"    if not {name} % 1: {name} = number({name})",
                    f"else: {name} = int({name})",
                ]
        way = "nested" if event.content is None else "content"
        if way == "nested":
            lines.insert(0, f"if match.end() - match.start() >= {LONGEST}: return None")
        lines.append(f"return Occurrence(time, time, {event.label!r}, {way}={content})")
        return "\n".join(["def make(match):", *(f"    {line}" for line in lines)])

    def _time(self, kind: str) -> list[str]:
        parse = ["try: time = time_of(at)", "except ValueError: return None"]
        if kind == "string":
            return parse
        microseconds, limit = self._unit
        return [
            "at = float(at) if '.' in at else int(at)",
            f"time = int(at * {microseconds} + 0.5) if {-limit} < at < {limit} else None",
            f"if time is None or time / {microseconds} != at:",
            *(f"    {line}" for line in parse),
        ]


def _object(body: Mapping[str, Any], names: Iterator[str]) -> str | None:
    """The source of an object like this one with the values of the names; None if they are too few."""
    children = [_object(child, names) if isinstance(child, dict) else next(names, None) for child in body.values()]
    if None in children:
        return None
    return "{" + ", ".join(f"{key!r}: {child}" for key, child in zip(body, children, strict=True)) + "}"


def time_reader(times: TimeFormat) -> Callable[[Any], Time]:
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
