"""From a record of a source to an event, whatever the format of the source.

An event object is `{"begin": T, "end": T, "term": {…}}` or `{"at": T, "term": {…}}`, with an `id` where the source
names its events, and with `"state": true` where it is a state. A flat record has its label and times in fields that a
layout names; the other fields become children.
"""

from __future__ import annotations

from collections.abc import Mapping

from cera.connectors.records.debezium import event_from_envelope, looks_like_envelope
from cera.connectors.records.layout import TIME_FIELDS, Layout, RecordError
from cera.connectors.records.record_times import STATE, RecordTimes, StateTimes, flat_times, is_state, record_times
from cera.model.events.event import Event
from cera.model.events.states import opening
from cera.model.terms.hashing import event_id
from cera.model.terms.json_terms import describe, term_from_json
from cera.model.terms.term import Term
from cera.model.terms.values import number
from cera.wording import Setting

#: Fields of our own output that an event object may have, so that outputs can be inputs.
OUTPUT_FIELDS = ("rule", "causes", "to", "source_id", "known")
_EXPECTED = f"expected begin/end/term or at/term, or give {Setting.LABEL_FIELD} and {Setting.TIME_FIELD}"
_HASH_DIGITS = 32
HAS_NO_ID = "a state has no `id` of its own: it is known by its term and its begin"


def event_from_object(record: object, layout: Layout) -> Event:
    """Returns the event of a JSON value: an event object or, if the layout says so, a flat record or an envelope."""
    if layout.envelope == "debezium":
        return event_from_envelope(record)
    if not isinstance(record, Mapping):
        raise RecordError(f"an event is an object, found {describe(record)}; {_EXPECTED}")
    present = {name: value for name, value in record.items() if value is not None}
    if layout.is_flat and not _is_event_object_beside_flat_ones(present, layout):
        return flat_event(present, layout)
    id_field = layout.id_field or "id"
    is_output = "rule" in record
    known = {*TIME_FIELDS, "term", STATE, id_field, *OUTPUT_FIELDS, *(["id"] if is_output else [])}
    if "term" not in record or not known.issuperset(record):
        found = ", ".join(map(str, record)) or "no fields at all"
        if looks_like_envelope(record):
            wanted = Setting.LAYOUT.of("debezium")
            raise RecordError(f"this looks like a change event of Debezium ({found}); give {wanted}")
        raise RecordError(f"unknown field layout: found {found}; {_EXPECTED}")
    # The id in our own output is the hash of the identity; taken as a part of the identity it would change it.
    name = present.get("source_id", None if is_output else present.get(id_field))
    times = record_times(present, layout.times, state=is_state(present, STATE))
    if is_output and isinstance(times, StateTimes):
        name = None
    return event_of(term_from_json(record["term"]), times, name)


def _is_event_object_beside_flat_ones(record: Mapping[str, object], layout: Layout) -> bool:
    """Returns whether this is an event object among flat records.

    In a folder the options for flat records of one file must not spoil the event objects of another.
    """
    if layout.label is not None or not isinstance(record.get("term"), Mapping):
        return False
    return not layout.names_one_of(record)


def flat_event(record: Mapping[str, object], layout: Layout) -> Event:
    """Returns the event of a flat record without nulls: all fields but label, times and id are children."""
    label_field = layout.label_source
    label = layout.label if label_field is None else record.get(label_field)
    if not isinstance(label, str) or not label:
        raise RecordError(
            f"the label is missing: there is no field `{label_field}`"
            if label is None
            else f"the label is a text, found {describe(label)} in the field `{label_field}`"
        )
    times, used = flat_times(record, layout)
    used |= {name for name in (label_field, layout.id_field) if name is not None}
    children = {name: value for name, value in record.items() if name not in used}
    name = record.get(layout.id_field) if layout.id_field else None
    return event_of(term_from_json({label: children}), times, name)


def event_of(term: Term, times: RecordTimes, name: object) -> Event:
    """Returns the event with the id that its source gave it, if any; of a state its opening, which announces its end.

    An id that is the event's own hash adds nothing to its identity: events that cera wrote out keep theirs.
    """
    if isinstance(times, StateTimes):
        found = opening(term, times.begin, times.end)
        if name is not None and name != found.id:
            raise RecordError(HAS_NO_ID)
        return found
    qualifier = None if name is None else _qualifier(name)
    if qualifier is not None and len(qualifier) == _HASH_DIGITS and qualifier == event_id(term, times):
        qualifier = None
    return Event(term, times, qualifier)


def _qualifier(name: object) -> str:
    if isinstance(name, str):
        return name
    if isinstance(name, int | float) and not isinstance(name, bool) and (value := number(name)) is not None:
        return str(value)
    raise RecordError(f"an id is a text or a number, found {describe(name)}")
