"""Events and how they came about.

An event is a term with an interval; that pair is its identity. A source may add an id of its own, so that two
equal messages stay two events. A derived event carries its derivations: rule, and the event bound to each
identifier of the rule's body (the event trace τ of the papers).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cera.model.tags import tagged
from cera.model.terms.hashing import event_id
from cera.model.terms.term import Term
from cera.model.time.interval import Interval, Time

#: The child with the id of the state in the openings and endings of states (`states`).
STATE_ID = "state:id"
#: The beginning of the labels of these.
STATES = "state:"


@dataclass(frozen=True, order=False)
class Event:
    """A term and the interval in which it happened. `qualifier` is the part of the identity that the source named."""

    term: Term
    interval: Interval
    qualifier: str | None = None

    @cached_property
    def id(self) -> str:
        """The hash of the identity; for the opening and the ending of a state the id of the state."""
        if self.term.label.startswith(STATES) and (state := _state_id(self.term)) is not None:
            return state
        return event_id(self.term, self.interval, self.qualifier)

    @property
    def label(self) -> str:
        return self.term.label

    @property
    def begin(self) -> int:
        return self.interval.begin

    @property
    def end(self) -> int:
        return self.interval.end

    @cached_property
    def output_key(self) -> tuple[Any, ...]:
        """The order of output: by end, begin, term."""
        return (self.interval.end, self.interval.begin, self.term.key, self.qualifier or "")

    @cached_property
    def order_key(self) -> tuple[int, int, str]:
        """The order in which aggregates fold their matches: end, begin, id."""
        return (self.interval.end, self.interval.begin, self.id)

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Sets the fields, and the cached values among them, when an event is read back from a state."""
        vars(self).update(state)

    def __str__(self) -> str:
        return f"{self.term}{self.interval}"


def _state_id(term: Term) -> str | None:
    """Returns the id that the opening or the ending of a state carries."""
    for child in reversed(term.children):
        if isinstance(child, Term) and child.label == STATE_ID and isinstance(child.children[0], str):
            return child.children[0]
    return None


@tagged("Recipient")
@dataclass(frozen=True)
class Recipient:
    """The destination of the message of a RAISE rule."""

    address: str
    transport: str | None = None

    @property
    def qualifier(self) -> str:
        return f"to {self.address} by {self.transport or ''}"


@dataclass(frozen=True)
class Derivation:
    """One way in which an event came about.

    `causes` maps each identifier of the rule's body to the event bound to it, relative timers included; `collected`
    are the events that `while … collect` gathered. `rank` is how far a derivation by a recursive rule is from what the
    recursion started with, and 0 for other rules.
    """

    rule: str
    causes: Mapping[str, Event] = field(hash=False)
    collected: tuple[Event, ...] = ()
    rank: int = field(default=0, compare=False)

    @cached_property
    def key(self) -> tuple[Any, ...]:
        return (self.rule, tuple(sorted((name, event.order_key) for name, event in self.causes.items())))

    @property
    def order(self) -> tuple[Any, ...]:
        """The order of the derivations of an event: the first one leads back to what a recursion started with."""
        return (self.rank, *self.key)


@dataclass(frozen=True)
class DerivedEvent:
    """An event with all its derivations in order, and its recipient if a RAISE rule made it.

    `early` is the time at which it was certain, where that is before its end. `completes` are the names that it had
    while its end was not known.
    """

    event: Event
    derivations: tuple[Derivation, ...]
    recipient: Recipient | None = None
    early: Time | None = field(default=None, compare=False)
    completes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def known(self) -> Time:
        """The time at which the event was certain, which is no part of its identity: its end, or earlier."""
        return self.event.end if self.early is None else self.early


def in_output_order(events: Iterable[DerivedEvent]) -> list[DerivedEvent]:
    return sorted(events, key=lambda derived: derived.event.output_key)
