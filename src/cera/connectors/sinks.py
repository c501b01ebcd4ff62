"""Events as the lines that cera writes; `read_events` reads them again."""

from __future__ import annotations

from typing import Any

from cera.model.events import DerivedEvent, Event
from cera.model.json_terms import term_to_json
from cera.model.time_text import TimeFormat


def base_line(event: Event, times: TimeFormat) -> dict[str, Any]:
    """An event as it came in; what its source calls it is kept, because it is a part of the identity."""
    source_id = {} if event.qualifier is None else {"source_id": event.qualifier}
    return {**_when_and_what(event, times), "id": event.id, **source_id}


def event_line(derived: DerivedEvent, times: TimeFormat) -> dict[str, Any]:
    """A derived event with its first derivation, and where it goes if a RAISE rule made it."""
    derivation = derived.derivations[0]
    line = {
        **_when_and_what(derived.event, times),
        "rule": derivation.rule,
        "id": derived.event.id,
        "causes": {identifier: event.id for identifier, event in derivation.causes.items()},
    }
    if derived.recipient is not None:
        line["to"] = {"recipient": derived.recipient.address}
        if derived.recipient.transport is not None:
            line["to"]["transport"] = derived.recipient.transport
    return line


def _when_and_what(event: Event, times: TimeFormat) -> dict[str, Any]:
    return {
        "begin": times.format(event.begin),
        "end": times.format(event.end),
        "term": term_to_json(event.term),
    }
