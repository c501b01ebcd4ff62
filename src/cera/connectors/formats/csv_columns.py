"""The cells of CSV found many rows at a time: what stands between separators.

A cell may have quotes around it, with none inside. Whatever else there may be (rows of other lengths, quotes in other
places, cells of several lines, bytes that are not UTF-8) is left to the ordinary reader.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cera.connectors.formats.byte_columns import BlockBytes, Places
from cera.connectors.formats.csv_files import CsvHead
from cera.connectors.formats.time_columns import TimeColumns, Times
from cera.connectors.records.csv_dialect import CsvDialect
from cera.connectors.records.layout import BYTE_ORDER_MARK, Layout, own_times

_NEWLINE, _RETURN = ord("\n"), ord("\r")
#: How long texts of digits are that may be a year or a day.
_YEAR_OR_DAY = (4, 8)


@dataclass(frozen=True)
class CsvCells:
    """Where the cells of rows begin and end, a column for each of the file."""

    block: BlockBytes
    starts: Places
    ends: Places


def can_split(dialect: CsvDialect) -> bool:
    """Returns whether the cells of a dialect are found here."""
    signs = (dialect.delimiter or ",", dialect.quote)
    return all(len(sign) <= 1 and sign.isascii() for sign in signs) and dialect.decimal != "," and not dialect.empty


def cells_of(data: bytes, head: CsvHead) -> CsvCells | None:
    """Returns the cells of whole lines; None if the ordinary reader must find them."""
    if b"\0" in data or BYTE_ORDER_MARK in data or len(head.header) < 2:
        return None
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError:
            return None
    block = BlockBytes(data)
    array, columns = block.array, len(head.header)
    separators = (array == ord(head.dialect.delimiter or ",")) | (array == _NEWLINE)
    quoted = bool(head.dialect.quote) and head.dialect.quote.encode() in data
    if quoted:
        quotes = np.cumsum(array == ord(head.dialect.quote))
        separators &= quotes & 1 == 0
    places = np.flatnonzero(separators)
    if len(places) % columns:
        return None
    ends = places.reshape(-1, columns)
    if not bool((array[ends[:, -1]] == _NEWLINE).all()) or data.count(b"\n") != len(ends):
        return None
    starts = np.concatenate([[block.first], places[:-1] + 1]).reshape(-1, columns)
    if b"\r" in data:
        returns = array[ends[:, -1] - 1] == _RETURN
        if data.count(b"\r") != int(np.count_nonzero(returns)):
            return None
        ends[:, -1] -= returns
    if quoted:
        inside = quotes[ends - 1] - quotes[starts - 1]
        around = inside == 2
        sign = ord(head.dialect.quote)
        closed = (array[starts] == sign) & (array[ends - 1] == sign) & (ends - starts >= 2)
        if not bool(((inside == 0) | (around & closed)).all()):
            return None
        starts, ends = starts + around, ends - around
    return CsvCells(block, starts, ends)


class CsvTimes:
    """A reader of the times of rows in a layout that is plain."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._columns = TimeColumns(layout.times)
        self._has_unit = layout.times.unit is not None

    def rows(self, data: bytes, head: CsvHead) -> tuple[Times, Times] | None:
        """Returns the begins and ends of rows; None if they must be read one by one."""
        cells, own = cells_of(data, head), own_times(head.header, self._layout)
        if cells is None or own is None:
            return None
        places = [head.header.index(name) for name in own]
        begin, end = (self.read(cells.block, cells.starts[:, place], cells.ends[:, place]) for place in places)
        return None if begin is None or end is None else (begin, end)

    def read(self, block: BlockBytes, starts: Places, ends: Places) -> Times | None:
        """Returns times that are numbers or texts; None if they must be read one by one."""
        lengths = ends - starts
        if len(lengths) and int(lengths.min()) < 1:
            return None
        found = self._columns.texts(block, starts, ends)
        if found is not None:
            return found
        if not self._has_unit and bool(np.isin(lengths, _YEAR_OR_DAY).any()):
            return None
        return self._columns.digits(block, starts, ends)
