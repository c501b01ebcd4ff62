"""Tables of events from Arrow columns as messages have them (`model/columns/flat_events`), and back.

A table of Arrow has the events of several labels, and a column for each kind of value that a child has in some of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from cera.engines.columns.coverage import EXACT
from cera.engines.columns.event_tables import Attribute, EventTable
from cera.engines.columns.rows import Array, Kind, OutsideColumnsError, Places, Times, Truths
from cera.engines.columns.strings import Strings
from cera.model.columns.arrow_buffers import array_of, filled, numbers_in, present_in, truths_in, whole
from cera.model.columns.flat_events import BEGIN, END, HALVES, LABEL, QUALIFIER, is_child

_NUMBERS = frozenset(("integer", "fraction", "double"))
#: How the kinds of values are named in columns that are written here.
_WRITTEN: Mapping[Kind, str] = {"number": "double", "string": "string", "boolean": "boolean"}
#: Names of children that JSON writes in another way.
_SPECIAL_NAMES = ("", "{}")


def tables_in(table: pa.Table, strings: Strings) -> dict[str, EventTable]:
    """Returns the events of a table by label, sorted by their ends. Raises OutsideColumnsError if they do not fit."""
    known = {name: whole(table.column(name)) for name in table.column_names}
    if any(name in known for name in (*HALVES, QUALIFIER)):
        raise OutsideColumnsError("events have ids from their source")
    ends: Times = numbers_in(known[END])
    begins: Times = numbers_in(known[BEGIN]) if BEGIN in known else ends
    labels = known[LABEL]
    if not pa.types.is_dictionary(labels.type):
        labels = labels.dictionary_encode()
    codes = numbers_in(labels.indices)
    children = [_Child(name, known[name], strings) for name in known if is_child(name)]
    found: dict[str, EventTable] = {}
    for code, label in enumerate(labels.dictionary.to_pylist()):
        places = np.flatnonzero(codes == code)
        if len(places):
            found[label] = _table(label, begins, ends, children, places, strings)
    return found


def _table(
    label: str, begins: Times, ends: Times, children: Iterable[_Child], places: Places, strings: Strings
) -> EventTable:
    end = ends[places]
    if bool((end[1:] < end[:-1]).any()):
        order = np.argsort(end, kind="stable")
        places, end = places[order], end[order]
    attributes: dict[str, Attribute] = {}
    for child in children:
        attribute = child.attribute(places)
        if attribute is not None:
            before = attributes.get(child.name)
            attributes[child.name] = attribute if before is None else _either(before, attribute)
    return EventTable(label, end if begins is ends else begins[places], end, attributes, strings)


class _Child:
    """A column: the values of one kind of a child."""

    def __init__(self, column: str, array: pa.Array, strings: Strings) -> None:
        self._kind, self.name = column.split(":", 1)
        self._present = present_in(array)
        self._values = self._read(array, strings)

    def _read(self, array: pa.Array, strings: Strings) -> Array:
        if self._kind in _NUMBERS:
            return filled(numbers_in(array).astype(np.float64), self._present)
        if self._kind == "boolean":
            return filled(truths_in(array), self._present)
        if self._kind == "string":
            encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
            codes = strings.codes(encoded.dictionary.to_pylist() or [""])
            found: Array = codes[filled(numbers_in(encoded.indices).astype(np.int64), self._present)]
            return found
        return np.zeros(len(array))

    def attribute(self, places: Places) -> Attribute | None:
        """Returns the values in some rows; None if there are none. Raises OutsideColumnsError if they do not fit."""
        present = None if self._present is None else self._present[places]
        if present is not None and present.all():
            present = None
        if present is not None and not present.any():
            return None
        if self.name in _SPECIAL_NAMES:
            raise OutsideColumnsError("events are not flat")
        values = self._values[places]
        if self._kind in _NUMBERS:
            if not np.abs(values).max(initial=0.0) < EXACT:
                raise OutsideColumnsError("events have numbers of more than 53 bits")
            return Attribute("number", values, present)
        if self._kind == "boolean":
            return Attribute("boolean", values, present)
        if self._kind == "string":
            return Attribute("string", values, present)
        raise OutsideColumnsError("events are not flat")


def _either(one: Attribute, other: Attribute) -> Attribute:
    """Returns the values of a child of which some are in one column, and some in another."""
    if one.kind != other.kind or one.present is None or other.present is None:
        raise OutsideColumnsError("a child has values of different kinds")
    present: Truths = one.present | other.present
    values = np.where(one.present, one.values, other.values)
    return Attribute(one.kind, values, None if present.all() else present)


def arrow_table(tables: Iterable[EventTable]) -> pa.Table:
    """Returns the events of tables of different labels as one table of Arrow, for `tables_in`."""
    found = [table for table in tables if len(table)]
    sizes = [len(table) for table in found]
    ends: Times = np.concatenate([table.end for table in found] or [np.empty(0, np.int64)])
    labels = np.repeat(np.arange(len(found), dtype=np.int32), sizes)
    columns: dict[str, Any] = {END: array_of(ends)}
    if not all(table.begin is table.end or bool((table.begin == table.end).all()) for table in found):
        columns[BEGIN] = array_of(np.concatenate([table.begin for table in found]))
    columns[LABEL] = _dictionary(labels, None, [table.label for table in found])
    children = dict.fromkeys((name, each.kind) for table in found for name, each in table.attributes.items())
    for name, kind in children:
        columns[f"{_WRITTEN[kind]}:{name}"] = _column(name, kind, found)
    return pa.table(list(columns.values()), list(columns))


def _column(name: str, kind: Kind, tables: list[EventTable]) -> pa.Array:
    values: list[Array] = []
    present: list[Truths] = []
    for table in tables:
        own = table.attributes.get(name)
        if own is None or own.kind != kind:
            values.append(np.zeros(len(table), {"number": np.float64, "boolean": np.bool_}.get(kind, np.int64)))
            present.append(np.zeros(len(table), np.bool_))
        else:
            values.append(own.values)
            present.append(np.ones(len(table), np.bool_) if own.present is None else own.present)
    there = np.concatenate(present)
    mask = None if there.all() else ~there
    joined = np.concatenate(values)
    if kind != "string":
        return array_of(joined) if mask is None else pa.array(joined, mask=mask)
    used, codes = np.unique(joined, return_inverse=True)
    strings = tables[0].strings
    return _dictionary(codes.astype(np.int32), mask, [strings.text(code) for code in used.tolist()])


def _dictionary(codes: Array, mask: Truths | None, texts: list[str]) -> pa.Array:
    """Returns texts that are stored once each."""
    indices = array_of(codes) if mask is None else pa.array(codes, mask=mask)
    return pa.DictionaryArray.from_arrays(indices, pa.array(texts, pa.string()))
