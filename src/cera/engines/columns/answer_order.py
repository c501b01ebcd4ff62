"""The order of output: by end, begin, and term. Equal events are one, with the first of their derivations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cera.engines.columns.evaluation import AnswerBlock
from cera.engines.columns.rows import Array, Column, Places, Truths
from cera.engines.columns.strings import Strings
from cera.model.columns.column_hashes import hexadecimal
from cera.model.terms.values import scalar_key


def output_order(blocks: Sequence[AnswerBlock], strings: Strings) -> Places:
    """Returns the places of all events, one block after the other, in the order of output; equal events once."""
    begin = np.concatenate([block.begin for block in blocks])
    end = np.concatenate([block.end for block in blocks])
    order = np.argsort(end, kind="stable")
    same = _equal_neighbours(order, end)
    if not same.any():
        return order
    if not bool((begin[order[1:]] >= begin[order[:-1]])[same].all()):
        order = np.lexsort((begin, end))
    same = _equal_neighbours(order, begin, end)
    if not same.any():
        return order
    sizes = [len(block.end) for block in blocks]
    firsts: Places = np.cumsum(sizes, dtype=np.int64) - np.array(sizes)
    tied = np.zeros(len(order), np.bool_)
    tied[1:] |= same
    tied[:-1] |= same
    places = order[tied]  # an event at least has one beside it with its times
    block_of = np.searchsorted(firsts, places, "right") - 1
    names = sorted({block.label for block in blocks})
    labels = np.array([names.index(block.label) for block in blocks])[block_of]
    terms = np.zeros(len(places), np.int64)
    for number, block in enumerate(blocks):
        here = np.flatnonzero(block_of == number)
        if len(here):
            terms[here] = _ranks(block, places[here] - firsts[number], strings)
    by_term = np.lexsort((terms, labels, begin[places], end[places]))
    order[tied] = places[by_term]
    # what is left: equal events, and events of two rules with one label
    together = _equal_neighbours(by_term, begin[places], end[places], labels)
    equal = together & _alike(terms, block_of, by_term)
    if not equal.any():
        return order
    return _decided(order, np.flatnonzero(tied), together, equal, _Blocks(blocks, strings, firsts))


def _alike(terms: Places, block_of: Places, order: Places) -> Truths:
    """Returns of which neighbours the terms are equal, or of two rules, so that their order is not known."""
    return _equal_neighbours(order, terms) | ~_equal_neighbours(order, block_of)


def _equal_neighbours(order: Places, *columns: Array) -> Truths:
    """Returns of which neighbours the values are equal."""
    found = np.ones(max(len(order) - 1, 0), np.bool_)
    for column in columns:
        sorted_ = column[order]
        found &= sorted_[1:] == sorted_[:-1]
    return found


def _ranks(block: AnswerBlock, rows: Places, strings: Strings) -> Places:
    """Returns numbers that order some answers of a rule by their terms; equal ones have the same."""
    keys = [_ordered(column.take(rows), strings) for column in block.children.values()]
    if not keys:
        return np.zeros(len(rows), np.int64)
    order = np.lexsort(keys[::-1])
    found = np.empty(len(rows), np.int64)
    found[order] = np.concatenate([[0], np.cumsum(~_equal_neighbours(order, *keys))])
    return found


def _ordered(column: Column, strings: Strings) -> Array:
    if column.kind != "string":
        return column.values
    codes, places = np.unique(column.values, return_inverse=True)
    texts = [strings.text(code) for code in codes.tolist()]
    ranks = np.empty(len(texts), np.int64)
    ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return ranks[places]


class _Blocks:
    """The answers of several rules one after the other, looked at one by one."""

    def __init__(self, blocks: Sequence[AnswerBlock], strings: Strings, firsts: Places) -> None:
        self._blocks = blocks
        self._strings = strings
        self._firsts = firsts

    def _row(self, place: int) -> tuple[AnswerBlock, int]:
        number = int(np.searchsorted(self._firsts, place, "right")) - 1
        return self._blocks[number], place - int(self._firsts[number])

    def key(self, place: int) -> tuple[Any, ...]:
        """Returns the order of an event among those with its times and label, as `Event.output_key` has it."""
        block, row = self._row(place)
        return tuple((name, scalar_key(self._scalar(column, row))) for name, column in block.children.items())

    def derivation(self, place: int) -> tuple[Any, ...]:
        """Returns the order of the derivation of an event, as `Derivation.order` has it."""
        block, row = self._row(place)
        here = np.array([row])
        causes = []
        for name, events in block.causes.items():
            digits = hexadecimal(events.take(here).ids).decode()
            causes.append((name, (int(events.end[row]), int(events.begin[row]), digits)))
        return (block.rule, sorted(causes))

    def _scalar(self, column: Column, row: int) -> str | int | float | bool:
        found = column.values[row]
        match column.kind:
            case "string":
                return self._strings.text(int(found))
            case "boolean":
                return bool(found)
            case _:
                return int(found) if float(found).is_integer() else float(found)


def _decided(order: Places, tied: Places, together: Truths, equal: Truths, blocks: _Blocks) -> Places:
    """Returns the order with each event once. Where there may be equal ones among those of one label and time, these
    are looked at one by one. Of two neighbours among the places `tied`, `together` says whether they are of one
    label and time, and `equal` whether they may be one event, or in the wrong order.
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], together.astype(np.int8), [0]])))
    dropped = np.zeros(len(order), np.bool_)
    for first, last in zip(edges[::2].tolist(), (edges[1::2] + 1).tolist(), strict=True):
        if not equal[first : last - 1].any():
            continue
        here = tied[first:last]
        found: dict[Any, list[int]] = {}
        for place in order[here].tolist():
            found.setdefault(blocks.key(place), []).append(place)
        chosen = [_first(found[key], blocks) for key in sorted(found)]
        order[here[: len(chosen)]] = chosen
        dropped[here[len(chosen) :]] = True
    return order[~dropped]


def _first(places: list[int], blocks: _Blocks) -> int:
    """Returns the place of an event with the first of its derivations."""
    return places[0] if len(places) == 1 else min(places, key=blocks.derivation)
