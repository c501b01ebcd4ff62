"""The events of a batch as columns: a table for each label that is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from operator import attrgetter
from typing import Any

import numpy as np

from cera.engines.columns.coverage import EXACT
from cera.engines.columns.rows import Array, Kind, OutsideColumnsError, Places, Times, Truths
from cera.engines.columns.strings import Strings
from cera.model.columns.column_hashes import Hashes, hashed_children, hashed_events, hashed_numbers, hashed_truths
from cera.model.events.occurrence import Occurrence, json_occurrence
from cera.model.terms.term import Term

#: So many strings are not looked through for those that are still used.
FEW_STRINGS = 1_000_000
#: Names of children that JSON writes in another way.
_SPECIAL_NAMES = ("", "{}")
#: A number by which others are spread over 64 bits.
_ODD = np.uint64(0x9E3779B97F4A7C15)
#: How many ids are made at once: so few that what is calculated for them stays near the processor.
_PIECE = 1 << 14


@dataclass(frozen=True)
class Attribute:
    """The values of a child, and in which events there is one; None: in all. Elsewhere the values are arbitrary."""

    kind: Kind
    values: Array
    present: Truths | None

    def take(self, places: Places | Truths | slice) -> Attribute:
        present = None if self.present is None else self.present[places]
        return Attribute(self.kind, self.values[places], present)

    def hashes(self, name: str, strings: Strings) -> Hashes:
        """Returns the hashes of the terms `name{value}`; arbitrary ones where there is no value."""
        match self.kind:
            case "string":
                return strings.children(name, self.values)
            case "number":
                return hashed_children(name, hashed_numbers(self.values))
            case "boolean":
                return hashed_children(name, hashed_truths(self.values))
            case "nothing":
                raise AssertionError("a child has no values")


@dataclass(frozen=True)
class EventTable:
    """The events of a label in the order of their ends; `first_number` and the following ones are theirs alone."""

    label: str
    begin: Times
    end: Times
    attributes: Mapping[str, Attribute]
    strings: Strings
    first_number: int = 0
    #: How many ids were asked for, and those of all events, once that were many.
    _known: list[Hashes] = field(init=False, default_factory=list, compare=False, repr=False)
    _asked: list[int] = field(init=False, default_factory=lambda: [0], compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.end)

    def take(self, places: Places | Truths | slice) -> EventTable:
        attributes = {name: attribute.take(places) for name, attribute in self.attributes.items()}
        end = self.end[places]
        begin = end if self.begin is self.end else self.begin[places]
        return replace(self, begin=begin, end=end, attributes=attributes)

    def part(self, first: int, end: int) -> EventTable:
        """Returns the events from one place to before another, without those around them."""
        return self if first == 0 and end == len(self) else self.take(np.arange(first, end))

    def before(self, end: int) -> EventTable:
        """Returns the events before a place, which share the memory of all."""
        return self if end == len(self) else self.take(slice(0, end))

    def content(self, place: int) -> dict[str, Any]:
        """Returns the children of an event."""
        here = slice(place, place + 1)
        cells = {name: _cells(attribute.take(here), self.strings)[0] for name, attribute in self.attributes.items()}
        return {name: cell for name, cell in cells.items() if cell is not None}

    def distinct(self, name: str) -> list[Any]:
        """Returns the values of an attribute, each once."""
        found = self.attributes.get(name)
        if found is None:
            return []
        here = found.values if found.present is None else found.values[found.present]
        return _cells(Attribute(found.kind, np.unique(here), None), self.strings)

    def ids(self, places: Places) -> Hashes:
        """Returns the halves of the ids of some events."""
        if not self._known:
            self._asked[0] += len(places)
            if 2 * self._asked[0] < len(self):
                return self.take(places)._all_ids()
            known: Hashes = np.empty((2, len(self)), np.uint64)
            for first in range(0, len(self), _PIECE):
                part = slice(first, first + _PIECE)
                known[:, part] = self.take(part)._all_ids()
            self._known.append(known)
        return np.take(self._known[0], places, axis=1)

    def _all_ids(self) -> Hashes:
        children = [(each.hashes(name, self.strings), each.present) for name, each in self.attributes.items()]
        return np.broadcast_to(hashed_events(self.label, children, self.begin, self.end), (2, len(self)))


@dataclass
class EventStore:
    """The tables of the labels that are asked for: events that may still matter, and those of the last batch."""

    labels: frozenset[str]
    strings: Strings = field(default_factory=Strings)
    tables: dict[str, EventTable] = field(default_factory=dict)

    def add(self, events: Iterable[Occurrence]) -> None:
        """Adds different events in the order of their ends. Raises OutsideColumnsError if they do not fit."""
        self.add_tables(tables_of((event for event in events if event.label in self.labels), self.strings))

    def add_tables(self, tables: Mapping[str, EventTable]) -> None:
        """The same for tables, of which those of other labels are left out. If one does not fit, none is added."""
        chosen = {label: table for label, table in tables.items() if label in self.labels}
        self.tables = all_joined(self.tables, chosen)
        self._number()

    def forget(self, until: int, *, strings: bool) -> None:
        """Drops the events that end by a time; and strings, if others do not use them."""
        self.tables = {label: cut(table, until)[1] for label, table in self.tables.items()}
        if strings and len(self.strings) > FEW_STRINGS:
            forget_strings([self])

    def keep(self, label: str, chosen: Truths) -> None:
        """Drops the other events of a label."""
        if not chosen.all():
            self.tables[label] = self.tables[label].take(np.flatnonzero(chosen))

    def _number(self) -> None:
        first = 0
        for label, table in self.tables.items():
            self.tables[label] = replace(table, first_number=first)
            first += len(table)


def forget_strings(stores: Sequence[EventStore]) -> None:
    """Gives new codes to the strings that are left in stores with the same strings, if these are few."""
    tables = [table for store in stores for table in store.tables.values()]
    texts = [a.values for table in tables for a in table.attributes.values() if a.kind == "string"]
    used = np.unique(np.concatenate(texts)) if texts else np.empty(0, np.int64)
    if len(used) > len(stores[0].strings) // 2:
        return
    strings = Strings(stores[0].strings.text(code) for code in used.tolist())
    for store in stores:
        for label, table in store.tables.items():
            attributes = {
                name: replace(a, values=np.searchsorted(used, a.values)) if a.kind == "string" else a
                for name, a in table.attributes.items()
            }
            store.tables[label] = replace(table, attributes=attributes, strings=strings)
        store.strings = strings


def all_joined(old: Mapping[str, EventTable], new: Mapping[str, EventTable]) -> dict[str, EventTable]:
    """Returns the events of the tables of each label. Raises OutsideColumnsError if some do not fit into one."""
    return {**old, **{label: joined(old.get(label), table) for label, table in new.items()}}


def tables_of(events: Iterable[Occurrence], strings: Strings) -> dict[str, EventTable]:
    """Returns events as a table for each label. Raises OutsideColumnsError if they do not fit into tables."""
    by_label: dict[str, list[Occurrence]] = {}
    for event in events:
        by_label.setdefault(event.label, []).append(event)
    return {label: table_of(label, group, strings) for label, group in by_label.items()}


def joined(old: EventTable | None, new: EventTable) -> EventTable:
    """Returns the events of two tables of a label. Raises OutsideColumnsError if they do not fit into one."""
    return new if old is None or not len(old) else one_table([old, new])


def one_table(tables: Sequence[EventTable]) -> EventTable:
    """Returns the events of tables of a label, one table after the other. Raises OutsideColumnsError if they do not fit
    into one."""
    last = tables[-1]
    if len(tables) == 1:
        return last
    names = dict.fromkeys(name for table in tables for name in table.attributes)
    attributes = {name: _joined(name, tables) for name in names}
    end = np.concatenate([table.end for table in tables])
    points = all(table.begin is table.end for table in tables)
    begin = end if points else np.concatenate([table.begin for table in tables])
    return EventTable(last.label, begin, end, attributes, last.strings)


def cut(table: EventTable, until: int) -> tuple[EventTable, EventTable]:
    """Returns the events that end by a time, and the others."""
    first = int(np.searchsorted(table.end, until, "right"))
    return table.before(first), table.part(first, len(table))


def distinct_events(table: EventTable) -> EventTable:
    """Returns the events, each once."""
    begin, end, order = table.begin, table.end, None
    if begin is end:
        same = end[1:] == end[:-1]
    else:
        if not bool((begin[1:] >= begin[:-1]).all()):
            order = np.lexsort((begin, end))
            begin, end = begin[order], end[order]
        same = (begin[1:] == begin[:-1]) & (end[1:] == end[:-1])
    if not same.any():
        return table
    if order is None:
        order = np.arange(len(table))
    tied = np.zeros(len(order), np.bool_)
    tied[1:] |= same
    tied[:-1] |= same
    places = _alike(table, order[tied])
    if not len(places):
        return table
    first, second = table.ids(places)
    by_id = np.lexsort((places, second, first, table.begin[places], table.end[places]))
    sorted_places, sorted_ids = places[by_id], np.stack([first[by_id], second[by_id]])
    equal = (sorted_ids[:, 1:] == sorted_ids[:, :-1]).all(axis=0)
    if not equal.any():
        return table
    kept = np.ones(len(table), np.bool_)
    kept[sorted_places[1:][equal]] = False
    return table.take(kept)


def _alike(table: EventTable, places: Places) -> Places:
    """Returns the places among some of which another may have an equal event, in their order: their numbers are equal,
    which are cheaper than ids."""
    found = table.end[places].view(np.uint64) * _ODD + table.begin[places].view(np.uint64)
    for attribute in table.attributes.values():
        values = attribute.values[places]
        if attribute.kind == "number":
            values = values + 0.0  # -0.0 is 0
        bits: Array = values.astype(np.uint64) if attribute.kind == "boolean" else values.view(np.uint64)
        if attribute.present is not None:
            there = attribute.present[places].astype(np.uint64)
            bits = (bits + np.uint64(1)) * there
        found = (found ^ bits) * _ODD
        found ^= found >> np.uint64(29)
    ordered = np.sort(found)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    return places[np.isin(found, repeated)] if len(repeated) else places[:0]


def occurrences_of(tables: Iterable[EventTable]) -> list[Occurrence]:
    """Returns the events of tables in the order of their ends."""
    found: list[Occurrence] = []
    for table in tables:
        names, label = list(table.attributes), table.label
        columns = [_cells(each, table.strings) for each in table.attributes.values()]
        partial = any(each.present is not None for each in table.attributes.values())
        rows = zip(*columns, strict=True) if columns else repeat((), len(table))
        for begin, end, row in zip(table.begin.tolist(), table.end.tolist(), rows, strict=True):
            body = dict(zip(names, row, strict=True))
            if partial:
                body = {name: cell for name, cell in body.items() if cell is not None}
            found.append(json_occurrence(begin, end, label, body))
    found.sort(key=attrgetter("end"))
    return found


def _cells(attribute: Attribute, strings: Strings) -> list[Any]:
    values: list[Any] = attribute.values.tolist()
    if attribute.kind == "string":
        values = [strings.text(code) for code in values]
    elif attribute.kind == "number":
        values = [int(value) if value.is_integer() else value for value in values]
    if attribute.present is not None:
        return [v if there else None for v, there in zip(values, attribute.present.tolist(), strict=True)]
    return values


def table_of(label: str, events: Sequence[Occurrence], strings: Strings) -> EventTable:
    """Returns events of a label as a table. Raises OutsideColumnsError if they do not fit into one."""
    contents = [content_of(event) for event in events]
    if any(event.qualifier is not None for event in events):
        raise OutsideColumnsError("events have ids from their source")
    names = dict.fromkeys(name for content in contents for name in content)
    if any(name in names for name in _SPECIAL_NAMES):
        raise OutsideColumnsError("events are not flat")
    attributes = {name: _attribute([content.get(name) for content in contents], strings) for name in names}
    begin = np.fromiter((event.begin for event in events), np.int64, len(events))
    end = np.fromiter((event.end for event in events), np.int64, len(events))
    return EventTable(label, begin, end, attributes, strings)


def content_of(event: Occurrence) -> dict[str, Any]:
    """Returns the one value of each child. Raises OutsideColumnsError if the event is not flat."""
    if event.content is not None:
        return event.content
    if event.nested is not None:
        return event.nested
    found: dict[str, Any] = {}
    term = event.term
    for child in term.children:
        if not isinstance(child, Term) or child.ordered or len(child.children) != 1 or child.label in _SPECIAL_NAMES:
            raise OutsideColumnsError("events are not flat")
        if child.label in found:
            raise OutsideColumnsError("an event has two children with one name")
        found[child.label] = child.children[0]
    if term.ordered:
        raise OutsideColumnsError("the children of an event are ordered")
    return found


def _attribute(values: list[Any], strings: Strings) -> Attribute:
    kinds = set(map(type, values))
    present: Truths | None = None
    if type(None) in kinds:
        kinds.discard(type(None))
        present = np.fromiter((value is not None for value in values), np.bool_, len(values))
    if kinds <= {int, float}:
        return Attribute("number", _doubles([0.0 if value is None else value for value in values]), present)
    if kinds == {str}:
        return Attribute("string", strings.codes(["" if value is None else value for value in values]), present)
    if kinds == {bool}:
        return Attribute("boolean", np.array([bool(value) for value in values]), present)
    raise OutsideColumnsError("a child has values of different kinds, or is not flat")


def _doubles(values: list[int | float]) -> Array:
    try:
        found = np.array(values, np.float64)
    except OverflowError:
        found = np.full(1, np.inf)
    if len(found) and not np.abs(found).max() < EXACT:
        raise OutsideColumnsError("events have numbers of more than 53 bits")
    return found


def _joined(name: str, tables: Sequence[EventTable]) -> Attribute:
    """Returns the values of a child in tables, of which some may lack it."""
    like = next(table.attributes[name] for table in tables if name in table.attributes)
    parts = [table.attributes.get(name) or _absent(len(table), like) for table in tables]
    if any(part.kind != like.kind for part in parts):
        raise OutsideColumnsError("a child has values of different kinds")
    present = None
    if any(part.present is not None for part in parts):
        known = [np.ones(len(a.values), np.bool_) if a.present is None else a.present for a in parts]
        present = np.concatenate(known)
    return Attribute(like.kind, np.concatenate([part.values for part in parts]), present)


def _absent(count: int, like: Attribute) -> Attribute:
    return Attribute(like.kind, np.zeros(count, like.values.dtype), np.zeros(count, np.bool_))
