"""Events as a module sees them: the predicates they belong to, their attributes, their place in the order of stages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cera.datalog.modules import CHANGE, EventModule, Monitored
from cera.datalog.tuples import EventTuple, change_fields
from cera.model.events import Event
from cera.model.occurrence import Occurrence, occurrence, wrap
from cera.model.terms import Term, Value

#: The value of the partition attribute; None where the module has one history.
Key = Any


@dataclass(frozen=True, slots=True)
class Arrival:
    """An event of a module's history: the tuples of its predicates, and what places it among those of its time."""

    tuples: tuple[tuple[str, EventTuple], ...]
    position: int | float | None = None
    transaction: Value | None = None


class Recognizer:
    """Finds the events that a module monitors."""

    def __init__(self, module: EventModule) -> None:
        self._partition = module.partition
        self._labels = {each.name: _Reader(each) for each in module.monitored if each.operation is None}
        changes = [each for each in module.monitored if each.operation is not None]
        self._changes: dict[tuple[object, str], _Reader] = {
            (each.operation, each.name): _Reader(each) for each in changes
        }
        self._declared: dict[tuple[object, str], _Reader] = {
            (each.operation, each.name.lower()): _Reader(each) for each in changes if each.attributes
        }
        self.labels = module.reads

    def arrivals(self, events: Iterable[Occurrence], first: int) -> Iterator[tuple[Key, Arrival]]:
        """The monitored ones of some events with their history, numbered from `first` on.

        The key of an event that lacks the partition attribute is `NO_HISTORY`.
        """
        for number, event in enumerate(events, first):
            if event.label not in self.labels:
                continue
            found = self._arrival(event, str(number))
            if found is not None:
                yield self._key(found), found

    def _arrival(self, event: Occurrence, identity: str) -> Arrival | None:
        tuples = []
        position = transaction = None
        if (reader := self._labels.get(event.label)) is not None:
            fields = reader.fields(_content(event))
            tuples.append((reader.predicate, EventTuple(identity, fields, event.begin, event.end, event)))
        if event.label == CHANGE:
            parts = {part.label: part for part in event.term.children if isinstance(part, Term)}
            position, transaction = _number(_value(parts.get("position"))), _value(parts.get("transaction"))
            operation, table = _value(parts.get("operation")), _value(parts.get("table"))
            changed = self._changed(operation, table) if isinstance(table, str) else None
            if changed is not None:
                old, new = (changed.row(parts.get(name)) for name in ("old", "new"))
                contents = change_fields(old, new)
                tuples.append((changed.predicate, EventTuple(identity, contents, event.begin, event.end, event)))
        return Arrival(tuple(tuples), position, transaction) if tuples else None

    def attributes(self, event: Event) -> EventTuple:
        """An event that was monitored, with its attributes; it stands for itself in the arguments of actions."""
        found = self._arrival(occurrence(event), event.id)
        fields = {} if found is None else {k: v for _, one in found.tuples for k, v in one.fields.items()}
        return EventTuple(event.id, fields, event.begin, event.end, event)

    def _changed(self, operation: Value | None, table: str) -> _Reader | None:
        exact = self._changes.get((operation, table))
        return exact if exact is not None else self._declared.get((operation, table.lower()))

    def _key(self, arrival: Arrival) -> Key:
        if self._partition is None:
            return None
        for _, one in arrival.tuples:
            value = one.attribute(self._partition)
            if value is not None:
                return wrap(value)
        return NO_HISTORY


class _NoHistory:
    """What the key of an event is that belongs to no history."""


NO_HISTORY = _NoHistory()


class _Reader:
    """Reads the attributes of one kind of event, under their declared names."""

    def __init__(self, monitored: Monitored) -> None:
        self.predicate = monitored.predicate
        self._declared = {name.lower(): name for name in reversed(monitored.attributes)}

    def fields(self, content: Mapping[str, Value]) -> Mapping[str, Value]:
        declared = self._declared
        if not declared:
            return content
        named = {declared.get(name.lower(), name): value for name, value in content.items()}
        return {**named, **{name: content[name] for name in content if name in declared.values()}}

    def row(self, part: Term | None) -> Mapping[str, Value] | None:
        return None if part is None else self.fields(children(part))


def _content(event: Occurrence) -> Mapping[str, Value]:
    return event.content if event.content is not None else children(event.term)


def children(term: Term) -> dict[str, Value]:
    """The children by label: the one scalar in each, or else the child itself; what occurs twice is no attribute."""
    found: dict[str, Value] = {}
    twice: set[str] = set()
    for child in term.children:
        if isinstance(child, Term):
            if child.label in found:
                twice.add(child.label)
            inside = child.children
            found[child.label] = inside[0] if len(inside) == 1 and not isinstance(inside[0], Term) else child
    for name in twice:
        del found[name]
    return found


def _value(term: Term | None) -> Value | None:
    return term.children[0] if term is not None and len(term.children) == 1 else None


def _number(value: Value | None) -> int | float | None:
    return value if isinstance(value, int | float) else None
