"""Lines of JSON that look like lines seen before.

The lines of a file mostly differ in their values alone. From a plain line (see `plain_lines`) its shape is learnt: a
regular expression for that line with other values in it. All shapes together are one expression that takes a text apart
line by line, and one function that makes the events of the parts. A line with a shape is JSON, with the keys of the
learnt line, and so none of them twice; its strings have no escapes, and its numbers are short enough to have a value.
States of all labels that have the same attributes have one shape.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cera.codegen.functions import FunctionWriter, indented
from cera.connectors.formats.plain_lines import HASH_DIGITS, LONGEST, Fields, PlainLine
from cera.connectors.records.record_times import STATE
from cera.connectors.records.time_texts import (
    MINUTE,
    OFFSET,
    SECONDS,
    SECONDS_LENGTH,
    UNITS,
    Minutes,
    offset_of,
    time_reader,
)
from cera.model.events.event import STATE_ID
from cera.model.events.occurrence import Occurrence
from cera.model.events.states import OPENING, announcement
from cera.model.terms.hashing import flat_event_id
from cera.model.terms.values import number
from cera.model.time.interval import MAX_TIME, MIN_TIME
from cera.model.time.time_text import TimeFormat

#: How many shapes are learnt: each is tried on a line until one matches.
MOST_SHAPES = 20

STRING = r'"([^"\\\x00-\x1f]*+)"'
_NAME = r'"([^"\\\x00-\x1f]++)"'
NUMBER = r"(-?(?:0|[1-9][0-9]{0,15}+)(?:\.[0-9]{1,17}+)?+)"
TOKEN = re.compile(
    r'(?P<string>"[^"\\]*")(?P<key>[ \t]*:)?|(?P<number>-?[0-9.]+(?:[eE][-+]?[0-9]+)?)|(?P<truth>true|false)'
)
#: The patterns of the kinds of values.
_PATTERNS = {
    "string": STRING,
    "name": _NAME,
    "number": NUMBER,
    "truth": "(true|false)",
    "utc": f'"({MINUTE}):({SECONDS})Z"',
    "offset": f'"({MINUTE}):({SECONDS})({OFFSET})"',
    "local": f'"({MINUTE}):({SECONDS})"',
    "holds": "true",
    "label": '"([A-Za-z_][A-Za-z0-9_]*+)"',
}
_ANY_OTHER = r"[^\n]*+\n"
_END = r"[ \t\r]*+"

_Event = Occurrence | None


@dataclass(frozen=True)
class _Value:
    """A value of a line: the field it stands in, None for a child, and the kind of value."""

    field: str | None
    kind: str


class Shapes:
    """The shapes of the lines of one source."""

    def __init__(self, times: TimeFormat) -> None:
        self._unit = UNITS.get(times.unit or "s", (1, 0.0))
        self._names: dict[str, Any] = {
            "Occurrence": Occurrence,
            "number": number,
            "time_of": time_reader(times),
            "utc": Minutes(times, "Z"),
            "offset": Minutes(times),
            "local": Minutes(times),
            "announcement": announcement,
            "flat_event_id": flat_event_id,
        }
        self._patterns: list[str] = []
        self._branches: list[list[str]] = []
        self._groups = 0
        self._rows: Callable[[str], list[Any]] = re.compile(_ANY_OTHER).findall
        self._make: Callable[[list[Any]], list[_Event]] = lambda rows: [None] * len(rows)

    def read(self, text: str) -> list[_Event]:
        """Returns the event of each line of a text, each with its line break; None where the line has no shape."""
        rows = self._rows(text)
        # a text of this length may have a line whose term would be too large
        return self._make(rows) if len(text) < LONGEST else [None] * len(rows)

    def learn(self, text: str, line: PlainLine) -> bool:
        """Learns the shape of a plain line, which ends with its line break. Returns whether it is a new one."""
        if len(self._patterns) == MOST_SHAPES or self.read(text) != [None]:
            return False
        values = values_of(text, line)
        if values is None:
            return False
        pattern = _pattern_of(text, values, line.fields)
        if re.fullmatch(f"{pattern}\n", text) is None:
            return False
        before = self._groups, self._rows, self._make
        self._patterns.append(f"{pattern}(\n)")
        self._branches.append(self._branch(values, line))
        self._compile()
        if not _equal(self.read(text)[0], line.event):  # in doubt, the ordinary reader reads the line
            self._patterns.pop()
            self._branches.pop()
            self._groups, self._rows, self._make = before
            return False
        return True

    def _compile(self) -> None:
        # each line is matched by its shape and its end, or as any other line: lines are neither joined nor left out
        self._rows = re.compile("|".join([*self._patterns, _ANY_OTHER + "()"])).findall
        groups = ", ".join(f"g{i}" for i in range(self._groups))
        lines = ["found = []", "append = found.append", f"for {groups}, _ in rows:"]
        for i, branch in enumerate(self._branches):
            lines += [f"    {'elif' if i else 'if'} {branch[0]}:", *indented(indented(branch[1:]))]
        lines += ["    else: append(None)", "return found"]
        # keys and labels of lines that were read are in it as literals
        self._make = FunctionWriter(self._names).function("make", "rows", lines)

    def _branch(self, values: Sequence[_Value], line: PlainLine) -> list[str]:
        """Returns the name that is set if a row has the shape, and the lines that append its event."""
        fields, label = line.fields, repr(line.event.label)
        lines: list[str] = []
        children: list[str] = []
        qualifier = ""
        times: dict[str, str] = {}
        for value in values:
            width = re.compile(_PATTERNS[value.kind]).groups
            groups = [f"g{self._groups + i}" for i in range(width)]
            self._groups += width
            if not groups:
                continue
            group, *more = groups
            if value.field in (fields.begin, fields.end):
                times[value.field] = f"time{len(times)}"
                lines += self._time(times[value.field], value.kind, [group, *more])
            elif value.kind == "label":
                label = f"{OPENING!r} + {group}"
            elif value.field is not None and value.field == fields.label:
                label = group
            elif value.field is not None:
                qualifier = f", None, None, {f'str({group})' if value.kind == 'number' else group}"
                lines += _number(group) if value.kind == "number" else [_skip(f"len({group}) == {HASH_DIGITS}")]
            else:
                children.append(group if value.kind != "truth" else f"{group} == 'true'")
                lines += _number(group) if value.kind == "number" else []
        mark = f"g{self._groups}"
        self._groups += 1
        begin, end = times[fields.begin], times[fields.end]
        if begin != end:
            lines.append(_skip(f"{end} < {begin}"))
        content = _object(_children(line.record, fields), iter(children))
        if fields.is_state:
            announced = f", None, None, announcement({end})" if begin != end else ""
            identity = f"flat_event_id(label, content.items(), {begin}, {begin})"
            lines += [f"label, content = {label}, {content}", f"content[{STATE_ID!r}] = {identity}"]
            return [mark, *lines, f"append(Occurrence({begin}, {begin}, label, content{announced}))"]
        body = f"{content}{qualifier}" if line.event.nested is None else f"None{qualifier or ', None, None, None'}"
        nested = "" if line.event.nested is None else f", {content}"
        return [mark, *lines, f"append(Occurrence({begin}, {end}, {label}, {body}{nested}))"]

    def _time(self, name: str, kind: str, groups: Sequence[str]) -> list[str]:
        text = groups[0]
        if kind == "number":
            microseconds, limit = self._unit
            return [
                f"if '.' in {text}:",
                f"  {text} = float({text})",
                f"  {name} = int({text} * {microseconds} + 0.5) if {-limit} < {text} < {limit} else None",
                f"  if {name} is None or {name} / {microseconds} != {text}:",
                *(f"    {line}" for line in _tried(f"{name} = time_of({text})")),
                "else:",
                f"  {name} = int({text}) * {microseconds}",
                f"  {_skip(f'not {MIN_TIME} <= {name} <= {MAX_TIME}')}",
            ]
        if kind == "string":
            return _tried(f"{name} = time_of({text})")
        key = f"{text} + {groups[2]}" if kind == "offset" else text
        # a double below a minute is accurate to the microsecond
        return _tried(f"{name} = {kind}[{key}] + int(float({groups[1]}[:{SECONDS_LENGTH}]) * 1e6 + 0.5)")


def _tried(statement: str) -> list[str]:
    return [f"try: {statement}", "except ValueError:", "  append(None)", "  continue"]


def _skip(condition: str) -> str:
    return f"if {condition}: append(None); continue"


def _number(name: str) -> list[str]:
    """Returns the lines that make a number of the text in a variable."""
    return [
        f"if '.' in {name}:",
        f"  {name} = float({name})",
        f"  if not {name} % 1: {name} = number({name})",
        f"else: {name} = int({name})",
    ]


def values_of(text: str, line: PlainLine) -> list[_Value] | None:
    """Returns the values of a line in their order; None if its text is not taken apart as its record is."""
    fields = line.fields
    kinds = [str(token.lastgroup) for token in value_tokens(text, fields)]
    places = list(_places(line.record, fields))
    if len(places) != len(kinds):
        return None
    values = []
    for (place, found), kind in zip(places, kinds, strict=True):
        if place in (fields.begin, fields.end) and kind == "string":
            offset = offset_of(found)
            kind = "string" if offset is None else {"Z": "utc", "": "local"}.get(offset, "offset")
        elif place is not None and place == fields.label:
            kind = "name"
        elif place == STATE and fields.is_state:
            kind = "holds"
        elif kind == "key":
            kind = "label"
        values.append(_Value(place, kind))
    return values


def value_tokens(text: str, fields: Fields) -> Iterator[re.Match[str]]:
    """Yields where the values of a line stand, with the label of a state, which is a key."""
    follows = False
    for token in TOKEN.finditer(text):
        if token["key"] is None or follows:
            yield token
        follows = fields.is_state and token["key"] is not None and token["string"] == '"term"'


def end_of(token: re.Match[str]) -> int:
    return token.end() if token["key"] is None else token.end("string")


def _places(record: Mapping[str, Any], fields: Fields) -> Iterator[tuple[str | None, Any]]:
    """Yields for each value of a record, in order, its field if that has a meaning of its own, and the value."""
    named = {fields.begin, fields.end, fields.label, fields.id}
    named |= {STATE} if fields.is_state else set()
    for name, value in record.items():
        if name in named:
            yield name, value
        elif fields.is_state and name == "term":
            yield name, None
            yield from ((None, leaf) for leaf in _leaves(value))
        elif value.__class__ is dict:
            yield from ((None, leaf) for leaf in _leaves(value))
        elif value is not None:
            yield None, value


def _leaves(record: Mapping[str, Any]) -> Iterator[Any]:
    for value in record.values():
        if value.__class__ is dict:
            yield from _leaves(value)
        elif value is not None:
            yield value


def _children(record: Mapping[str, Any], fields: Fields) -> Mapping[str, Any]:
    if fields.has_term:
        [body] = record["term"].values()
        return body  # type: ignore[no-any-return]  # an object, as the line is plain
    named = {fields.begin, fields.end, fields.label, fields.id}
    return {name: value for name, value in record.items() if name not in named}


def _pattern_of(text: str, values: Sequence[_Value], fields: Fields) -> str:
    parts: list[str] = []
    end = 0
    for token, value in zip(value_tokens(text, fields), values, strict=True):
        parts += [re.escape(text[end : token.start()]), _PATTERNS[value.kind]]
        end = end_of(token)
    return "".join([*parts, re.escape(text[end:].rstrip(" \t\r\n")), _END])


def _object(body: Mapping[str, Any], values: Iterator[str]) -> str:
    """Returns the source of an object like this one, without what is absent, from the sources of its values."""
    children = [
        f"{key!r}: {_object(child, values) if child.__class__ is dict else next(values)}"
        for key, child in body.items()
        if child is not None
    ]
    return "{" + ", ".join(children) + "}"


def _equal(one: _Event, other: Occurrence) -> bool:
    return one is not None and one.__getstate__() == other.__getstate__()
