"""Answers in columns as the JSON lines that are written, in the order of output.

The lines are exactly those of `cera.connectors.event_lines`. Events are ordered by (end, begin, term); equal events are
one, which is shown with the first of its derivations. Text is made by Arrow, some thousand lines at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from json.encoder import encode_basestring
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cera.engines.columns.answer_order import output_order
from cera.engines.columns.evaluation import AnswerBlock
from cera.engines.columns.line_template import Fixed, LineTemplate, time_texts
from cera.engines.columns.number_texts import number_texts
from cera.engines.columns.rows import Column, OutsideColumnsError, Places
from cera.engines.columns.strings import Strings
from cera.model.columns.arrow_buffers import array_of, binaries
from cera.model.columns.column_hashes import (
    Hashes,
    hashed_children,
    hashed_events,
    hashed_numbers,
    hashed_truths,
    id_digits,
)
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeFormat

#: A shorter text cannot hold a term that is too large.
_LONGEST = 100_000
#: How many lines are made at once: so few that what is calculated for them stays near the processor.
_PIECE = 1 << 14
#: How many lines of a rule that has few are made ahead.
_AHEAD = 1 << 12
#: Where there are at least so many lines of one rule after the other, they are taken together.
_FEW_RUNS = 4


@dataclass(frozen=True)
class OrderedLines:
    """The lines of a batch in the order of output, made when they are asked for; and how many events of each label
    there are."""

    texts: Iterable[bytes | memoryview]
    count: int
    labels: Counter[str]

    @property
    def lines(self) -> list[str]:
        return b"".join(self.texts).decode().split("\n")[:-1]


class MadeLine(NamedTuple):
    """A line that was made event by event, with its end, and what it is ordered by."""

    end: Time
    begin: Time
    label: str
    text: bytes


def ordered_lines(
    blocks: Iterable[AnswerBlock],
    strings: Strings,
    times: TimeFormat,
    chosen: Callable[[str], bool],
    made: Sequence[MadeLine] = (),
) -> OrderedLines:
    """Returns the lines of the events whose labels are chosen, and the counts of all. The lines that are `made` have
    other labels than the blocks, and are in their order."""
    found = [block for block in blocks if len(block.end)]
    labels = Counter(line.label for line in made)
    others = [line for line in made if chosen(line.label)]
    if not found:
        return OrderedLines([b"".join(line.text for line in others)] if others else (), len(others), labels)
    order = output_order(found, strings)
    sizes = [len(block.end) for block in found]
    block_of = np.repeat(np.arange(len(found)), sizes)[order]
    for block, count in zip(found, np.bincount(block_of, minlength=len(found)).tolist(), strict=True):
        labels[block.label] += count
    wanted = np.array([chosen(block.label) for block in found])
    if not wanted.all():
        written = wanted[block_of]
        order, block_of = order[written], block_of[written]
    firsts: Places = np.cumsum(sizes, dtype=np.int64) - np.array(sizes)
    rows = order - firsts[block_of]
    texts: list[_Lines] = [_BlockText(block, strings, times) for block in found]
    if others:
        together = _place_of_each(found, order, block_of, others)
        block_of = np.append(block_of, np.full(len(others), len(found)))[together]
        rows = np.append(rows, np.arange(len(others)))[together]
        texts.append(_MadeLines(binaries([line.text for line in others])))
    return OrderedLines(_Texts(texts, block_of, rows), len(rows), labels)


def _place_of_each(blocks: Sequence[AnswerBlock], order: Places, block_of: Places, made: Sequence[MadeLine]) -> Places:
    """Returns the places of answers in columns, those in `order`, and of lines behind them in their common order."""
    names = sorted({*(block.label for block in blocks), *(line.label for line in made)})
    ranks = {name: rank for rank, name in enumerate(names)}
    end = np.append(np.concatenate([block.end for block in blocks])[order], [line.end for line in made])
    begin = np.append(np.concatenate([block.begin for block in blocks])[order], [line.begin for line in made])
    labels = np.array([ranks[block.label] for block in blocks])[block_of]
    found: Places = np.lexsort((np.append(labels, [ranks[line.label] for line in made]), begin, end))
    return found


class _Lines(Protocol):
    """Answers of which some are made as lines."""

    def lines(self, rows: Places) -> pa.Array:
        """Returns the lines of some answers, with their ends, as binary values."""


@dataclass(frozen=True)
class _MadeLines:
    """Lines that are made already."""

    made: pa.Array

    def lines(self, rows: Places) -> pa.Array:
        return self.made.take(array_of(rows))


@dataclass(frozen=True)
class _Texts:
    """The lines of rows of some blocks, in their order, piece by piece."""

    blocks: Sequence[_Lines]
    block_of: Places
    rows: Places

    def __iter__(self) -> Iterator[bytes | memoryview]:
        several = len(self.blocks) > 1
        all_rows = [self.rows[self.block_of == number] if several else self.rows for number in range(len(self.blocks))]
        lines = [_BlockLines(block, rows) for block, rows in zip(self.blocks, all_rows, strict=True)]
        for first in range(0, len(self.rows), _PIECE):
            block_of = self.block_of[first : first + _PIECE]
            counts = np.bincount(block_of)
            numbers = np.flatnonzero(counts).tolist()
            parts = [lines[number].next(int(counts[number])) for number in numbers]
            if len(numbers) == 1:
                yield _bytes(parts[0])
                continue
            edges = np.flatnonzero(np.diff(block_of)) + 1
            if len(edges) * _FEW_RUNS <= len(block_of):
                yield _merged(dict(zip(numbers, parts, strict=True)), block_of, edges)
            else:
                places = [np.flatnonzero(block_of == number) for number in numbers]
                yield _bytes(pa.concat_arrays(parts).take(array_of(np.argsort(np.concatenate(places)))))


class _BlockLines:
    """The lines of some answers of a rule, in their order."""

    def __init__(self, block: _Lines, rows: Places) -> None:
        self._block = block
        self._rows = rows
        self._made = 0
        self._ahead: pa.Array = binaries([])

    def next(self, count: int) -> pa.Array:
        """Returns the next lines, so many."""
        missing = count - len(self._ahead)
        if missing > 0:
            rows = self._rows[self._made : self._made + max(missing, _AHEAD)]
            self._made += len(rows)
            lines = self._block.lines(rows)
            self._ahead = pa.concat_arrays([self._ahead, lines]) if len(self._ahead) else lines
        found, self._ahead = self._ahead[:count], self._ahead[count:]
        return found


def _merged(parts: Mapping[int, pa.Array], block_of: Places, edges: Places) -> bytes:
    """Returns the lines of several blocks. Between two edges all are of one block."""
    texts = {number: (_bytes(lines), _ends(lines)) for number, lines in parts.items()}
    taken = dict.fromkeys(parts, 0)
    found: list[memoryview] = []
    for first, end in pairwise([0, *edges.tolist(), len(block_of)]):
        number = int(block_of[first])
        text, ends = texts[number]
        at = taken[number]
        taken[number] = at + end - first
        found.append(text[int(ends[at] - ends[0]) : int(ends[taken[number]] - ends[0])])
    return b"".join(found)


def _bytes(lines: pa.Array) -> memoryview:
    """Returns binary values one after the other."""
    ends = _ends(lines)
    return memoryview(lines.buffers()[2])[int(ends[0]) : int(ends[-1])]


def _ends(lines: pa.Array) -> npt.NDArray[np.int32]:
    """Returns where binary values begin and end, each but the first where the one before it ends."""
    return np.frombuffer(lines.buffers()[1], np.int32)[lines.offset : lines.offset + len(lines) + 1]


class _BlockText:
    """The answers of a rule as text."""

    def __init__(self, block: AnswerBlock, strings: Strings, times: TimeFormat) -> None:
        self._block = block
        self._strings = strings
        self._times = times
        self._template = LineTemplate()

    def lines(self, rows: Places) -> pa.Array:
        """Returns the lines of some answers, with their ends, as binary values."""
        first, in_a_row = int(rows[0]), bool((rows[1:] - rows[:-1] == 1).all())
        block = self._block.take(slice(first, first + len(rows)) if in_a_row else rows)
        end = time_texts(block.end, self._times)
        begin = end if block.begin is block.end else time_texts(block.begin, self._times)
        parts: list[str | Fixed | pa.Array] = ['{"begin": ', begin, ', "end": ', end]
        between = f', "term": {{{encode_basestring(block.label)}: {{'
        for name, column in block.children.items():
            parts += [f"{between}{encode_basestring(name)}: ", self._json(column)]
            between = ", "
        if not block.children:
            parts.append(between)
        parts += [f'}}}}, "rule": {encode_basestring(block.rule)}, "id": "', id_digits(self._ids(block))]
        between = '", "causes": {'
        for name, events in block.causes.items():
            parts += [f'{between}{encode_basestring(name)}: "', events.digits]
            between = '", '
        parts.append('"}}\n' if block.causes else '", "causes": {}}\n')
        return self._template.lines(parts, len(rows))

    def _json(self, column: Column) -> pa.Array:
        match column.kind:
            case "string":
                return self._strings.json(column.values)
            case "boolean":
                return _TRUTHS.take(array_of(column.values.astype(np.int64)))
            case _:
                return number_texts(column.values)

    def _ids(self, block: AnswerBlock) -> Hashes:
        children = [(self._hashes(name, column), None) for name, column in block.children.items()]
        found = hashed_events(block.label, children, block.begin, block.end)
        return np.broadcast_to(found, (2, len(block.end)))

    def _hashes(self, name: str, column: Column) -> Hashes:
        match column.kind:
            case "string":
                return self._strings.children(name, column.values)
            case "boolean":
                return hashed_children(name, hashed_truths(column.values))
            case _:
                return hashed_children(name, hashed_numbers(column.values))


_TRUTHS = binaries([b"false", b"true"])


def check_length(block: AnswerBlock, strings: Strings) -> None:
    """Raises OutsideColumnsError if an answer may hold a term that is too large."""
    columns = block.children.values()
    if sum(strings.longest(column.values) for column in columns if column.kind == "string") >= _LONGEST:
        raise OutsideColumnsError("an answer is very long")
