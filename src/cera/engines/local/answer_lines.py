"""Derived events as the JSON lines that are written, without their terms.

Most answers are flat: `label{name{value}, …}`. Their lines are made of the draft of a head and the ids of its causes,
those of the first derivation if there are several. They are exactly those of `cera.connectors.event_lines`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from json.encoder import encode_basestring
from typing import Any, NamedTuple

from cera.engines.local.derived import RuleDetection
from cera.model.events.occurrence import flat_children
from cera.model.terms.hashing import flat_event_id
from cera.model.terms.term import Term
from cera.model.terms.values import Scalar, scalar_key
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeFormat

#: A shorter text cannot hold a term that is too large.
_LONGEST = 100_000


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
        """Returns the line of a derived event; None if it is not flat or a message."""
        if not isinstance(derived, RuleDetection):
            return None
        if derived.head.construction.recipient is not None:
            return None
        draft = derived.content
        found = None if isinstance(draft, Term) else flat_children(draft)
        if found is None:
            return None
        children = sorted(found.items(), key=_name)
        begin, end, label = derived.begin, derived.end, draft[0]  # type: ignore[index]  # a draft, since not a term
        id_ = flat_event_id(label, children, begin, end)
        last = self._time(end)
        first = last if begin == end else self._time(begin)
        first_way = derived if derived.more is None else min(derived.copies, key=_order)
        row = first_way.leading
        causes = [(name, f'"{row[slot].id}"') for name, slot in first_way.head.causes if row[slot] is not None]
        body = _object((name, _scalar(value)) for name, value in children)
        line = (
            f'{{"begin": {first}, "end": {last}, "term": {{{encode_basestring(label)}: {body}}}, '
            f'"rule": {encode_basestring(first_way.title)}, "id": "{id_}", "causes": {_object(causes)}'
            f"{self._known(derived)}}}"
        )
        return AnswerLine(label, begin, children, line) if len(line) < _LONGEST else None

    def _known(self, derived: RuleDetection) -> str:
        """Returns when an answer was certain, if that was before its end."""
        early = derived.early
        return "" if early is None or early == derived.end else f', "known": {self._time(early)}'

    def _time(self, time: int) -> str:
        found = self._times.format(time)
        return f'"{found}"' if isinstance(found, str) else _scalar(found)


def _order(made: RuleDetection) -> tuple[Any, ...]:
    """Returns the order of a derivation among those of its event, as `Derivation.order` has it."""
    row = made.leading
    causes = [(name, row[slot]) for name, slot in made.head.causes if row[slot] is not None]
    return (made.rank, made.title, sorted((name, (cause.end, cause.begin, cause.id)) for name, cause in causes))


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
