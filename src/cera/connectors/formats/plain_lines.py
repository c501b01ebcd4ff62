"""Plain lines: JSON whose event is known without a term.

A plain line is an event object, `{"at": T, "term": {"label": {…}}}`, or a flat record with the fields that a layout
names; its children are scalars, or objects of such. It is read by Python's own JSON reader, and checked afterwards.
Where a check is not sure, the line is left to the ordinary reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from json import JSONDecoder
from typing import Any

from cera.connectors.records.layout import TIME_FIELDS, Layout
from cera.connectors.records.record_times import STATE
from cera.connectors.records.time_texts import time_reader
from cera.model.events.event import STATE_ID
from cera.model.events.occurrence import Occurrence
from cera.model.events.states import OPENING, announcement
from cera.model.terms.hashing import flat_event_id
from cera.model.terms.values import MAX_INTEGER, MIN_INTEGER, number

#: A shorter text cannot hold a term that is too large.
LONGEST = 1_000_000

#: An id of this length may be the event's own hash.
HASH_DIGITS = 32

#: The fields of a record of a state that is plain.
_STATE_FIELDS = frozenset(("begin", "end", STATE, "term"))


@dataclass(frozen=True)
class Fields:
    """The fields of a plain record that are not its children: times, id, and the label unless that is a constant.

    The children are the other fields or, where there is a `term`, those of the term, whose key is the label. A state
    happens when it begins; its end is its begin if it has none.
    """

    begin: str
    end: str
    label: str | None = None
    id: str | None = None
    has_term: bool = False
    is_state: bool = False


@dataclass(frozen=True)
class PlainLine:
    """The result of reading a plain line."""

    event: Occurrence
    record: Mapping[str, Any]
    fields: Fields


class PlainReader:
    """A reader of plain lines of a layout that `is_plain`."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._decode = JSONDecoder().raw_decode
        self._time_of = time_reader(layout.times)

    def read(self, text: str) -> PlainLine | None:
        """Returns the event of a plain line, None for any other line."""
        if "\\" in text or len(text) >= LONGEST:
            return None
        try:
            record, length = self._decode(text)
            if text[length:].strip(" \t\r\n"):
                return None
            fields = self._fields(record)
            return None if fields is None else self._plain(text, record, fields)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):  # not a record of a plain shape
            return None

    def read_any(self, text: str) -> PlainLine | None:
        """Returns the event of a plain line, or the opening of a state; None for any other line."""
        return self.read_state(text) or self.read(text)

    def read_state(self, text: str) -> PlainLine | None:
        """Returns the opening of the state whose record a line is: an object with scalars; None for any other line."""
        if self._layout.is_flat or STATE not in text or "\\" in text or len(text) >= LONGEST:
            return None
        try:
            record, length = self._decode(text)
            if record[STATE] is not True or not _STATE_FIELDS.issuperset(record) or text[length:].strip(" \t\r\n"):
                return None
            return self._opening(text, record)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):  # not a record of a plain shape
            return None

    def _opening(self, text: str, record: dict[str, Any]) -> PlainLine | None:
        begin, end = self._time_of(record["begin"]), record.get("end")
        ((label, body),) = record["term"].items()
        content: dict[str, Any] = {}
        if not all(map(str.isidentifier, (label, *body))) or not _take(body, content):
            return None
        if not _names_each_once(text, record):
            return None
        label, qualifier = OPENING + label, None
        if end is not None:
            ended = self._time_of(end)
            if ended < begin:
                return None
            qualifier = announcement(ended)
        content[STATE_ID] = flat_event_id(label, content.items(), begin, begin)
        opened = Occurrence(begin, begin, label, content, qualifier=qualifier)
        fields = Fields("begin", "begin" if end is None else "end", has_term=True, is_state=True)
        return PlainLine(opened, record, fields)

    def _fields(self, record: dict[str, Any]) -> Fields | None:
        layout = self._layout
        if layout.is_flat:
            if layout.state_field is not None and record.get(layout.state_field) is not None:
                return None  # it may be a state, which the ordinary reader reads
            if layout.label is None and isinstance(record.get("term"), dict) and not layout.names_one_of(record):
                return None  # an event object beside flat records
            begin, end = layout.time_source or _usual_times(record)
            label = layout.label_source
            id_field = layout.id_field if layout.id_field in record else None
            found = Fields(begin, end, label, id_field)
            if layout.time_source is None and {begin, end} != set(TIME_FIELDS).intersection(record):
                return None
            return found
        begin, end = _usual_times(record)
        id_name = layout.id_field or "id"
        found = Fields(begin, end, id=id_name if id_name in record else None, has_term=True)
        known = {begin, end, "term"} | ({found.id} if found.id is not None else set())
        return found if len(record) == len(known) else None

    def _plain(self, text: str, record: dict[str, Any], fields: Fields) -> PlainLine | None:
        begin = end = self._time_of(record[fields.begin])
        if fields.end != fields.begin:
            end = self._time_of(record[fields.end])
            if begin > end:
                return None
        if fields.has_term:
            ((label, body),) = record["term"].items()
        else:
            label = self._layout.label if fields.label is None else record[fields.label]
            special = {fields.begin, fields.end, fields.label, fields.id}
            body = {name: value for name, value in record.items() if name not in special}
            if label.__class__ is not str or not label:
                return None
        qualifier = None if fields.id is None else _qualifier(record[fields.id])
        if body.__class__ is not dict or (fields.id is not None and qualifier is None):
            return None
        if not _names_each_once(text, record):
            return None
        content: dict[str, Any] = {}
        is_flat = _take(body, content)
        if is_flat is None:
            return None
        event = (
            Occurrence(begin, end, label, content, qualifier=qualifier)
            if is_flat
            else Occurrence(begin, end, label, nested=content, qualifier=qualifier)
        )
        return PlainLine(event, record, fields)


def _usual_times(record: Mapping[str, Any]) -> tuple[str, str]:
    return ("at", "at") if "at" in record else ("begin", "end")


def _qualifier(name: Any) -> str | None:
    if name.__class__ is str:
        return name if len(name) != HASH_DIGITS else None
    found = number(name) if name.__class__ is int or name.__class__ is float else None
    return None if found is None else str(found)


def _take(body: dict[str, Any], content: dict[str, Any], depth: int = 0) -> bool | None:
    """Puts the children into `content`, numbers in their one representation, absent ones left out.

    Returns whether all are strings and numbers, None if there is one that is not a scalar nor an object of scalars.
    """
    is_flat = True
    for key, value in body.items():
        kind = value.__class__
        if kind is float:
            if value.is_integer():
                value = number(value)
            elif value - value != 0:  # NaN and the infinities
                return None
        elif kind is int:
            if not MIN_INTEGER <= value <= MAX_INTEGER:
                return None
        elif kind is dict:
            if depth:
                return None
            inner: dict[str, Any] = {}
            if _take(value, inner, depth + 1) is None:
                return None
            value, is_flat = inner, False
        elif kind is bool:
            is_flat = False
        elif value is None:
            continue
        elif kind is not str:
            return None
        content[key] = value
    return is_flat


def _names_each_once(text: str, record: dict[str, Any]) -> bool:
    """Returns whether no key is given twice: every key has a colon, and Python keeps one of equal keys."""
    objects: list[dict[str, Any]] = [record]
    for each in objects:
        objects += [value for value in each.values() if value.__class__ is dict]
    keys = sum(map(len, objects))
    found = text.count(":")
    return found == keys or found == keys + sum(map(_colons, objects))


def _colons(record: Mapping[str, Any]) -> int:
    """Returns the number of colons inside the strings of a record."""
    strings: Iterable[Any] = (string for pair in record.items() for string in pair)
    return sum(string.count(":") for string in strings if isinstance(string, str))
