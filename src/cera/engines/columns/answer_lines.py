"""Answers in columns as the JSON lines that are written, in the order of output.

The lines are exactly those of `cera.connectors.event_lines`. Events are ordered by (end, begin, term); equal events are
one, which is shown with the first of its derivations. Text is made by Arrow, some thousand lines at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cera.engines.columns.answer_order import output_order
from cera.engines.columns.evaluation import AnswerBlock
from cera.engines.columns.number_texts import number_texts
from cera.engines.columns.rows import Column, OutsideColumnsError, Places, Times
from cera.engines.columns.strings import Strings
from cera.model.columns.arrow_buffers import array_of, binaries, binary
from cera.model.columns.column_hashes import Hashes, hashed_events, hashed_numbers, hashed_truths, hexadecimal
from cera.model.time.time_text import TimeFormat

#: A shorter text cannot hold a term that is too large.
_LONGEST = 100_000
_ID_DIGITS = 32
#: How many lines are made at once: so few that what is calculated for them stays near the processor.
_PIECE = 1 << 14


@dataclass(frozen=True)
class OrderedLines:
    """The lines of a batch in the order of output, made when they are asked for; and how many events of each label
    there are."""

    texts: Iterable[bytes]
    count: int
    labels: Counter[str]

    @property
    def lines(self) -> list[str]:
        return b"".join(self.texts).decode().split("\n")[:-1]


def ordered_lines(
    blocks: Iterable[AnswerBlock], strings: Strings, times: TimeFormat, chosen: Callable[[str], bool]
) -> OrderedLines:
    """Returns the lines of the events whose labels are chosen, and the counts of all."""
    found = [block for block in blocks if len(block.end)]
    if not found:
        return OrderedLines((), 0, Counter())
    for block in found:
        _check_length(block, strings)
    order = output_order(found, strings)
    sizes = [len(block.end) for block in found]
    block_of = np.repeat(np.arange(len(found)), sizes)[order]
    labels: Counter[str] = Counter()
    for block, count in zip(found, np.bincount(block_of, minlength=len(found)).tolist(), strict=True):
        labels[block.label] += count
    wanted = np.array([chosen(block.label) for block in found])
    if not wanted.all():
        written = wanted[block_of]
        order, block_of = order[written], block_of[written]
    firsts: Places = np.cumsum(sizes, dtype=np.int64) - np.array(sizes)
    rows = order - firsts[block_of]
    texts = [_BlockText(block, strings, times) for block in found]
    return OrderedLines(_Texts(texts, block_of, rows), len(rows), labels)


@dataclass(frozen=True)
class _Texts:
    """The lines of rows of some blocks, in their order, piece by piece."""

    blocks: Sequence[_BlockText]
    block_of: Places
    rows: Places

    def __iter__(self) -> Iterator[bytes]:
        for first in range(0, len(self.rows), _PIECE):
            block_of, rows = (each[first : first + _PIECE] for each in (self.block_of, self.rows))
            parts: list[pa.Array] = []
            places: list[Places] = []
            for number in np.unique(block_of).tolist():
                here = np.flatnonzero(block_of == number)
                parts.append(self.blocks[number].lines(rows[here]))
                places.append(here)
            lines = parts[0]
            if len(parts) > 1:
                lines = pa.concat_arrays(parts).take(array_of(np.argsort(np.concatenate(places))))
            yield _bytes(lines)


def _bytes(lines: pa.Array) -> bytes:
    """Returns binary values one after the other."""
    _, offsets, data = lines.buffers()
    ends = np.frombuffer(offsets, np.int32)[lines.offset : lines.offset + len(lines) + 1]
    return bytes(memoryview(data)[int(ends[0]) : int(ends[-1])])


class _BlockText:
    """The answers of a rule as text."""

    def __init__(self, block: AnswerBlock, strings: Strings, times: TimeFormat) -> None:
        self._block = block
        self._strings = strings
        self._times = times

    def lines(self, rows: Places) -> pa.Array:
        """Returns the lines of some answers, with their ends, as binary values."""
        block = self._block.take(rows)
        end = _times(block.end, self._times)
        begin = end if block.begin is block.end else _times(block.begin, self._times)
        text = _Template()
        text.add('{"begin": ', begin)
        text.add(', "end": ', end)
        between = f', "term": {{{encode_basestring(block.label)}: {{'
        for name, column in block.children.items():
            text.add(f"{between}{encode_basestring(name)}: ", self._json(column))
            between = ", "
        if not block.children:
            text.add(between)
        text.add(f'}}}}, "rule": {encode_basestring(block.rule)}, "id": "', _digits(self._ids(block)))
        between = '", "causes": {'
        for name, events in block.causes.items():
            text.add(f'{between}{encode_basestring(name)}: "', _digits(events.ids))
            between = '", '
        text.add('"}}\n' if block.causes else '", "causes": {}}\n')
        return text.joined()

    def _json(self, column: Column) -> pa.Array:
        match column.kind:
            case "string":
                return self._strings.json(column.values)
            case "boolean":
                return _TRUTHS.take(array_of(column.values.astype(np.int64)))
            case _:
                return number_texts(column.values)

    def _ids(self, block: AnswerBlock) -> Hashes:
        children = [(name, self._hashes(column), None) for name, column in block.children.items()]
        found = hashed_events(block.label, children, block.begin, block.end)
        return np.broadcast_to(found, (2, len(block.end)))

    def _hashes(self, column: Column) -> Hashes:
        match column.kind:
            case "string":
                return self._strings.hashes(column.values)
            case "boolean":
                return hashed_truths(column.values)
            case _:
                return hashed_numbers(column.values)


_TRUTHS = binaries([b"false", b"true"])


class _Template:
    """Constant texts and columns, which make a line side by side."""

    def __init__(self) -> None:
        self._parts: list[Any] = []

    def add(self, text: str, column: pa.Array | None = None) -> None:
        self._parts.append(binary(text.encode("utf-8", "backslashreplace")))
        if column is not None:
            self._parts.append(column)

    def joined(self) -> pa.Array:
        return pc.binary_join_element_wise(*self._parts, binary(b""))


def _check_length(block: AnswerBlock, strings: Strings) -> None:
    """Raises OutsideColumnsError if an answer may hold a term that is too large."""
    columns = block.children.values()
    if sum(strings.longest(column.values) for column in columns if column.kind == "string") >= _LONGEST:
        raise OutsideColumnsError("an answer is very long")


def _digits(ids: Hashes) -> pa.Array:
    count = ids.shape[1]
    offsets = np.arange(0, (count + 1) * _ID_DIGITS, _ID_DIGITS, dtype=np.int32)
    return pa.Array.from_buffers(pa.binary(), count, [None, pa.py_buffer(offsets), pa.py_buffer(hexadecimal(ids))])


def _times(times: Times, shown: TimeFormat) -> pa.Array:
    """Returns times as JSON."""
    unit = shown.unit_length
    if unit is not None and not (times % unit).any():
        return pc.cast(array_of(times // unit), pa.string()).cast(pa.binary())
    different, places = np.unique(times, return_inverse=True)
    texts = [_time(shown.format(time)) for time in different.tolist()]
    return binaries(texts).take(array_of(places))


def _time(found: str | int | float) -> bytes:
    return (f'"{found}"' if isinstance(found, str) else repr(found)).encode()
