"""Blocks of records that are columns: their events by label.

Of each shape of record in a block (its label and its children) one is read by the ordinary reader too, and must be the
same event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from cera.connectors.records.layout import Rejected
from cera.engines.columns.event_tables import Attribute, EventTable, content_of
from cera.engines.columns.rows import OutsideColumnsError, Places, Times
from cera.engines.columns.strings import Strings
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time

#: More shapes of records than that in a block are read one by one.
_MOST_SHAPES = 200
#: Numbers of shapes beyond that are made smaller.
_MANY_SHAPES = 1 << 16


@dataclass(frozen=True)
class EventBlock:
    """Records of a file: as the ordinary reader reads them, and their events by label, if they are columns.

    `examples` has an event of each shape. The events of a table are in the order of their ends.
    """

    records: Callable[[], Iterator[Occurrence | Rejected]]
    tables: dict[str, EventTable] | None
    examples: tuple[Occurrence, ...] = ()
    #: The bytes of the block and the number of its first line, where the rest of a file is read with them.
    data: tuple[bytes, ...] = ()
    first: int = 0
    #: Whether nothing behind it can be read in blocks.
    is_last: bool = False
    #: Records that were rejected, where the block has the events of others.
    rejected: tuple[Rejected, ...] = ()

    @property
    def last_end(self) -> Time:
        assert self.tables is not None
        return max(int(table.end[-1]) for table in self.tables.values())

    @property
    def longest(self) -> int:
        assert self.tables is not None
        return max(_longest(table) for table in self.tables.values())

    @property
    def first_end(self) -> Time:
        assert self.tables is not None
        return min(int(table.end[0]) for table in self.tables.values())


def _longest(table: EventTable) -> int:
    return 0 if table.begin is table.end else int((table.end - table.begin).max())


class EventBlocks(Protocol):
    """The blocks of a file; reading raises OSError where it cannot go on."""

    def __iter__(self) -> Iterator[EventBlock]: ...

    def rest(self, block: EventBlock | None = None) -> Iterator[Occurrence | Rejected]:
        """Returns the records behind the last block, or from this one on, as the ordinary reader reads them."""


@dataclass(frozen=True)
class Fields:
    """The fields of a block: which of some labels each record has, its times in microseconds, its children."""

    names: Sequence[str]
    label_of: Places
    begin: Times
    end: Times
    children: Mapping[str, Attribute]

    def take(self, rows: Places) -> Fields:
        end = self.end[rows]
        begin = end if self.begin is self.end else self.begin[rows]
        children = {name: child.take(rows) for name, child in self.children.items()}
        return Fields(self.names, self.label_of[rows], begin, end, children)


def tables_in_block(
    fields: Fields, strings: Strings, read: Callable[[list[int]], Iterable[Occurrence | Rejected | None]]
) -> tuple[dict[str, EventTable], tuple[Occurrence, ...]] | None:
    """Returns the events by label, and an example of each shape; None if they must be read one by one.

    `read` reads the records at some places in the ordinary way.
    """
    if fields.begin is not fields.end and bool((fields.begin > fields.end).any()):
        return None
    order: Places | None = None
    if bool((fields.end[1:] < fields.end[:-1]).any()):
        order = np.argsort(fields.end, kind="stable")
        fields = fields.take(order)
    begin, end = fields.begin, fields.end
    names, label_of = fields.names, fields.label_of
    firsts = _first_of_each_shape(fields)
    if firsts is None:
        return None
    examples: list[Occurrence] = []
    for found in read((firsts if order is None else order[firsts]).tolist()):
        if not isinstance(found, Occurrence):
            return None
        examples.append(found)
    tables: dict[str, EventTable] = {}
    for code, name in enumerate(names):
        rows = np.flatnonzero(label_of == code) if len(names) > 1 else slice(None)
        parts = {each: _part(child, rows) for each, child in fields.children.items()}
        present = {each: part for each, part in parts.items() if part is not None}
        ends = end[rows]
        tables[name] = EventTable(name, ends if begin is end else begin[rows], ends, present, strings)
    if len(examples) < len(firsts) or not _agree(examples, firsts, label_of, names, tables):
        return None
    return tables, tuple(examples)


def _first_of_each_shape(fields: Fields) -> Places | None:
    """Returns the first record of each shape, its label and its children; None if there are too many shapes."""
    shapes, limit = fields.label_of, len(fields.names)
    for child in fields.children.values():
        if child.present is not None:
            shapes, limit = shapes * 2 + child.present, limit * 2
            if limit > _MANY_SHAPES:
                shapes = np.unique(shapes, return_inverse=True)[1]
                limit = int(shapes.max(initial=0)) + 1
    found = np.flatnonzero(np.bincount(shapes, minlength=1))
    if len(found) > _MOST_SHAPES:
        return None
    return np.array([int(np.argmax(shapes == shape)) for shape in found.tolist()], np.int64)


def _part(child: Attribute, rows: Places | slice) -> Attribute | None:
    """Returns the values of a child in some rows; None if there are none."""
    part = child.take(rows)
    if part.present is None or part.present.all():
        return Attribute(part.kind, part.values, None)
    return part if part.present.any() else None


def _agree(
    examples: list[Occurrence], rows: Places, label_of: Places, names: Sequence[str], tables: dict[str, EventTable]
) -> bool:
    """Returns whether events that were read one by one are those of the tables."""
    for event, row in zip(examples, rows.tolist(), strict=True):
        code = int(label_of[row])
        table = tables[names[code]]
        place = int(np.count_nonzero(label_of[:row] == code))
        same_times = event.begin == table.begin[place] and event.end == table.end[place]
        if event.label != table.label or event.qualifier is not None or not same_times:
            return False
        try:
            if not _are_equal(content_of(event), table.content(place)):
                return False
        except OutsideColumnsError:
            return False
    return True


def _are_equal(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Returns whether two events have equal children. Truth values are not numbers."""
    return one == other and all(isinstance(one[name], bool) == isinstance(other[name], bool) for name in one)
