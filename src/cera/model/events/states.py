"""States on their way through the engines: a state travels as events.

A state is a term that holds for a time [begin, end[, and is known when it begins. Its *opening* is a point event at its
begin, its *ending* an event from its begin to its end. Both have the label of the state behind a prefix of their own,
so that no query for events finds them, and the id of the state as a child, so that they can be joined. The opening may
announce the end already (a record with both times does); the ending then happens at that time and not before.

The id of a state is that of its opening: a hash of kind, term and begin (and owner, if it has one), and not of its end.

States that rules derive are composed of *supports* (`cera.modules.states`). The events about supports are internal: no
query of a program finds them, and no output shows them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from cera.model.events.event import STATE_ID, Event
from cera.model.terms.hashing import event_id
from cera.model.terms.term import Term
from cera.model.time.interval import MAX_TIME, Interval, Time, point

#: The beginnings of the labels of openings and endings.
OPENING = "state:opens:"
ENDING = "state:ends:"

#: The beginnings of the labels of what derived states are composed of: a support, the event that ends it, and the end
#: of a state that it needs.
SUPPORT = "state:support:"
RELEASE = "state:release:"
LOSS = "state:loss:"
#: The begin of the labels of other events that only modules of a program see.
INTERNAL = "internal:"
#: The begin of the labels of events that say what an answer over all of a state is before that has ended.
EARLY = "internal:early:"
_INTERNAL = (SUPPORT, RELEASE, LOSS, INTERNAL)

#: The end of a state that has not ended: later than every time.
OPEN: Time = MAX_TIME + 1

_ANNOUNCED = "until "


def opening(term: Term, begin: Time, end: Time | None = None, *, owner: str | None = None) -> Event:
    """Returns the opening of the state that `term` describes; it announces the end if that is given.

    An owner is a part of the identity: what has the state, where its term does not say so.
    """
    label = OPENING + term.label
    identity = event_id(Term(label, term.children, ordered=term.ordered), point(begin), owner)
    children = (*term.children, Term(STATE_ID, [identity]))
    announced = None if end is None else announcement(end)
    return Event(Term(label, children, ordered=term.ordered), point(begin), announced)


def early_id(term: Term, begin: Time, state: str) -> str:
    """Returns the name of an answer over all of a state while its end is not known: a hash of its term, its begin and
    the id of the state. The event has an id of its own when it has ended."""
    return event_id(term, point(begin), f"over {state}")


def early_answer(term: Term, begin: Time, state: str) -> Term:
    """Returns the term of the event that says what an answer over all of a state is, before that has ended: it has the
    name of the answer."""
    children = (*term.children, Term(STATE_ID, [early_id(term, begin, state)]))
    return Term(EARLY + term.label, children, ordered=term.ordered)


@dataclass(frozen=True)
class OpenAnswer:
    """An answer over all of a state that has not ended, as people see it. Its id is the name that it has until then."""

    term: Term
    begin: Time
    id: str
    end: None = None

    def __str__(self) -> str:
        return str(self.term)


def early_answer_of(event: Event) -> OpenAnswer | None:
    """Returns what an answer over all of a state says before that has ended; None for other events."""
    if not is_early_answer(event.label):
        return None
    *children, identity = event.term.children
    assert isinstance(identity, Term)
    term = Term(event.label.removeprefix(EARLY), children, ordered=event.term.ordered)
    return OpenAnswer(term, event.begin, str(identity.children[0]))


def is_early_answer(label: str) -> bool:
    return label.startswith(EARLY)


def ending(opened: Event, end: Time) -> Event:
    """Returns the ending of a state that an opening has begun."""
    label = ENDING + opened.label.removeprefix(OPENING)
    return Event(Term(label, opened.term.children, ordered=opened.term.ordered), Interval(opened.begin, end))


def announced_end(qualifier: str | None) -> Time | None:
    """Returns the end that an opening with this qualifier announces."""
    return None if qualifier is None or not qualifier.startswith(_ANNOUNCED) else int(qualifier[len(_ANNOUNCED) :])


def names_end(label: str, qualifier: str | None) -> bool:
    """Returns whether an event with this label and qualifier is a record that says when a state ends."""
    return is_opening(label) and announced_end(qualifier) is not None


def announcement(end: Time) -> str:
    """Returns the qualifier of an opening that announces an end."""
    return f"{_ANNOUNCED}{end}"


def without_announcement(opened: Event) -> Event:
    """Returns an opening that says nothing of its end."""
    return opened if opened.qualifier is None else replace(opened, qualifier=None)


def with_endings(events: Iterable[Event]) -> list[Event]:
    """Returns a whole recording with each state once: its opening, and its ending if some record has announced it.

    Where records differ about the end, the first end counts: after it the state is over. The ending of a state that has
    not begun is left out.
    """
    found: list[Event] = []
    opened: dict[str, Event] = {}
    ends: dict[str, Time] = {}
    for event in events:
        if is_opening(event.label):
            opened.setdefault(event.id, without_announcement(event))
            end = announced_end(event.qualifier)
        elif is_ending(event.label):
            end = event.end
        else:
            found.append(event)
            continue
        if end is not None:
            ends[event.id] = min(end, ends.get(event.id, end))
    ended = (ending(opened[state], end) for state, end in ends.items() if state in opened)
    return [*found, *opened.values(), *ended]


def is_opening(label: str) -> bool:
    return label.startswith(OPENING)


def is_ending(label: str) -> bool:
    return label.startswith(ENDING)


def is_internal(label: str) -> bool:
    """Returns whether events with this label are only for modules of the program, and are not shown."""
    return label.startswith(_INTERNAL)


def state_label(label: str) -> str | None:
    """Returns the label of the state whose opening or ending has this label; None for events."""
    for prefix in (OPENING, ENDING):
        if label.startswith(prefix):
            return label[len(prefix) :]
    return None


def name_of(label: str) -> str:
    """Returns a label as a program has it: that of the state for its opening or its ending."""
    return state_label(label) or label.removeprefix(EARLY)


def is_chosen(label: str, chosen: Collection[str] | None) -> bool:
    """Returns whether events with a label, or the states that they open or end, are among the chosen; None is all."""
    return chosen is None or name_of(label) in chosen


def shown_label(label: str) -> str:
    """Returns a label as people know it: `state auction` for the opening or the ending of a state."""
    state = state_label(label)
    return label if state is None else f"state {state}"


@dataclass(frozen=True)
class State:
    """A state as people see it: a term that holds in [begin, end[. An end of None is not known."""

    term: Term
    begin: Time
    end: Time | None
    id: str

    def __str__(self) -> str:
        return f"state {self.term}"


def state_of(event: Event) -> State | None:
    """Returns the state that an event opens, without an end, or ends; None for any other event."""
    if state_label(event.label) is None:
        return None
    return State(state_term(event), event.begin, event.end if is_ending(event.label) else None, event.id)


def state_term(event: Event) -> Term:
    """Returns the term of the state behind its opening or ending."""
    label = state_label(event.label)
    assert label is not None
    children = [c for c in event.term.children if not (isinstance(c, Term) and c.label == STATE_ID)]
    return Term(label, children, ordered=event.term.ordered)
