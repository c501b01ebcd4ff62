"""From a record of a source to an event, whatever the format of the source.

An event object is `{"begin": T, "end": T, "term": {…}}` or `{"at": T, "term": {…}}`, with an `id` where the source names
its events. A flat record has its label and times in fields that a layout names; the other fields become children.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from cera.model.events import Event
from cera.model.hashing import event_id
from cera.model.interval import Interval
from cera.model.json_terms import term_from_json
from cera.model.terms import Term, TermError
from cera.model.time_text import TimeError, TimeFormat
from cera.model.values import number
from cera.model.xml_terms import Types

#: How much of a rejected record is kept.
TEXT_LIMIT = 500

_TIMES = ("at", "begin", "end")
#: Fields of our own output that an event object may have, so that outputs can be inputs.
_OUTPUT_FIELDS = ("rule", "causes", "to")
_EXPECTED = "expected begin/end/term or at/term, or give --label-field and --time-field"


@dataclass(frozen=True)
class Rejected:
    """A record that is no event: where it stands (file:line), why, and the start of its text."""

    place: str
    reason: str
    text: str = ""


@dataclass(frozen=True)
class Layout:
    """How the records of a source are to be read.

    With one of `label_field`, `time_field`, `end_field` or a constant `label` the records are flat. A flat record's times
    are in `at`, or `begin` and `end`, and its label is in `label` (for XML: is the element's name) unless said otherwise.
    """

    label_field: str | None = None
    time_field: str | None = None
    end_field: str | None = None
    id_field: str | None = None
    label: str | None = None
    times: TimeFormat = field(default_factory=TimeFormat)
    xml_types: Types = "inferred"
    format: str | None = None

    @property
    def is_flat(self) -> bool:
        return any(name is not None for name in (self.label_field, self.time_field, self.end_field, self.label))


class RecordError(ValueError):
    """A record is no event; the message is the reason."""


def attempt(make: Callable[[], Event], place: str, text: Callable[[], str]) -> Event | Rejected:
    """The event, or why there is none."""
    try:
        return make()
    except (RecordError, TermError, TimeError) as error:
        return rejected(place, str(error), text())


def rejected(place: str, reason: str, text: str) -> Rejected:
    return Rejected(place, reason, text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…")


def event_from_object(record: object, layout: Layout) -> Event:
    """The event of a JSON value: an event object or, if the layout says so, a flat record."""
    if not isinstance(record, Mapping):
        raise RecordError(f"an event is an object, found {_shown(record)}; {_EXPECTED}")
    present = {name: value for name, value in record.items() if value is not None}
    if layout.is_flat and not _is_event_object_beside_flat_ones(present, layout):
        return flat_event(present, layout)
    id_field = layout.id_field or "id"
    unknown = [name for name in record if name not in (*_TIMES, "term", id_field, *_OUTPUT_FIELDS)]
    if unknown or "term" not in record:
        found = ", ".join(map(str, record)) or "no fields at all"
        raise RecordError(f"unknown field layout: found {found}; {_EXPECTED}")
    # Our own output repeats the hash of the event as its id; taken as a part of the identity it would change it.
    name = None if "rule" in record else present.get(id_field)
    return event_of(term_from_json(record["term"]), interval_of(present, layout.times), name)


def _is_event_object_beside_flat_ones(record: Mapping[str, object], layout: Layout) -> bool:
    """In a folder the options for flat records of one file must not spoil the event objects of another."""
    if layout.label is not None or not isinstance(record.get("term"), Mapping):
        return False
    return not any(name in record for name in (layout.label_field, layout.time_field, layout.end_field))


def flat_event(record: Mapping[str, object], layout: Layout) -> Event:
    """The event of a flat record without nulls: all fields but label, times and id are children."""
    label_field = None if layout.label is not None else layout.label_field or "label"
    label = layout.label if label_field is None else record.get(label_field)
    if not isinstance(label, str) or not label:
        raise RecordError(
            f"the label is missing: there is no field `{label_field}`"
            if label is None
            else f"the label is a text, found {_shown(label)} in the field `{label_field}`"
        )
    interval, used = flat_interval(record, layout)
    used |= {name for name in (label_field, layout.id_field) if name is not None}
    children = {name: value for name, value in record.items() if name not in used}
    name = record.get(layout.id_field) if layout.id_field else None
    return event_of(term_from_json({label: children}), interval, name)


def flat_interval(record: Mapping[str, object], layout: Layout) -> tuple[Interval, set[str]]:
    """When a flat record happened, and the fields that say so."""
    begin = layout.time_field or ("begin" if layout.end_field else None)
    if begin is None:
        return interval_of(record, layout.times), set(_TIMES)
    end = layout.end_field or begin
    return _interval(record, begin, end, layout.times), {begin, end}


def interval_of(record: Mapping[str, object], times: TimeFormat) -> Interval:
    """When a record happened that has its times in `at`, or in `begin` and `end`."""
    found = [name for name in _TIMES if name in record]
    if not found:
        raise RecordError("the time is missing: expected the field `at`, or `begin` and `end`")
    if "at" in found and len(found) > 1:
        raise RecordError(f"too many times: the fields {', '.join(found)}; expected `at`, or `begin` and `end`")
    begin, end = ("at", "at") if "at" in found else ("begin", "end")
    return _interval(record, begin, end, times)


def _interval(record: Mapping[str, object], begin: str, end: str, times: TimeFormat) -> Interval:
    first, last = _time(record, begin, times), _time(record, end, times)
    if last < first:
        raise RecordError(f"the end lies before the begin: {_shown(record[end])} before {_shown(record[begin])}")
    return Interval(first, last)


def _time(record: Mapping[str, object], name: str, times: TimeFormat) -> int:
    if name not in record:
        raise RecordError(f"the time is missing: there is no field `{name}`")
    try:
        return times.parse(record[name])
    except TimeError as error:
        raise RecordError(f"in the field `{name}`: {error}") from None


def event_of(term: Term, interval: Interval, name: object) -> Event:
    """The event with the id that its source gave it, if any.

    An id that is the event's own hash adds nothing to its identity: events that cera wrote out keep theirs.
    """
    qualifier = None if name is None else _qualifier(name)
    if qualifier is not None and qualifier == event_id(term, interval):
        qualifier = None
    return Event(term, interval, qualifier)


def _qualifier(name: object) -> str:
    if isinstance(name, str):
        return name
    if isinstance(name, int | float) and not isinstance(name, bool):
        return str(number(name))
    raise RecordError(f"an id is a text or a number, found {_shown(name)}")


def _shown(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except TypeError:
        text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
