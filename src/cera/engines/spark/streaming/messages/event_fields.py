"""Events as plain data, as they pass between the stages of a stream."""

from __future__ import annotations

from typing import Any, NamedTuple

from cera.model.events.occurrence import Occurrence, json_occurrence
from cera.model.terms.json_terms import term_to_json


class EventFields(NamedTuple):
    """An event: its times, its label, the JSON of its content, and the source's id of it."""

    begin: int
    end: int
    label: str
    body: Any
    qualifier: str | None

    @property
    def occurrence(self) -> Occurrence:
        return json_occurrence(self.begin, self.end, self.label, self.body, self.qualifier)


def event_fields(event: Occurrence) -> EventFields:
    return EventFields(event.begin, event.end, event.label, json_body(event), event.qualifier)


def json_body(event: Occurrence) -> Any:
    """Returns the JSON of an event's content, without its label."""
    body = event.nested if event.content is None else event.content
    return term_to_json(event.term)[event.label] if body is None else body
