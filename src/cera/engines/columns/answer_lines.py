"""Answers in columns as the JSON lines that are written, in the order of output.

The lines are exactly those of `cera.connectors.event_lines`. Events are ordered by (end, begin, term); equal events are
one, which is shown with the first of its derivations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from json.encoder import encode_basestring
from typing import Any

import numpy as np

from cera.engines.columns.evaluation import AnswerBlock
from cera.engines.columns.rows import Column, OutsideColumnsError, Places, Times
from cera.engines.columns.strings import Strings
from cera.model.columns.column_hashes import Hashes, hashed_events, hashed_numbers, hashed_truths, hexadecimal
from cera.model.terms.values import scalar_key
from cera.model.time.time_text import TimeFormat

#: A shorter text cannot hold a term that is too large.
_LONGEST = 100_000
_ID_DIGITS = 32


@dataclass(frozen=True)
class OrderedLines:
    """The lines of a batch in the order of output, and how many events of each label there are."""

    lines: Sequence[str]
    labels: Counter[str]


def ordered_lines(
    blocks: Iterable[AnswerBlock], strings: Strings, times: TimeFormat, chosen: Callable[[str], bool]
) -> OrderedLines:
    """Returns the lines of the events whose labels are chosen, and the counts of all."""
    texts = [_BlockText(block, strings, times) for block in blocks if len(block.end)]
    if not texts:
        return OrderedLines((), Counter())
    order = _order(texts)
    labels: Counter[str] = Counter()
    lines: list[str] = []
    numbers: list[Places] = []
    for text in texts:
        numbers.append(np.full(len(text.block.end), -1))
        if chosen(text.block.label):
            numbers[-1] = np.arange(len(text.block.end)) + len(lines)
            lines += text.lines()
    block_of = np.repeat(np.arange(len(texts)), [len(text.block.end) for text in texts])[order]
    for number, count in enumerate(np.bincount(block_of, minlength=len(texts)).tolist()):
        labels[texts[number].block.label] += count
    places = np.concatenate(numbers)[order]
    return OrderedLines([lines[place] for place in places[places >= 0].tolist()], labels)


def _order(texts: Sequence[_BlockText]) -> Places:
    """Returns the places of all events, one block after the other, in the order of output; equal events once."""
    begin = np.concatenate([text.block.begin for text in texts])
    end = np.concatenate([text.block.end for text in texts])
    order = np.lexsort((begin, end))
    same = (begin[order[1:]] == begin[order[:-1]]) & (end[order[1:]] == end[order[:-1]])
    if not same.any():
        return order
    firsts = np.cumsum([0, *(len(text.block.end) for text in texts)])[:-1]
    edges = np.flatnonzero(np.diff(np.concatenate([[0], same.astype(np.int8), [0]])))
    dropped = np.zeros(len(order), np.bool_)
    for first, last in zip(edges[::2].tolist(), (edges[1::2] + 1).tolist(), strict=True):
        together: dict[Any, list[int]] = {}
        for place in order[first:last].tolist():
            number = int(np.searchsorted(firsts, place, "right")) - 1
            together.setdefault(texts[number].key(place - int(firsts[number])), []).append(place)
        found = [_first(texts, firsts, together[key]) for key in sorted(together)]
        order[first : first + len(found)] = found
        dropped[first + len(found) : last] = True
    return order[~dropped]


def _first(texts: Sequence[_BlockText], firsts: Places, places: Sequence[int]) -> int:
    """Returns the place of an event with the first of its derivations."""
    if len(places) == 1:
        return places[0]

    def derivation(place: int) -> tuple[Any, ...]:
        number = int(np.searchsorted(firsts, place, "right")) - 1
        return texts[number].derivation(place - int(firsts[number]))

    return min(places, key=derivation)


class _BlockText:
    """The answers of a rule as text."""

    def __init__(self, block: AnswerBlock, strings: Strings, times: TimeFormat) -> None:
        self.block = block
        self._strings = strings
        self._times = times

    def key(self, row: int) -> tuple[Any, ...]:
        """Returns the order of an event among those with its times, as `Event.output_key` has it."""
        children = tuple((name, scalar_key(self._scalar(column, row))) for name, column in self.block.children.items())
        return (self.block.label, children)

    def derivation(self, row: int) -> tuple[Any, ...]:
        """Returns the order of the derivation of an event, as `Derivation.order` has it."""
        causes = []
        for name, events in self.block.causes.items():
            digits = self._cause_ids[name][row]
            causes.append((name, (int(events.end[row]), int(events.begin[row]), digits)))
        return (self.block.rule, sorted(causes))

    def _scalar(self, column: Column, row: int) -> str | int | float | bool:
        found = column.values[row]
        match column.kind:
            case "string":
                return self._strings.text(int(found))
            case "boolean":
                return bool(found)
            case _:
                return int(found) if float(found).is_integer() else float(found)

    @cached_property
    def _cause_ids(self) -> dict[str, list[str]]:
        return {name: _digits(events.ids) for name, events in self.block.causes.items()}

    def lines(self) -> list[str]:
        block = self.block
        end = _times(block.end, self._times)
        begin = end if block.begin is block.end else _times(block.begin, self._times)
        children = [(name, self._json(column)) for name, column in block.children.items()]
        causes = list(self._cause_ids.items())
        body = ", ".join(f"{_quoted(name)}: %s" for name, _ in children)
        traced = ", ".join(f'{_quoted(name)}: "%s"' for name, _ in causes)
        template = (
            f'{{"begin": %s, "end": %s, "term": {{{_quoted(block.label)}: {{{body}}}}}, '
            f'"rule": {_quoted(block.rule)}, "id": "%s", "causes": {{{traced}}}}}'
        )
        columns = (begin, end, *(texts for _, texts in children), _digits(self._ids()), *(ids for _, ids in causes))
        lines = [template % row for row in zip(*columns, strict=True)]
        if max(map(len, lines)) >= _LONGEST:
            raise OutsideColumnsError("an answer is very long")
        return lines

    def _json(self, column: Column) -> list[str]:
        match column.kind:
            case "string":
                return self._strings.json(column.values)
            case "boolean":
                return ["true" if value else "false" for value in column.values.tolist()]
            case _:
                return [repr(int(v)) if v.is_integer() else repr(v) for v in column.values.tolist()]

    def _ids(self) -> Hashes:
        block = self.block
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


def _digits(ids: Hashes) -> list[str]:
    text = hexadecimal(ids).decode()
    return [text[at : at + _ID_DIGITS] for at in range(0, len(text), _ID_DIGITS)]


def _quoted(text: str) -> str:
    return encode_basestring(text).replace("%", "%%")


def _times(times: Times, shown: TimeFormat) -> list[str]:
    """Returns times as JSON."""
    unit = shown.unit_length
    if unit is not None and not (times % unit).any():
        return list(map(str, (times // unit).tolist()))
    different, places = np.unique(times, return_inverse=True)
    texts = [_time(shown.format(time)) for time in different.tolist()]
    return [texts[place] for place in places.tolist()]


def _time(found: str | int | float) -> str:
    return f'"{found}"' if isinstance(found, str) else repr(found)
