"""CSV files: a header, then a flat record in each row.

Cells are typed like XML text, `true` and `false` are truth values, an empty cell is an absent field. Quotes say nothing
about the type: many programs put them around every cell.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from cera.connectors.layout import (
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
from cera.connectors.records import flat_event
from cera.model.events import Event
from cera.model.values import NumberTooLargeError, Scalar, infer_scalar

_TRUTH_VALUES: Mapping[str, bool] = {"true": True, "false": False}


def read(stream: BinaryIO, name: str, layout: Layout) -> Iterator[Event | Rejected]:
    lines = _Lines(stream)
    rows = csv.reader(lines, strict=True)
    header: list[str] | None = None
    while True:
        place = f"{name}:{lines.start_record()}"
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield rejected(place, f"not CSV: {error}", lines.give_back_all_but_first())
            continue
        if not any(cell.strip() for cell in row) and len(row) <= 1:
            continue
        if header is None:
            header = [column.strip() for column in row]
            if reason := _problem(header, lines.record, layout):
                yield rejected(place, f"{reason}; no row of the file was read", lines.record)
                return
        else:
            yield _event(row, header, layout, place, lines.record)


class _Lines(Iterator[str]):
    """The lines of a file, with those that the current record took, which can be given back.

    A quote that is never closed takes the rest of the file into one cell: the line it stands in is rejected, and the
    others are read again.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._given_back: deque[str] = deque()
        self._taken: list[str] = []
        self._number = 1

    def __next__(self) -> str:
        line = self._given_back.popleft() if self._given_back else decode(next(self._stream))
        self._taken.append(line)
        return line

    @property
    def record(self) -> str:
        return "".join(self._taken).rstrip("\r\n")

    def start_record(self) -> int:
        """The number of the line that the next record starts in."""
        self._number += len(self._taken)
        self._taken = []
        return self._number

    def give_back_all_but_first(self) -> str:
        self._given_back.extendleft(reversed(self._taken[1:]))
        self._taken = self._taken[:1]
        return self.record


def _problem(header: list[str], text: str, layout: Layout) -> str | None:
    """Why the file cannot be read under this header."""
    try:
        check_text(text)
    except RecordError as error:
        return str(error)
    if "" in header:
        return f"column {header.index('') + 1} of the header has no name"
    twice = [column for i, column in enumerate(header) if column in header[:i]]
    if twice:
        return f"the header has the column `{twice[0]}` twice"
    missing = layout.missing_column(header)
    return f"the header has {missing}; its columns are {', '.join(header)}" if missing else None


def _event(row: list[str], header: list[str], layout: Layout, place: str, text: str) -> Event | Rejected:
    try:
        check_text(text)
        if len(row) != len(header):
            raise RecordError(f"the row has {_cells(row)}, the header has {_cells(header)}")
        texts = {layout.label_source, layout.id_field, *(layout.time_source or TIME_FIELDS), *layout.string_fields}
        cells = {name: cell for name, cell in zip(header, row, strict=True) if cell}
        typed = {name: cell if name in texts else _scalar(name, cell) for name, cell in cells.items()}
        return flat_event(typed, layout)
    except RECORD_ERRORS as error:
        return rejected(place, str(error), text)


def _cells(row: list[str]) -> str:
    return "1 cell" if len(row) == 1 else f"{len(row)} cells"


def _scalar(name: str, cell: str) -> Scalar:
    try:
        return _TRUTH_VALUES[cell] if cell in _TRUTH_VALUES else infer_scalar(cell)
    except NumberTooLargeError as error:
        raise too_large(name, str(error)) from None
