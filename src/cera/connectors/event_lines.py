"""Events as the lines that cera writes, and can read again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cera.model.events.event import DerivedEvent, Event, Recipient
from cera.model.events.states import announced_end, early_answer_of, is_opening, state_of, state_term
from cera.model.terms.json_terms import term_to_json
from cera.model.time.time_text import TimeFormat

#: The field of a derived event that was certain before its end.
KNOWN = "known"
#: The field of an answer over all of a state with the ids of the lines that it completes.
COMPLETES = "completes"


def base_line(event: Event, times: TimeFormat) -> dict[str, Any]:
    """Returns the line of an incoming event; the id that its source gave is kept, as a part of the identity."""
    if is_opening(event.label):
        return state_line(event, times)
    source_id = {} if event.qualifier is None else {"source_id": event.qualifier}
    return {**_when_and_what(event, times), "id": event.id, **source_id}


def state_line(opened: Event, times: TimeFormat) -> dict[str, Any]:
    """Returns the line of a state that came in, with its end if that is known."""
    end = announced_end(opened.qualifier)
    return {
        "begin": times.format(opened.begin),
        "end": None if end is None else times.format(end),
        "state": True,
        "term": term_to_json(state_term(opened)),
        "id": opened.id,
    }


def event_line(derived: DerivedEvent, times: TimeFormat) -> dict[str, Any]:
    """Returns the line of a derived event with its first derivation, and its recipient if a RAISE rule made it."""
    derivation = derived.derivations[0]
    causes = {identifier: event.id for identifier, event in derivation.causes.items()}
    line = derived_line(derived.event, derivation.rule, causes, derived.recipient, times)
    if derived.known != derived.event.end:
        line[KNOWN] = times.format(derived.known)
    if derived.completes:
        line[COMPLETES] = list(derived.completes)
    return line


def derived_line(
    event: Event, rule: str, causes: Mapping[str, str], recipient: Recipient | None, times: TimeFormat
) -> dict[str, Any]:
    """Returns the line of a derived event with the rule and the ids of its causes; of an answer over all of a state
    that has not ended, its name is the id, and the end is not known.
    """
    if (early := early_answer_of(event)) is not None:
        what = {"begin": times.format(early.begin), "end": None, "term": term_to_json(early.term)}
        return {**what, "rule": rule, "id": early.id, "causes": dict(causes), KNOWN: times.format(event.end)}
    line = {**_when_and_what(event, times), "rule": rule, "id": event.id, "causes": dict(causes)}
    if recipient is not None:
        line["to"] = {"recipient": recipient.address}
        if recipient.transport is not None:
            line["to"]["transport"] = recipient.transport
    return line


def _when_and_what(event: Event, times: TimeFormat) -> dict[str, Any]:
    """Returns the times and the term of an event, or of the state that it opens or ends."""
    if (state := state_of(event)) is not None:
        return {
            "begin": times.format(state.begin),
            "end": None if state.end is None else times.format(state.end),
            "state": True,
            "term": term_to_json(state.term),
        }
    return {
        "begin": times.format(event.begin),
        "end": times.format(event.end),
        "term": term_to_json(event.term),
    }
