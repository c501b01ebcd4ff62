"""Events as a module sees them: the predicates they belong to, their attributes, their place in the order of stages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence, occurrence, wrap
from cera.model.terms.term import Term, Value
from cera.modules.monitoring import CHANGE, MonitoredEvents
from cera.modules.tuples import EventTuple, change_fields

#: The value of the partition attribute; None if the module has one history.
Key = Any


@dataclass(frozen=True, slots=True)
class Arrival:
    """An event of a module's history: the tuples of its predicates, and its position among those of its time."""

    tuples: tuple[tuple[str, EventTuple], ...]
    position: int | float | None = None
    transaction: Value | None = None


class MonitoringModule(Protocol):
    """A module of any language that has a history of events, or one for each value of an attribute."""

    @property
    def monitored(self) -> tuple[MonitoredEvents, ...]: ...

    @property
    def partition(self) -> str | None: ...

    @property
    def reads(self) -> frozenset[str | None]: ...


class Recognizer:
    """A recognizer of the events that a module monitors."""

    def __init__(self, module: MonitoringModule) -> None:
        self._partition = module.partition
        self._labels = {each.name: Reader(each) for each in module.monitored if each.operation is None}
        changes = [each for each in module.monitored if each.operation is not None]
        self._changes: dict[tuple[object, str], Reader] = {
            (each.operation, each.name): Reader(each) for each in changes
        }
        self._declared: dict[tuple[object, str], Reader] = {
            (each.operation, each.name.lower()): Reader(each) for each in changes if each.attributes
        }
        self.labels = module.reads

    def by_history(self, events: Iterable[Occurrence], first: int) -> dict[Key, list[Arrival]]:
        """Returns the monitored events by history: the same for all modules that see and divide the same."""
        found: dict[Key, list[Arrival]] = {}
        for key, arrival in self.arrivals(events, first):
            found.setdefault(key, []).append(arrival)
        return found

    def arrivals(self, events: Iterable[Occurrence], first: int) -> Iterator[tuple[Key, Arrival]]:
        """Yields the monitored events with their history, numbered from `first` on.

        The key of an event that lacks the partition attribute is `NO_HISTORY`.
        """
        for number, event in enumerate(events, first):
            if event.label not in self.labels:
                continue
            found = self._arrival(event, str(number))
            if found is not None:
                yield history_of(found, self._partition), found

    def _arrival(self, event: Occurrence, identity: str) -> Arrival | None:
        tuples = []
        position = transaction = None
        if (reader := self._labels.get(event.label)) is not None:
            fields = reader.fields(_content(event))
            tuples.append((reader.predicate, EventTuple(identity, fields, event.begin, event.end, event)))
        if event.label == CHANGE:
            operation, table, position, transaction, old, new = _change_fields(event)
            changed = self.reader_of_changes(operation, table) if isinstance(table, str) else None
            if changed is not None:
                contents = changed.change(old, new)
                tuples.append((changed.predicate, EventTuple(identity, contents, event.begin, event.end, event)))
        return Arrival(tuple(tuples), position, transaction) if tuples else None

    def attributes(self, event: Event) -> EventTuple:
        """Returns a monitored event with its attributes; it stands for itself in the arguments of actions."""
        found = self._arrival(occurrence(event), event.id)
        fields = {} if found is None else {k: v for _, one in found.tuples for k, v in one.fields.items()}
        return EventTuple(event.id, fields, event.begin, event.end, event)

    def reader_of_label(self, label: str) -> Reader | None:
        """Returns the reader of the events of a label, if they are monitored."""
        return self._labels.get(label)

    def reader_of_changes(self, operation: Value | None, table: str) -> Reader | None:
        """Returns the reader of the changes of a table by an operation, if they are monitored."""
        exact = self._changes.get((operation, table))
        return exact if exact is not None else self._declared.get((operation, table.lower()))


class _NoHistory:
    """The key of an event that belongs to no history."""


NO_HISTORY = _NoHistory()


def history_of(arrival: Arrival, partition: str | None) -> Key:
    """Returns the history that an event belongs to, where they are divided by an attribute."""
    if partition is None:
        return None
    for _, one in arrival.tuples:
        value = one.attribute(partition)
        if value is not None:
            return wrap(value)
    return NO_HISTORY


_Columns = tuple[str, ...]


class Reader:
    """A reader of the attributes of one kind of event, under their declared names."""

    def __init__(self, monitored: MonitoredEvents) -> None:
        self.predicate = monitored.predicate
        self._declared = {name.lower(): name for name in reversed(monitored.attributes)}
        #: The names of the attributes of changes, by those of the columns before and after.
        self._known: dict[tuple[_Columns, _Columns | None], _Columns | None] = {}

    @property
    def has_declared_names(self) -> bool:
        """Whether attributes may have other names than the children they are read from."""
        return bool(self._declared)

    def fields(self, content: Mapping[str, Value]) -> Mapping[str, Value]:
        declared = self._declared
        if not declared:
            return content
        named = {declared.get(name.lower(), name): value for name, value in content.items()}
        return {**named, **{name: content[name] for name in content if name in declared.values()}}

    def change(self, old: Row | None, new: Row | None) -> Mapping[str, Value]:
        """Returns the attributes of a changed row."""
        before = children(old) if isinstance(old, Term) else old or {}
        after = children(new) if isinstance(new, Term) else new or {}
        columns = (tuple(before), None if new is None else tuple(after))
        if columns not in self._known:
            if len(self._known) == _MOST_TABLES:
                self._known.clear()
            self._known[columns] = self._names(*columns)
        names = self._known[columns]
        if names is not None:
            current = before if new is None else after
            return dict(zip(names, [*before.values(), *after.values(), *current.values()], strict=True))
        rows = (None if row is None else self.fields(found) for row, found in ((old, before), (new, after)))
        return change_fields(*rows)

    def columns(self, names: _Columns) -> Mapping[str, str]:
        """Returns the column that each attribute of an event with certain columns is read from."""
        return {field: str(name) for field, name in self.fields({name: name for name in names}).items()}

    def columns_of_change(self, old: _Columns | None, new: _Columns | None) -> Mapping[str, tuple[str, str]]:
        """Returns the row, `old` or `new`, and the column that each attribute of a change is read from."""
        marked: list[Any] = [
            None if names is None else {name: (row, name) for name in names}
            for row, names in (("old", old), ("new", new))
        ]
        found: Mapping[str, Any] = self.change(*marked)
        return found

    def _names(self, old: _Columns, new: _Columns | None) -> _Columns | None:
        """Returns the attributes in the order of the values; None if columns differ only in the case of their names."""
        before, after = (list(self.fields(dict.fromkeys(names, ""))) for names in (old, new or ()))
        prefixed = [*(f"old_{name}" for name in before), *(f"new_{name}" for name in after)]
        found = (*prefixed, *(before if new is None else after))
        expected = 2 * len(old) if new is None else len(old) + 2 * len(new)
        return found if len(set(found)) == expected else None


#: How many spellings of the columns of a table are kept.
_MOST_TABLES = 100

#: A row of a table: JSON, or the term.
Row = dict[str, Value] | Term

#: Operation, table, position, transaction, old and new row.
_ChangeFields = tuple[Value | None, Value | None, int | float | None, Value | None, Row | None, Row | None]


def _change_fields(event: Occurrence) -> _ChangeFields:
    """Returns the content of a change."""
    nested: dict[str, Any] | None = event.nested
    if nested is not None:
        get = nested.get
        operation, table, transaction, old, new = map(get, ("operation", "table", "transaction", "old", "new"))
        scalars = operation.__class__ is not dict and table.__class__ is not dict and transaction.__class__ is not dict
        if scalars and old.__class__ in _ROWS and new.__class__ in _ROWS:  # otherwise it has an unusual shape
            return operation, table, _number(get("position")), transaction, old, new
    parts = {part.label: part for part in event.term.children if isinstance(part, Term)}
    operation, table, transaction = (_value(parts.get(name)) for name in ("operation", "table", "transaction"))
    return operation, table, _number(_value(parts.get("position"))), transaction, parts.get("old"), parts.get("new")


_ROWS = (dict, type(None))


def operation_and_table(event: Occurrence) -> tuple[Value | None, Value | None]:
    """Returns the operation and the table of a change; None where it does not have one, or has more than a value."""
    operation, table, *_ = _change_fields(event)
    return None if isinstance(operation, Term) else operation, None if isinstance(table, Term) else table


def _content(event: Occurrence) -> Mapping[str, Value]:
    return event.content if event.content is not None else children(event.term)


def children(term: Term) -> dict[str, Value]:
    """Returns the children by label: the one scalar in each, or else the child itself; one that occurs twice is left
    out.
    """
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
