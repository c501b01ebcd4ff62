"""JSON lines: one event in each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cera.connectors.records.debezium import is_tombstone
from cera.connectors.records.layout import RECORD_ERRORS, Layout, Rejected, check_text, decode, rejected
from cera.connectors.records.records import event_from_object
from cera.model.events.event import Event
from cera.model.terms.json_terms import loads


def read(lines: Iterable[bytes], name: str, layout: Layout, first: int = 1) -> Iterator[Event | Rejected]:
    """Yields the events of a stream, or of a part of it that begins with the line `first`."""
    for number, line in enumerate(lines, first):
        text = decode(line).rstrip(" \t\r\n")
        if text and not is_ignored_mark(text, layout):
            yield event_in(text, f"{name}:{number}", layout)


def is_ignored_mark(text: str, layout: Layout) -> bool:
    """Returns whether a JSON text is a mark of another program, which is neither an event nor an error."""
    return layout.envelope == "debezium" and is_tombstone(text)


def event_in(text: str, place: str, layout: Layout) -> Event | Rejected:
    """Returns the event of a JSON text, or why it is not one."""
    try:
        check_text(text)
        return event_from_object(loads(text), layout)
    except RECORD_ERRORS as error:
        return rejected(place, str(error), text)
