"""Flat JSON records of a few shapes as columns, without a parser: most files are written by one program.

The shape of a line is its text without its values. Lines are compared with known shapes as words of eight bytes, and
what stands between is a string without escapes or a short number, or the block is left to another reader.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cera.connectors.formats.byte_columns import BlockBytes, Places, Truths
from cera.model.columns.arrow_buffers import numbers_in

Kind = Literal["string", "number", "time"]

#: More shapes than that are not looked for.
_MOST_SHAPES = 16
#: Longer strings are left to another reader, in words.
_MOST_WORDS = 8
_STRING = rb'"[^"\\\x00-\x1f]*"'
_NUMBER = rb"-?[0-9][0-9.]*"
_FIELD = re.compile(rb"[ \t]*(%s)[ \t]*:[ \t]*(%s|%s)[ \t]*([,}])" % (_STRING, _STRING, _NUMBER))
_UNUSUAL = re.compile(r'[\x00-\x1f"\\]')


@dataclass(frozen=True)
class StringColumn:
    """Strings by their places in `texts`."""

    texts: Sequence[str]
    places: Places


@dataclass(frozen=True)
class LineColumn:
    """The values of a field, and in which lines there is one; None: in all."""

    kind: Kind
    values: StringColumn | npt.NDArray[Any]
    present: Truths | None


@dataclass(frozen=True)
class _Shape:
    """The texts before, between and behind the values of a line, and the fields that have these values."""

    texts: tuple[bytes, ...]
    fields: tuple[tuple[str, bool], ...]


def _shape(line: bytes) -> _Shape | None:
    """Returns the shape of a flat record; None if it is not a plain one."""
    if not line.startswith(b"{"):
        return None
    at, last = 1, 0
    texts: list[bytes] = []
    fields: list[tuple[str, bool]] = []
    while True:
        found = _FIELD.match(line, at)
        if found is None:
            return None
        name, value = found[1][1:-1], found[2]
        is_string = value.startswith(b'"')
        start, end = found.start(2) + is_string, found.end(2) - is_string
        texts.append(line[last:start])
        fields.append((name.decode("utf-8", "replace"), is_string))
        last, at = end, found.end()
        if found[3] == b"}":
            break
    names = [name for name, _ in fields]
    if line[at:].strip(b" \t\r") or len(set(names)) < len(names) or "\ufffd" in "".join(names):
        return None
    return _Shape((*texts, line[last:]), tuple(fields))


class LineColumns:
    """A reader of blocks of lines, which knows the shapes of the lines before."""

    def __init__(self, times: frozenset[str]) -> None:
        self._times = times
        self._shapes: list[_Shape] = []
        #: The texts of words that were seen, and their places among all texts.
        self._known: dict[Any, int] = {}
        self._texts: list[str] = []

    def read(self, data: bytes) -> Mapping[str, LineColumn] | None:
        """Returns the fields of whole lines; None if another reader must read them."""
        if b"\0" in data:
            return None
        block = BlockBytes(data)
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
                shape = _shape(block.bytes_at(int(starts[left[0]]), int(ends[left[0]])))
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

    def _columns(self, shape: _Shape, block: BlockBytes, values: _Values) -> dict[str, LineColumn] | None:
        columns: dict[str, LineColumn] = {}
        for (name, is_string), starts, ends in zip(shape.fields, values.starts, values.ends, strict=True):
            column: LineColumn | None = None
            if is_string:
                column = self._strings(block, starts, ends)
            elif name in self._times:
                times = block.integers(starts, ends)
                column = None if times is None else LineColumn("time", times, None)
            else:
                numbers = block.doubles(starts, ends)
                column = None if numbers is None else LineColumn("number", numbers, None)
            if column is None or (is_string and name in self._times):
                return None
            columns[name] = column
        return columns

    def _strings(self, block: BlockBytes, starts: Places, ends: Places) -> LineColumn | None:
        width = max(-(-int((ends - starts).max(initial=0)) // 8), 1)
        if width > _MOST_WORDS:
            return None
        words = block.padded(starts, ends, width)
        type_ = pa.uint64() if width == 1 else pa.binary(8 * width)
        encoded = pa.Array.from_buffers(type_, len(words), [None, pa.py_buffer(words)]).dictionary_encode()
        keys = encoded.dictionary.to_pylist()
        known = list(map(self._known.get, keys))
        if None in known:
            for place, key in enumerate(keys):
                if known[place] is None:
                    known[place] = self._learn(key)
                    if known[place] is None:
                        return None
        places = np.array(known, np.int64)[numbers_in(encoded.indices)]
        return LineColumn("string", StringColumn(self._texts, places), None)

    def _learn(self, key: int | bytes) -> int | None:
        """Returns the place of a new text; None if it is not a string as it stands."""
        data = (key.to_bytes(8, "little") if isinstance(key, int) else key).rstrip(b"\0")
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return None
        if _UNUSUAL.search(text):
            return None
        self._known[key] = len(self._texts)
        self._texts.append(text)
        return self._known[key]


@dataclass(frozen=True)
class _Values:
    """Which lines have a shape, and where the values of these stand."""

    starts: list[Places]
    ends: list[Places]
    fit: Truths


@dataclass(frozen=True)
class _Part:
    lines: Places
    columns: Mapping[str, LineColumn]


def _values_of(shape: _Shape, block: BlockBytes, starts: Places, ends: Places) -> _Values:
    """Returns which lines have a shape, and where their values stand."""
    at, fit = starts, np.ones(len(starts), np.bool_)
    found: list[tuple[Places, Places]] = []
    for text, after in pairwise(shape.texts):
        fit &= block.has(text, at)
        at = np.minimum(at + len(text), ends)
        end = np.minimum(block.next(after[0], at), ends)
        found.append((at, end))
        at = end
    fit &= block.has(shape.texts[-1], at) & (at + len(shape.texts[-1]) == ends)
    if not fit.all():
        found = [(first[fit], last[fit]) for first, last in found]
    return _Values([first for first, _ in found], [last for _, last in found], fit)


def _joined(parts: Sequence[_Part], count: int) -> Mapping[str, LineColumn] | None:
    """Returns the fields of the lines of all shapes; None if one has values of two kinds."""
    names = dict.fromkeys(name for part in parts for name in part.columns)
    found: dict[str, LineColumn] = {}
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
