"""JSON lines: one event in each line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from cera.connectors.layout import RECORD_ERRORS, Layout, Rejected, check_text, decode, rejected
from cera.connectors.records import event_from_object
from cera.model.events import Event
from cera.model.json_terms import loads


def read(stream: BinaryIO, name: str, layout: Layout) -> Iterator[Event | Rejected]:
    for number, line in enumerate(stream, 1):
        if text := decode(line).rstrip(" \t\r\n"):
            yield event_in(text, f"{name}:{number}", layout)


def event_in(text: str, place: str, layout: Layout) -> Event | Rejected:
    """The event that a JSON text stands for, or why there is none."""
    try:
        check_text(text)
        return event_from_object(loads(text), layout)
    except RECORD_ERRORS as error:
        return rejected(place, str(error), text)
