"""JSON records of a few shapes as columns, without a parser: most files are written by one program.

Records are flat, or event objects whose terms are. The shape of a line is its text without its values. Lines are
compared with known shapes as words of eight bytes, and what stands between is a string without escapes or a short
number, or the block is left to another reader.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from cera.connectors.formats.byte_columns import BlockBytes, Places, Truths
from cera.connectors.formats.string_columns import NumberReader, StringColumn, StringReader
from cera.connectors.formats.time_columns import TimeColumns

Kind = Literal["string", "number", "truth", "time"]
#: What a field is: the label, a time, or a child of the event.
Role = Literal["label", "time", "child"]

#: More shapes than that are not looked for.
_MOST_SHAPES = 32
_STRING = rb'"[^"\\\x00-\x1f]*"'
_VALUE = rb"%s|-?[0-9][0-9.]*|true|false|null" % _STRING
_FIELD = re.compile(rb"[ \t]*(%s)[ \t]*:[ \t]*(%s)[ \t]*([,}])" % (_STRING, _VALUE))
#: The term of an event object, up to its children.
_TERM = re.compile(rb'[ \t]*"term"[ \t]*:[ \t]*\{[ \t]*(%s)[ \t]*:[ \t]*\{' % _STRING)
_EMPTY = re.compile(rb"[ \t]*\}")
_CLOSED = re.compile(rb"[ \t]*\}[ \t]*([,}])")
_UNUSUAL = re.compile(r'[\x00-\x1f"\\]')
_FALSE, _TRUE = (int.from_bytes(text, "little") for text in (b"false", b"true"))


class Field(NamedTuple):
    """A field of a record. The children of a term may have names that the record has too."""

    name: str
    role: Role


@dataclass(frozen=True)
class RecordFields:
    """Which fields of a record are not children. Event objects have their label and their children in a term."""

    times: frozenset[str]
    label: str | None = None
    has_term: bool = False

    def field(self, name: str) -> Field | None:
        """Returns a field of a record; None if no record has it."""
        if name in self.times:
            return Field(name, "time")
        if self.has_term:
            return None
        return Field(name, "label" if name == self.label else "child")


@dataclass(frozen=True)
class LineColumn:
    """The values of a field, and in which lines there is one; None: in all. Times are in microseconds."""

    kind: Kind
    values: StringColumn | npt.NDArray[Any]
    present: Truths | None


@dataclass(frozen=True)
class _Shape:
    """The texts before, between and behind the values of a line, and the fields that have these values."""

    texts: tuple[bytes, ...]
    fields: tuple[tuple[Field, Kind], ...]


class _ShapeReader:
    """A reader of one plain line, which becomes a shape."""

    def __init__(self, line: bytes, known: RecordFields) -> None:
        self._line = line
        self._known = known
        self._last = 0
        self._texts: list[bytes] = []
        self._fields: list[tuple[Field, Kind]] = []
        self._names: list[Field] = []

    def shape(self) -> _Shape | None:
        """Returns the shape; None if the line is not a plain record."""
        end = self._record(1) if self._line.startswith(b"{") else None
        if end is None or self._line[end:].strip(b" \t\r") or len(set(self._names)) < len(self._names):
            return None
        if not self._fields or "\ufffd" in "".join(field.name for field in self._names):
            return None
        return _Shape((*self._texts, self._line[self._last :]), tuple(self._fields))

    def _record(self, at: int) -> int | None:
        """Takes the fields of an object from a place on; returns where it ends."""
        terms = 0
        while True:
            if self._known.has_term and (term := _TERM.match(self._line, at)):
                terms += 1
                self._take(Field("", "label"), "string", term.start(1) + 1, term.end(1) - 1)
                inner = self._children(term.end())
                closed = None if inner is None else _CLOSED.match(self._line, inner)
                if closed is None:
                    return None
                at, sign = closed.end(), closed[1]
            elif found := _FIELD.match(self._line, at):
                field = self._known.field(_name(found[1]))
                if field is None or not self._value(field, found):
                    return None
                at, sign = found.end(), found[3]
            else:
                return None
            if sign == b"}":
                return at if terms == self._known.has_term else None

    def _children(self, at: int) -> int | None:
        """Takes the children of a term from a place on; returns where they end."""
        if empty := _EMPTY.match(self._line, at):
            return empty.end()
        while found := _FIELD.match(self._line, at):
            if not self._value(Field(_name(found[1]), "child"), found):
                return None
            at = found.end()
            if found[3] == b"}":
                return at
        return None

    def _value(self, field: Field, found: re.Match[bytes]) -> bool:
        """Takes a value. One that is null is not there, and a part of the text."""
        value = found[2]
        if value == b"null":
            self._names.append(field)
            return field.role == "child"
        quoted = value.startswith(b'"')
        kind: Kind = "string" if quoted else "truth" if value in (b"true", b"false") else "number"
        if (field.role == "time" and kind == "truth") or (field.role == "label" and kind != "string"):
            return False
        self._take(field, kind, found.start(2) + quoted, found.end(2) - quoted)
        return True

    def _take(self, field: Field, kind: Kind, start: int, end: int) -> None:
        self._names.append(field)
        self._fields.append((field, kind))
        self._texts.append(self._line[self._last : start])
        self._last = end


def _name(text: bytes) -> str:
    return text[1:-1].decode("utf-8", "replace")


class LineColumns:
    """A reader of blocks of lines, which knows the shapes of the lines before."""

    def __init__(self, known: RecordFields, times: TimeColumns) -> None:
        self._fields = known
        self._times = times
        self._shapes: list[_Shape] = []
        self._strings = StringReader(_UNUSUAL)
        self._numbers: defaultdict[Field, NumberReader] = defaultdict(NumberReader)

    def read(self, block: BlockBytes) -> Mapping[Field, LineColumn] | None:
        """Returns the fields of whole lines; None if another reader must read them."""
        if block.has_zeros:
            return None
        ends = block.line_ends
        parts = self._parts(block, np.concatenate([[block.first], ends[:-1] + 1]), ends)
        return None if parts is None else _joined(parts, len(ends))

    def _parts(self, block: BlockBytes, starts: Places, ends: Places) -> list[_Part] | None:
        """Returns the lines of each shape with their values."""
        found: list[_Part] = []
        left = np.arange(len(ends))
        tried = 0
        while len(left):
            if tried == len(self._shapes):
                shape = _ShapeReader(block.bytes_at(int(starts[left[0]]), int(ends[left[0]])), self._fields).shape()
                if shape is None or shape in self._shapes or tried >= _MOST_SHAPES:
                    return None
                self._shapes.append(shape)
            shape = self._shapes[tried]
            tried += 1
            values = _values_of(shape, block, starts[left], ends[left])
            if not values.fit.any():
                continue
            these, left = left[values.fit], left[~values.fit]
            columns = self._columns(shape, block, values)
            if columns is None:
                return None
            found.append(_Part(these, columns))
        return found

    def _columns(self, shape: _Shape, block: BlockBytes, values: _Values) -> dict[Field, LineColumn] | None:
        columns: dict[Field, LineColumn] = {}
        for (field, kind), starts, ends in zip(shape.fields, values.starts, values.ends, strict=True):
            column = self._column(field, kind, block, starts, ends)
            if column is None:
                return None
            columns[field] = column
        return columns

    def _column(self, field: Field, kind: Kind, block: BlockBytes, starts: Places, ends: Places) -> LineColumn | None:
        found: npt.NDArray[Any] | None
        if field.role == "time":
            read = self._times.texts if kind == "string" else self._times.digits
            found, kind = read(block, starts, ends), "time"
        elif kind == "string":
            strings = self._strings.read(block, starts, ends)
            return None if strings is None else LineColumn("string", strings, None)
        elif kind == "truth":
            found = _truths(block, starts, ends)
        else:
            found = self._numbers[field].read(block, starts, ends)
        return None if found is None else LineColumn(kind, found, None)


@dataclass(frozen=True)
class _Values:
    """Which lines have a shape, and where the values of these stand."""

    starts: list[Places]
    ends: list[Places]
    fit: Truths


@dataclass(frozen=True)
class _Part:
    lines: Places
    columns: Mapping[Field, LineColumn]


def _truths(block: BlockBytes, starts: Places, ends: Places) -> Truths | None:
    """Returns truth values; None if one is something else."""
    if int((ends - starts).max(initial=0)) > len(b"false"):
        return None
    words = block.padded(starts, ends, 1)[:, 0]
    found: Truths = words == np.uint64(_TRUE)
    return found if bool((found | (words == np.uint64(_FALSE))).all()) else None


def _values_of(shape: _Shape, block: BlockBytes, starts: Places, ends: Places) -> _Values:
    """Returns which lines have a shape, and where their values stand."""
    at, fit = starts, np.ones(len(starts), np.bool_)
    found: list[tuple[Places, Places]] = []
    for text, after in pairwise(shape.texts):
        fit &= block.has(text, at)
        if not fit.any():
            return _Values([], [], fit)
        at = np.minimum(at + len(text), ends)
        end = np.minimum(block.next(after[0], at), ends)
        found.append((at, end))
        at = end
    fit &= block.has(shape.texts[-1], at) & (at + len(shape.texts[-1]) == ends)
    if not fit.all():
        found = [(first[fit], last[fit]) for first, last in found]
    return _Values([first for first, _ in found], [last for _, last in found], fit)


def _joined(parts: Sequence[_Part], count: int) -> Mapping[Field, LineColumn] | None:
    """Returns the fields of the lines of all shapes; None if one has values of two kinds."""
    names = dict.fromkeys(name for part in parts for name in part.columns)
    found: dict[Field, LineColumn] = {}
    for name in names:
        having = [part for part in parts if name in part.columns]
        columns = [part.columns[name] for part in having]
        if len({column.kind for column in columns}) > 1:
            return None
        if len(parts) == 1:
            found[name] = columns[0]
            continue
        arrays = [each.values.places if isinstance(each.values, StringColumn) else each.values for each in columns]
        values = np.zeros(count, arrays[0].dtype)
        present = np.zeros(count, np.bool_)
        for part, array in zip(having, arrays, strict=True):
            values[part.lines] = array
            present[part.lines] = True
        first = columns[0].values
        joined = StringColumn(first.texts, values) if isinstance(first, StringColumn) else values
        found[name] = LineColumn(columns[0].kind, joined, None if len(having) == len(parts) else present)
    return found
