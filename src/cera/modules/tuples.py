"""The arguments of facts: scalars, terms and event tuples.

A variable such as `X` of `update(ACC(X))` stands for an event tuple: the event with its attributes. It is
compared by the identity of the event, so that facts include the events they come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cera.model.events.occurrence import Truth
from cera.model.terms.term import Term, Value

#: The names under which an event tuple has the end of its event, in microseconds.
TIME_ATTRIBUTES = ("evtime", "Time")


class EventTuple:
    """An event with attributes by name. `event` is the event itself, for its causes.

    `evtime` is the end of the event in microseconds, `Time` as well unless there is an attribute of that name.
    """

    __slots__ = ("_hash", "begin", "end", "event", "fields", "identity")

    def __init__(
        self, identity: str, fields: Mapping[str, Value], begin: int, end: int | None = None, event: Any = None
    ) -> None:
        self.identity = identity
        self.fields = fields
        self.begin = begin
        self.end = begin if end is None else end
        self.event = event
        self._hash = hash(identity)

    def attribute(self, name: str) -> Value | None:
        """Returns the value of an attribute, None if there is none."""
        if name == "evtime":
            return self.end
        value = self.fields.get(name)
        return self.end if value is None and name == "Time" else value

    def __eq__(self, other: object) -> bool:
        return self is other or (other.__class__ is EventTuple and self.identity == other.identity)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"EventTuple({self.identity!r}, {dict(self.fields)!r}, {self.begin}, {self.end})"

    def __getstate__(self) -> tuple[Any, ...]:
        """Returns the fields without the hash: hashes of strings differ from process to process."""
        return (self.identity, dict(self.fields), self.begin, self.end, self.event)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.identity, self.fields, self.begin, self.end, self.event = state
        self._hash = hash(self.identity)


#: An argument of a fact as users see it, and as evaluators hold it: truth values are wrapped (Python: True == 1).
Datum = Value | EventTuple
Cell = str | int | float | Truth | Term | EventTuple

Fact = tuple[Datum, ...]
Row = tuple[Cell, ...]


def wrapped(fact: Iterable[Any]) -> Row:
    return tuple(Truth(datum) if datum.__class__ is bool else datum for datum in fact)


def unwrapped(row: Iterable[Any]) -> Fact:
    return tuple(bool(cell.value) if cell.__class__ is Truth else cell for cell in row)


def value_of(cell: Any) -> Value:
    """Returns the value of a cell in expressions; two event tuples are equal if they are one event."""
    if cell.__class__ is EventTuple:
        return Term("event", (cell.identity,))
    return bool(cell.value) if cell.__class__ is Truth else cell


def cell_of(result: object) -> Cell | None:
    """Returns the value of an expression as an argument of a fact; None if it is undefined, a time or a length."""
    if isinstance(result, bool):
        return Truth(result)
    return result if isinstance(result, str | int | float | Term) else None


def change_fields(old: Mapping[str, Value] | None, new: Mapping[str, Value] | None) -> dict[str, Value]:
    """Returns the attributes of a changed row: `old_A` and `new_A`, and A, the new value where there is one."""
    fields = {f"old_{name}": value for name, value in (old or {}).items()}
    fields.update((f"new_{name}", value) for name, value in (new or {}).items())
    fields.update(new if new is not None else old or {})
    return fields


def look_up(cell: Any, attribute: str) -> Value | None:
    """Returns `X.attribute` of the cell that X stands for, None if it has none."""
    return cell.attribute(attribute) if cell.__class__ is EventTuple else None
