"""Reading events from a text, as the tests of all formats do."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import BinaryIO

from cera.connectors.records.layout import Layout, Rejected
from cera.model.events.event import Event
from cera.model.terms.term import Term
from cera.model.terms.term_text import parse_term
from cera.model.time.interval import Interval

Reader = Callable[[BinaryIO, str, Layout], Iterator[Event | Rejected]]
EVENTS = Layout()


def read(reader: Reader, content: str | bytes, layout: Layout = EVENTS) -> list[Event | Rejected]:
    data = content.encode() if isinstance(content, str) else content
    return list(reader(io.BytesIO(data), "f", layout))


def happened(term: str, begin: float, end: float | None = None, qualifier: str | None = None) -> Event:
    """The event of a term in text form at a time in seconds."""
    value = parse_term(term)
    assert isinstance(value, Term)
    last = begin if end is None else end
    return Event(value, Interval(round(begin * 1_000_000), round(last * 1_000_000)), qualifier)


def places_and_reasons(found: list[Event | Rejected]) -> list[tuple[str, str]]:
    return [(item.place, item.reason) for item in found if isinstance(item, Rejected)]
