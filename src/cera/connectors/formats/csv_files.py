"""CSV files: a header, then a flat record in each row.

Cells are typed like XML text, `true` and `false` are truth values, an empty cell is an absent field. Quotes say nothing
about the type: many programs put them around every cell.
"""

from __future__ import annotations

import codecs
import csv
import itertools
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO

from cera.connectors.records.csv_dialect import CsvDialect, likely_separator, quoting, sniffed
from cera.connectors.records.layout import (
    RECORD_ERRORS,
    TIME_FIELDS,
    Layout,
    RecordError,
    Rejected,
    check_text,
    decode,
    rejected,
    too_large,
)
from cera.connectors.records.record_times import arrival, flat_times, is_state
from cera.connectors.records.records import flat_event
from cera.model.events.event import Event
from cera.model.terms.values import NumberTooLargeError, Scalar, infer_scalar
from cera.model.time.interval import Time
from cera.wording import Setting

#: How many lines are read to find the dialect of a file where it is not given.
_LOOKED_AT = 100
#: The same where more lines may have to be waited for.
_LOOKED_AT_LIVE = 2
_CHUNK = 1 << 16
_OTHER_ENCODING = f"; if the file has another encoding, give it, like {Setting.CSV.of('encoding=latin-1')}"
_TRUTH_VALUES: Mapping[str, bool] = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a file under its header, with the text that it was."""

    cells: Sequence[str]
    header: Sequence[str]
    place: str
    text: str


def read(stream: BinaryIO, name: str, layout: Layout) -> Iterator[Event | Rejected]:
    reading = _CsvReader.of(stream, layout)
    for row in reading.rows(name):
        yield row if isinstance(row, Rejected) else _event(row, layout, reading.dialect)


def read_records(
    stream: BinaryIO, name: str, layout: Layout, missing: Callable[[Collection[str]], str | None]
) -> Iterator[tuple[str, dict[str, Scalar]] | Rejected]:
    """Yields the place and the cells of every row; `missing` says what a header lacks, None if it has all."""
    reading = _CsvReader.of(stream, layout, missing)
    for row in reading.rows(name):
        try:
            yield row if isinstance(row, Rejected) else (row.place, _cells_of(row, layout, reading.dialect, ()))
        except RECORD_ERRORS as error:
            assert isinstance(row, _Row)
            yield rejected(row.place, str(error), row.text)


def read_times(stream: BinaryIO, layout: Layout) -> Iterator[tuple[Time, Time]]:
    """Yields the times of all rows that `read` makes events of, and perhaps of some that it rejects."""
    return _times(_CsvReader.of(stream, layout), layout)


def _times(reading: _CsvReader, layout: Layout) -> Iterator[tuple[Time, Time]]:
    fields = frozenset((*(layout.time_source or TIME_FIELDS), layout.state_field))
    dialect = reading.dialect
    for row in reading.rows(""):
        if isinstance(row, Rejected):
            continue
        cells = {
            name: dialect.number_text(cell) or cell
            for name, cell in zip(row.header, row.cells, strict=False)
            if name in fields and not dialect.is_empty(cell)
        }
        try:
            interval = arrival(flat_times(cells, layout)[0])
        except RECORD_ERRORS:
            continue
        yield interval.begin, interval.end


@dataclass(frozen=True)
class CsvHead:
    """How a file of UTF-8 is written whose header, if it has one, is its first line: what is needed to read a part."""

    dialect: CsvDialect
    header: tuple[str, ...]
    #: The number of the first line behind the header.
    first: int

    def read(self, lines: Iterable[bytes], name: str, layout: Layout, first: int) -> Iterator[Event | Rejected]:
        """Yields the events of a part that begins with the line `first`."""
        for row in self._part(lines, layout, first).rows(name):
            yield row if isinstance(row, Rejected) else _event(row, layout, self.dialect)

    def times(self, lines: Iterable[bytes], layout: Layout) -> Iterator[tuple[Time, Time]]:
        """Yields the times of a part, as `read_times` does."""
        return _times(self._part(lines, layout, 1), layout)

    def _part(self, lines: Iterable[bytes], layout: Layout, first: int) -> _CsvReader:
        dialect = replace(self.dialect, names=self.header, header=False)
        return _CsvReader(_Lines(map(decode, lines), first), dialect, layout.missing_column)


def head_of(stream: BinaryIO, layout: Layout) -> CsvHead | None:
    """Returns how a file is written; None if it must be read from its beginning to its end."""
    encoding = layout.csv.encoding
    if encoding is not None and codecs.lookup(encoding).name != "utf-8":
        return None
    ahead = list(map(decode, itertools.islice(stream, _LOOKED_AT)))
    dialect = sniffed(layout.csv, ahead, layout.missing_column)
    if not dialect.header:
        header, first = dialect.names, 1
    elif not ahead or not ahead[0].strip() or (dialect.quote and dialect.quote in ahead[0]):
        return None
    else:
        cells = ahead[0].rstrip("\r\n").split(dialect.delimiter)
        header, first = dialect.names or tuple(cell.strip() for cell in cells), 2
    return None if _problem(list(header), "", layout.missing_column, dialect) else CsvHead(dialect, header, first)


class _CsvReader:
    """A file that is read row by row, in a dialect."""

    def __init__(self, lines: _Lines, dialect: CsvDialect, missing: Callable[[Collection[str]], str | None]) -> None:
        self._lines = lines
        self._missing = missing
        self.dialect = dialect

    @classmethod
    def of(
        cls, stream: BinaryIO, layout: Layout, missing: Callable[[Collection[str]], str | None] | None = None
    ) -> _CsvReader:
        """Returns the reader of a file, in the dialect that was given or found."""
        lines = _Lines(_texts(stream, layout.csv.encoding))
        ahead = lines.ahead(_LOOKED_AT if stream.seekable() else _LOOKED_AT_LIVE)
        missing = missing or layout.missing_column
        return cls(lines, sniffed(layout.csv, ahead, missing), missing)

    def rows(self, name: str) -> Iterator[_Row | Rejected]:
        lines, missing, dialect = self._lines, self._missing, self.dialect
        rows = csv.reader(lines, strict=True, delimiter=dialect.delimiter or ",", **quoting(dialect))
        header: list[str] | None = None
        if not dialect.header:
            header = list(dialect.names)
            if reason := _problem(header, "", missing, dialect):
                yield rejected(name, f"{reason}; no row of the file was read")
                return
        while True:
            place = f"{name}:{lines.start_record()}"
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                yield rejected(place, f"not CSV: {error}", lines.give_back_all_but_first())
                continue
            except UnicodeError as error:
                yield rejected(place, f"could not be read further: {error}")
                return
            if not any(cell.strip() for cell in row) and len(row) <= 1:
                continue
            if header is None:
                header = list(dialect.names) or [column.strip() for column in row]
                if reason := _problem(header, lines.record, missing, dialect):
                    yield rejected(place, f"{reason}; no row of the file was read", lines.record)
                    return
            else:
                yield _Row(row, header, place, lines.record)


def dialect_of(stream: BinaryIO, layout: Layout) -> CsvDialect:
    """Returns how a file is written, as `read` reads it."""
    return sniffed(layout.csv, _Lines(_texts(stream, layout.csv.encoding)).ahead(_LOOKED_AT), layout.missing_column)


class _Lines(Iterator[str]):
    """The lines of a file, with those that the current record took, which can be given back.

    A quote that is never closed takes the rest of the file into one cell: the line it stands in is rejected, and the
    others are read again.
    """

    def __init__(self, texts: Iterator[str], first: int = 1) -> None:
        self._stream = texts
        self._given_back: deque[str] = deque()
        self._taken: list[str] = []
        self._number = first
        self._failure: UnicodeError | None = None

    def __next__(self) -> str:
        if self._failure is not None and not self._given_back:
            raise self._failure
        line = self._given_back.popleft() if self._given_back else next(self._stream)
        self._taken.append(line)
        return line

    def ahead(self, number: int) -> list[str]:
        """Returns the next lines without consuming them; fewer at the end, or before one that cannot be decoded."""
        try:
            self._given_back.extend(itertools.islice(self._stream, number))
        except UnicodeError as error:
            self._failure = error  # raised when the lines before it are consumed
        return list(self._given_back)

    @property
    def record(self) -> str:
        return "".join(self._taken).rstrip("\r\n")

    def start_record(self) -> int:
        """Starts the next record; returns the number of its first line."""
        self._number += len(self._taken)
        self._taken = []
        return self._number

    def give_back_all_but_first(self) -> str:
        self._given_back.extendleft(reversed(self._taken[1:]))
        self._taken = self._taken[:1]
        return self.record


def _texts(stream: BinaryIO, encoding: str | None) -> Iterator[str]:
    """Yields the lines of a file as texts; bytes that are not UTF-8 are kept for `check_text` to find."""
    first = next(stream, b"")
    if encoding is None and first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    if encoding is None or codecs.lookup(encoding).name == "utf-8":
        return map(decode, itertools.chain([first] if first else [], stream))
    rest = itertools.chain([first], iter(lambda: stream.read(_CHUNK), b""))
    return _lines(codecs.iterdecode(rest, encoding))


def _lines(texts: Iterable[str]) -> Iterator[str]:
    """Yields the lines of a text that comes in pieces."""
    rest = ""
    for text in texts:
        *whole, rest = (rest + text).split("\n")
        yield from (f"{line}\n" for line in whole)
    if rest:
        yield rest


def _problem(
    header: list[str], text: str, missing: Callable[[Collection[str]], str | None], dialect: CsvDialect
) -> str | None:
    """Returns why the file cannot be read under this header; None if it can."""
    try:
        check_text(text)
    except RecordError as error:
        return f"{error}{_OTHER_ENCODING}"
    if "" in header:
        return f"column {header.index('') + 1} of the header has no name"
    twice = [column for i, column in enumerate(header) if column in header[:i]]
    if twice:
        return f"the header has the column `{twice[0]}` twice"
    lacking = missing(header)
    if lacking is None:
        return None
    separator = likely_separator(dialect, text) if len(header) == 1 else None
    if separator is not None:
        found = f"the header is one column, `{header[0]}`; {separator} seems to stand between its cells"
        given = f"{Setting.CSV} delimiter={separator}"
        return f"{found}, give {given}, and the fields for label and time as the header spells them"
    return f"the header has {lacking}; its columns are {', '.join(header)}"


def _event(row: _Row, layout: Layout, dialect: CsvDialect) -> Event | Rejected:
    try:
        needed = partial(_needed, layout=layout)
        return flat_event(_cells_of(row, layout, dialect, layout.time_source or TIME_FIELDS, needed), layout)
    except RECORD_ERRORS as error:
        return rejected(row.place, str(error), row.text)


def _cells_of(
    row: _Row,
    layout: Layout,
    dialect: CsvDialect,
    times: Collection[str],
    needed: Callable[[Mapping[str, str]], Iterable[tuple[str, str | None]]] = lambda cells: (),
) -> dict[str, Scalar]:
    """Returns the values of a row that are there. Raises RecordError if it lacks one that is `needed`."""
    _check_text(row.text)
    if len(row.cells) != len(row.header):
        raise RecordError(f"the row has {_cells(row.cells)}, the header has {_cells(row.header)}")
    texts = {layout.label_source, layout.id_field, layout.state_field, *layout.string_fields}
    cells = {name: cell for name, cell in zip(row.header, row.cells, strict=True) if not dialect.is_empty(cell)}
    for thing, column in needed(cells):
        if column is not None and column not in cells:
            raise RecordError(f"the {thing} is missing: the cell of `{column}` is empty")
    if layout.csv.decimal is None:
        _check_decimal_signs({name: cell for name, cell in cells.items() if name not in texts}, dialect)
    return {name: _value(name, cell, texts, times, dialect) for name, cell in cells.items()}


def cell_value(name: str, cell: str, layout: Layout, dialect: CsvDialect) -> Scalar:
    """Returns the value of a child that is not empty. Raises RecordError if it has none."""
    texts = {layout.label_source, layout.id_field, layout.state_field, *layout.string_fields}
    if layout.csv.decimal is None and name not in texts:
        _check_decimal_signs({name: cell}, dialect)
    return _value(name, cell, texts, (), dialect)


def _needed(cells: Mapping[str, str], layout: Layout) -> Iterator[tuple[str, str | None]]:
    """Yields what a row must have, and the column for it; a state may have no end."""
    begin, end = layout.time_source or (None, None)
    yield "label", layout.label_source
    yield "time", begin
    yield "time", None if is_state(cells, layout.state_field) else end


def _check_text(text: str) -> None:
    try:
        check_text(text)
    except RecordError as error:
        raise RecordError(f"{error}{_OTHER_ENCODING}") from None


def _check_decimal_signs(cells: Mapping[str, str], dialect: CsvDialect) -> None:
    """Raises RecordError where a cell is a number only with the other decimal sign than the one that was found."""
    for name, cell in cells.items():
        if dialect.is_other_number(cell):
            raise RecordError(
                f"`{name}` is {cell}, and the first lines of the file do not show whether that is a number; say which "
                f"is the decimal sign, {Setting.CSV} decimal=',' or {Setting.CSV} decimal=."
            )


def _value(name: str, cell: str, texts: Collection[str | None], times: Collection[str], dialect: CsvDialect) -> Scalar:
    if name in texts:
        return cell
    number = dialect.number_text(cell)
    if name in times:
        return cell if number is None else number
    return cell if number is None else _scalar(name, number)


def _cells(row: Sequence[str]) -> str:
    return "1 cell" if len(row) == 1 else f"{len(row)} cells"


def _scalar(name: str, cell: str) -> Scalar:
    try:
        return _TRUTH_VALUES[cell] if cell in _TRUTH_VALUES else infer_scalar(cell)
    except NumberTooLargeError as error:
        raise too_large(name, str(error)) from None
