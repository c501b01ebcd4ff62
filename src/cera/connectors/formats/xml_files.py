"""XML files: every child of the root element is an event.

    <events>
      <event begin="60" end="63"><temp><area>a</area><value>40</value></temp></event>
      <event begin="60" state="true"><door><id>d1</id></door></event>
    </events>

The second is a state; without an `end` it is open.

With a layout of flat records any element is one: its name is the label, and an attribute or a child is the time.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import BinaryIO

from cera.connectors.records.layout import (
    BYTE_ORDER_MARK,
    RECORD_ERRORS,
    TIME_FIELDS,
    Layout,
    RecordError,
    Rejected,
    rejected,
    too_large,
)
from cera.connectors.records.record_times import STATE, flat_times, is_state, record_times
from cera.connectors.records.records import event_of
from cera.model.events.event import Event
from cera.model.terms.term import Term
from cera.model.terms.xml_elements import Element, StrayText, XmlError, elements, is_blank
from cera.model.terms.xml_terms import XmlNumberError, term_of, to_text
from cera.wording import Setting

_CHUNK = 1 << 16
_EXPECTED = f'expected <event begin="…" end="…"> or <event at="…"> around one element, or give {Setting.TIME_FIELD}'


def read(stream: BinaryIO, name: str, layout: Layout) -> Iterator[Event | Rejected]:
    chunks = iter(lambda: stream.read(_CHUNK), b"")
    start = b""
    while not start.removeprefix(BYTE_ORDER_MARK).strip():
        if not (chunk := next(chunks, b"")):
            return
        start += chunk
    try:
        for item in elements(itertools.chain([start], chunks), level=1):
            place = f"{name}:{item.line}"
            if isinstance(item, StrayText):
                yield rejected(place, f"text outside of any event; {_EXPECTED}", item.text.strip())
            else:
                yield _event(item, layout, place)
    except XmlError as error:
        yield rejected(f"{name}:{error.line}", f"{error}; nothing from line {error.unread_from} on was read")


def _event(element: Element, layout: Layout, place: str) -> Event | Rejected:
    try:
        if layout.is_flat and not _is_wrapped_beside_flat_ones(element, layout):
            return _flat_event(element, layout)
        return _wrapped_event(element, layout)
    except RECORD_ERRORS as error:
        return rejected(place, str(error), to_text(element))


def _is_wrapped(element: Element) -> bool:
    return element.name.rpartition("}")[2] == "event"


def _is_wrapped_beside_flat_ones(element: Element, layout: Layout) -> bool:
    """Returns whether this is an event element among flat records.

    In a folder the options for flat records of one file must not spoil the events of another.
    """
    names = {*element.attributes, *(part.name for part in element.content if isinstance(part, Element))}
    return _is_wrapped(element) and layout.label is None and not layout.names_one_of(names)


def _wrapped_event(element: Element, layout: Layout) -> Event:
    """Returns the event of `<event begin="…" end="…" id="…">` around the term."""
    id_field = layout.id_field or "id"
    if not _is_wrapped(element) or not {*TIME_FIELDS, STATE, id_field}.issuperset(element.attributes):
        attributes = "".join(f" {name}" for name in element.attributes)
        raise RecordError(f"unknown field layout: found <{element.name}{attributes}>; {_EXPECTED}")
    content = [part for part in element.content if isinstance(part, Element) or not is_blank(part)]
    if len(content) != 1 or not isinstance(content[0], Element):
        raise RecordError(f"an event has one element inside, its term; found {len(content) or 'nothing'}; {_EXPECTED}")
    fields = element.attributes
    times = record_times(fields, layout.times, state=is_state(fields, STATE))
    return event_of(_term(content[0], layout), times, fields.get(id_field))


def _term(element: Element, layout: Layout) -> Term:
    try:
        return term_of(element, layout.xml_types, layout.string_fields)
    except XmlNumberError as error:
        raise too_large(error.name, error.reason, Setting.XML_TYPES.of("string")) from None


def _flat_event(element: Element, layout: Layout) -> Event:
    named = {layout.label_field, layout.id_field, layout.state_field, *(layout.time_source or TIME_FIELDS)}
    fields, rest = _apart(element, named)
    rest.name = layout.label or (fields.get(layout.label_field, "") if layout.label_field else element.name)
    if not rest.name:
        raise RecordError(f"the label is missing: there is no attribute or element `{layout.label_field}`")
    times, _ = flat_times(fields, layout)
    return event_of(_term(rest, layout), times, fields.get(layout.id_field or ""))


def _apart(element: Element, names: set[str | None]) -> tuple[dict[str, str], Element]:
    """Returns the texts of the attributes and child elements with these names, and the element without them."""
    fields: dict[str, str] = {}
    rest = Element(element.name, {}, [], element.line)
    has_elements = any(isinstance(part, Element) for part in element.content)
    for name, value in element.attributes.items():
        (fields if name in names else rest.attributes)[name] = value
    for part in element.content:
        if isinstance(part, Element) and part.name in names:
            if part.name in fields:
                raise RecordError(f"the field `{part.name}` is given more than once")
            fields[part.name] = _text(part)
        elif isinstance(part, Element) or not has_elements or not is_blank(part):
            rest.content.append(part)
    return {name: value for name, value in fields.items() if value}, rest


def _text(element: Element) -> str:
    if element.attributes or not all(isinstance(part, str) for part in element.content):
        raise RecordError(f"the field `{element.name}` is to be a text, found {to_text(element)}")
    return "".join(part for part in element.content if isinstance(part, str))
