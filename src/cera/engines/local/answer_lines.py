"""Derived events as the JSON lines that are written, without their terms.

Most answers are flat: `label{name{value}, …}`, derived in one way. Their lines are made of the draft of a head
and the ids of its causes. They are exactly those of `cera.connectors.event_lines`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from json.encoder import encode_basestring
from typing import Any, NamedTuple

from cera.engines.local.derived import RuleDetection
from cera.model.events.occurrence import Draft, Truth
from cera.model.terms.hashing import flat_event_id
from cera.model.terms.term import Term
from cera.model.terms.values import Scalar, number, scalar_key
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeFormat

#: A shorter text cannot hold a term that is too large.
_LONGEST = 100_000
#: Names that JSON writes in another way.
_SPECIAL = ("", "{}")


class AnswerLine(NamedTuple):
    """The line of a derived event."""

    label: str
    begin: Time
    children: list[tuple[str, Scalar]]
    text: str

    @property
    def order(self) -> tuple[Any, ...]:
        """The order of output among the events of one end, as `Event.output_key` has it."""
        return (self.begin, self.label, [(name, scalar_key(value)) for name, value in self.children])


class AnswerLines:
    """A writer of the lines of derived events."""

    def __init__(self, times: TimeFormat) -> None:
        self._times = times

    def line(self, derived: object) -> AnswerLine | None:
        """Returns the line of a derived event; None if it is not flat, was derived in several ways, or is a message."""
        if not isinstance(derived, RuleDetection):
            return None
        head = derived.head
        if derived.more is not None or head.construction.recipient is not None:
            return None
        draft = derived.content
        children = None if isinstance(draft, Term) else _flat_children(draft)
        if children is None:
            return None
        begin, end, label = derived.begin, derived.end, draft[0]  # type: ignore[index]  # a draft, since not a term
        id_ = flat_event_id(label, children, begin, end)
        last = self._time(end)
        first = last if begin == end else self._time(begin)
        row = derived.leading
        causes = [(name, f'"{row[slot].id}"') for name, slot in head.causes if row[slot] is not None]
        body = _object((name, _scalar(value)) for name, value in children)
        line = (
            f'{{"begin": {first}, "end": {last}, "term": {{{encode_basestring(label)}: {body}}}, '
            f'"rule": {encode_basestring(derived.rule)}, "id": "{id_}", "causes": {_object(causes)}}}'
        )
        return AnswerLine(label, begin, children, line) if len(line) < _LONGEST else None

    def _time(self, time: int) -> str:
        found = self._times.format(time)
        return f'"{found}"' if isinstance(found, str) else _scalar(found)


def _flat_children(draft: Draft) -> list[tuple[str, Scalar]] | None:
    """Returns the children of a flat draft, in the order of their names as terms have them; None if it is not flat."""
    _, ordered, children = draft
    if ordered:
        return None
    found: dict[str, Scalar] = {}
    for child in children:
        if not isinstance(child, tuple) or child[1] or len(child[2]) != 1 or child[0] in _SPECIAL:
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
    return sorted(found.items(), key=_name) if len(found) == len(children) else None


def _name(child: tuple[str, Scalar]) -> str:
    return child[0]


def _object(fields: Iterable[tuple[str, str]]) -> str:
    return "{" + ", ".join([f"{encode_basestring(name)}: {text}" for name, text in fields]) + "}"


def _scalar(value: Scalar) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    assert math.isfinite(value)  # other numbers are not values
    return repr(value)
