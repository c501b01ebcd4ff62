"""Events that carry their causes: a child for each, with the id and the times of the event.

The supports of derived states (`cera.modules.states`) need to know what they were derived from, wherever they go: the
state that they begin has the same causes, and ends with one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from cera.model.events.event import Event
from cera.model.terms.term import Term
from cera.model.time.interval import Time

#: The beginning of the labels of these children.
_CAUSE = "state:cause:"


class TracedCause(NamedTuple):
    """A cause as the events that it led to carry it."""

    id: str
    begin: Time
    end: Time


def cause_label(name: str) -> str:
    """Returns the label of the child for the cause that a rule knows by a name."""
    return _CAUSE + name


def cause_text(cause: TracedCause) -> str:
    return f"{cause.id} {cause.begin} {cause.end}"


def read_cause(text: str) -> TracedCause:
    id_, begin, end = text.split()
    return TracedCause(id_, int(begin), int(end))


def with_causes(term: Term, causes: Mapping[str, Event]) -> Term:
    """Returns the term of a traced event, with its causes by name."""
    carried = [
        Term(cause_label(name), [cause_text(TracedCause(event.id, event.begin, event.end))])
        for name, event in causes.items()
    ]
    return Term(term.label, [*term.children, *carried], ordered=term.ordered)
