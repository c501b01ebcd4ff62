"""Events that carry their causes: a child for each, with the id and the times of the event.

The supports of derived states (`cera.modules.states`) need to know what they were derived from, wherever they go: the
state that they begin has the same causes, and ends with one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from cera.model.events.event import Event
from cera.model.expressions.constructs import Construct, ConstructTerm, ConstructValue
from cera.model.expressions.expression import Variable
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


def cause_variable(name: str) -> str:
    """Returns the variable with the text of a cause, in heads that are built from columns."""
    return _CAUSE + name


def traced_head(head: Construct, names: Iterable[str]) -> ConstructTerm:
    """Returns the head of a traced rule as it builds its events: with a variable for the text of each cause."""
    assert isinstance(head, ConstructTerm)
    carried = (ConstructTerm(cause_label(n), (ConstructValue(Variable(cause_variable(n))),)) for n in names)
    return replace(head, children=(*head.children, *carried))
