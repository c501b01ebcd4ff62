"""Events as engines that run event by event hold them: light, and turned into terms only where a term is needed.

The content of a flat event is what JSON says of its children: `content` maps the label of each to its one string or
number. `nested` is the same for an event whose children may have children of their own, such as the rows of a change.
Any other event has its term (`known`); a derived one has a *draft*, the nested tuple (label, ordered, children) that
construction made. Truth values are wrapped, because Python takes True and 1 for equal and rows are compared by Python's
`==`; those in `nested` are not.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NoReturn

from cera.model.events.event import STATE_ID, STATES, Event
from cera.model.terms.hashing import flat_event_id
from cera.model.terms.json_terms import term_from_json
from cera.model.terms.term import Term, Value
from cera.model.terms.values import Scalar, number
from cera.model.time.interval import MAX_TIME, Interval


class Truth(Enum):
    """A truth value that is not equal to a number."""

    FALSE = False
    TRUE = True

    def __setstate__(self, state: object) -> NoReturn:
        raise TypeError("a truth value cannot be changed")


#: A value in a row: a scalar with wrapped truth values, or a term.
Cell = str | int | float | Truth | Term

Draft = tuple[str, bool, tuple[Any, ...]]

#: Names that JSON writes in another way.
_SPECIAL_NAMES = ("", "{}")


def wrap(value: Value) -> Cell:
    return Truth(value) if isinstance(value, bool) else value


def unwrap(cell: Cell) -> Value:
    return bool(cell.value) if isinstance(cell, Truth) else cell


def draft_term(draft: Draft) -> Term:
    """Returns the term that a draft stands for."""
    label, ordered, children = draft
    return Term(label, [draft_term(c) if isinstance(c, tuple) else unwrap(c) for c in children], ordered=ordered)


def flat_children(draft: Draft) -> dict[str, Scalar] | None:
    """Returns the one scalar of each child by its label, where the term of a draft is flat as that of JSON can be."""
    _, ordered, children = draft
    if ordered:
        return None
    found: dict[str, Scalar] = {}
    for child in children:
        if not isinstance(child, tuple) or child[1] or len(child[2]) != 1 or child[0] in _SPECIAL_NAMES:
            return None
        value: Any = child[2][0]
        kind = value.__class__
        if kind is float or kind is int:
            value = number(value)
        elif kind is Truth:
            value = bool(value.value)
        elif kind is not str:
            return None
        if value is None:
            return None
        found[child[0]] = value
    return found if len(found) == len(children) else None


class Occurrence:
    """An event in the engine. `number` distinguishes it from all others of the run."""

    __slots__ = (
        "_event",
        "_id",
        "_known",
        "begin",
        "content",
        "draft",
        "end",
        "label",
        "nested",
        "number",
        "qualifier",
    )

    #: The id, once it was asked for.
    _id: str

    def __init__(
        self,
        begin: int,
        end: int,
        label: str,
        content: dict[str, Any] | None = None,
        known: Term | None = None,
        draft: Draft | None = None,
        qualifier: str | None = None,
        nested: dict[str, Any] | None = None,
    ) -> None:
        self.begin = begin
        self.end = end
        self.label = label
        self.content = content
        self.nested = nested
        self.draft = draft
        self.qualifier = qualifier
        self.number = -1
        self._known = known
        self._event: Event | None = None

    @property
    def term(self) -> Term:
        if self._known is None:
            if self.draft is not None:
                self._known = draft_term(self.draft)
            else:
                self._known = term_from_json({self.label: self.nested if self.content is None else self.content})
        return self._known

    @property
    def event(self) -> Event:
        if self._event is None:
            self._event = Event(self.term, Interval(self.begin, self.end), self.qualifier)
        return self._event

    @property
    def id(self) -> str:
        """The id of the event; that of a flat event needs no term."""
        try:
            return self._id
        except AttributeError:
            if self.content is None:
                self._id = self.event.id
            elif STATE_ID in self.content and self.label.startswith(STATES):
                self._id = self.content[STATE_ID]
            else:
                self._id = flat_event_id(self.label, self.content.items(), self.begin, self.end, self.qualifier)
            return self._id

    def copy(self) -> Occurrence:
        """Returns the same event without a number."""
        made_later = self.content is not None or self.nested is not None or self.draft is not None
        body = (self.content, None if made_later else self.term, self.draft)
        return Occurrence(self.begin, self.end, self.label, *body, self.qualifier, self.nested)

    def __getstate__(self) -> tuple[Any, ...]:
        known = self._known if self.content is None and self.nested is None else None
        body = (self.content, self.nested, self.draft, known)
        return (self.begin, self.end, self.label, self.qualifier, self.number, *body)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.begin, self.end, self.label, self.qualifier, self.number, *body = state
        self.content, self.nested, self.draft, self._known = body
        self._event = None


class Opening(Occurrence):
    """The opening of a state in a run: a point event, and how long the state holds as far as that is known.

    It is shared by all that refers to the state: when the state ends, all of it knows.
    """

    __slots__ = ("until",)

    def __init__(self, opened: Occurrence, until: int) -> None:
        body = (opened.content, opened._known, opened.draft)
        super().__init__(opened.begin, opened.end, opened.label, *body, nested=opened.nested)
        self.until = until

    def relabelled(self, label: str, end: int) -> Occurrence:
        """Returns an event with the same children under another label, up to an end."""
        made_later = self.content is not None or self.nested is not None
        term = None if made_later else Term(label, self.term.children, ordered=self.term.ordered)
        return Occurrence(self.begin, end, label, self.content, term, nested=self.nested)

    def without_end(self) -> Occurrence:
        """Returns the state as an event that lasts longer than any time."""
        return self.relabelled(self.label, _OPEN)

    def __getstate__(self) -> tuple[Any, ...]:
        return (super().__getstate__(), self.until)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        inner, self.until = state
        super().__setstate__(inner)


#: Later than every time.
_OPEN = MAX_TIME + 1
PLAIN = frozenset((str, int, float))
_SCALARS = frozenset((str, int, float, bool))


def json_occurrence(begin: int, end: int, label: str, body: Any, qualifier: str | None = None) -> Occurrence:
    """Returns the event `{label: body}` of checked JSON: flat if every child is one string or number; nested if the
    children have only scalars inside; else with its term."""
    if isinstance(body, dict):
        if PLAIN.issuperset(map(type, body.values())):
            return Occurrence(begin, end, label, content=body, qualifier=qualifier)
        if is_nested(body):
            return Occurrence(begin, end, label, qualifier=qualifier, nested=body)
    return Occurrence(begin, end, label, known=term_from_json({label: body}), qualifier=qualifier)


def is_nested(body: dict[str, Any]) -> bool:
    """Returns whether the children are scalars, or objects of scalars."""
    return all(
        child.__class__ in _SCALARS or (child.__class__ is dict and _SCALARS.issuperset(map(type, child.values())))
        for child in body.values()
    )


def drafted_occurrence(begin: int, end: int, draft: Draft, qualifier: str | None) -> Occurrence:
    """Returns a derived event: flat if every child is one string or number, which is matched and hashed without a
    term; else with its draft."""
    label = draft[0]
    children = None if label in _SPECIAL_NAMES else flat_children(draft)
    if children is not None and PLAIN.issuperset(map(type, children.values())):
        return Occurrence(begin, end, label, content=children, qualifier=qualifier)
    return Occurrence(begin, end, label, draft=draft, qualifier=qualifier)


def occurrence(event: Event) -> Occurrence:
    """Returns an event for the engine. It stays the same event, which may know its id from where it came."""
    made = Occurrence(event.begin, event.end, event.label, known=event.term, qualifier=event.qualifier)
    made._event = event
    return made


_UNSIGNED = 2**64
_SIGN = 2**63


def halves(id_: str) -> tuple[int, int]:
    """Returns the two halves of an id, as signed integers."""
    first, second = (int(digits, 16) for digits in (id_[:16], id_[16:]))
    return (first + _SIGN) % _UNSIGNED - _SIGN, (second + _SIGN) % _UNSIGNED - _SIGN


class Identified(Occurrence):
    """An event whose id was computed before it came to an operator: the two halves, as signed integers."""

    __slots__ = ("h1", "h2")

    def __init__(
        self,
        begin: int,
        end: int,
        label: str,
        content: dict[str, Any] | None,
        known: Term | None,
        qualifier: str | None,
        h1: int,
        h2: int,
        nested: dict[str, Any] | None = None,
    ) -> None:
        self.begin = begin  # all of it here: a call of the inherited one would cost as much again
        self.end = end
        self.label = label
        self.content = content
        self.nested = nested
        self.draft = self._event = None
        self.qualifier = qualifier
        self.number = -1
        self._known = known
        self.h1 = h1
        self.h2 = h2

    @property
    def id(self) -> str:
        return f"{self.h1 % _UNSIGNED:016x}{self.h2 % _UNSIGNED:016x}"

    @property
    def event(self) -> Event:
        event = Occurrence.event.fget(self)  # type: ignore[attr-defined]
        event.__dict__.setdefault("id", self.id)
        assert isinstance(event, Event)
        return event

    def __getstate__(self) -> tuple[Any, ...]:
        return (super().__getstate__(), self.h1, self.h2)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        inner, self.h1, self.h2 = state
        super().__setstate__(inner)
