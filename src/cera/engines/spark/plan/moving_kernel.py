"""Aggregates over windows that move along events, in NumPy: what a Python worker of Spark does with a part of a table.

The events of a part come in the order of time, and all events with the same values of what is shared are in one part.
They are taken many at a time and sorted by these values; each window is then a stretch of the sorted elements, which is
folded from left to right. Between two steps only those elements stay that later windows reach back to. Events of one
time are ordered by their ids, which are made for such events alone. What doubles do not hold exactly is folded by the
evaluator, one window after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from cera.engines.columns.folding import folded
from cera.engines.columns.rows import Array, Column, Places, Truths
from cera.engines.columns.stretches import Stretches, order_by_key
from cera.model.columns.column_hashes import Hashes, event_hashes, hashed_timers, id_digits
from cera.model.evaluation.aggregates import fold
from cera.model.terms.values import number

TIME, ANCHOR, ELEMENT, TIE = "moving time", "moving anchor", "moving element", "moving tie"
#: Below this every whole double is the integer that it stands for.
_EXACT = 2.0**53
#: So many events are taken at once, and at least as many as stayed.
_STEP = 1 << 16


@dataclass(frozen=True)
class Fold:
    """An aggregate of the elements of a window, and the kinds that its value may have: a column for each."""

    function: str
    kinds: tuple[str, ...]


def fold_name(place: int, kind: str) -> str:
    """Returns the name of the column for a kind of the value of an aggregate, by its place."""
    return f"moving {place} {kind}"


@dataclass(frozen=True)
class MovingWindows:
    """The elements from `first` to `last` microseconds after each anchor with the same values of the columns `keys`.

    `children` has the columns of the events: a name of a child, the kind of its values, the name of its column.
    `alone`: an anchor is not in its own window. `checked`: no two events may have the same keys and time; where two do,
    a row has true in the column TIE. `once`: of anchors of one time with the same aggregates and values of the columns
    `own` there is the one with the least first cause, which is a `timer` (its kind and duration) or the anchor.
    """

    label: str
    children: tuple[tuple[str, str, str], ...]
    keys: tuple[str, ...]
    folds: tuple[Fold, ...]
    first: int
    last: int
    alone: bool
    checked: bool
    once: bool
    own: tuple[str, ...]
    timer: tuple[str, str] | None
    schema: pa.Schema

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Returns the anchors with elements in their windows: the columns of the events, and the aggregates."""
        stayed: pa.Table | None = None
        waiting: list[pa.RecordBatch] = []
        for batch in batches:
            waiting.append(batch)
            if sum(map(len, waiting)) < max(_STEP, 0 if stayed is None else len(stayed)):
                continue
            events = pa.Table.from_batches(waiting).combine_chunks()
            times = _values(events[TIME])
            complete = int(np.searchsorted(times, times[-1]))  # the last ones of one time may not be all yet
            if not complete:
                continue
            step = _Step(self, stayed, events.slice(0, complete))
            yield from step.found()
            stayed, waiting = step.staying(), events.slice(complete).to_batches()
        if any(map(len, waiting)):
            yield from _Step(self, stayed, pa.Table.from_batches(waiting).combine_chunks()).found()


class _Step:
    """Elements that stayed, then new events, as rows; they are looked at in the order of key, time and id."""

    def __init__(self, windows: MovingWindows, stayed: pa.Table | None, events: pa.Table) -> None:
        self._windows = windows
        self._events = events
        self._old = 0 if stayed is None else len(stayed)
        kept = events.select([*windows.keys, TIME, ELEMENT])
        self._rows = (kept if stayed is None else pa.concat_tables([stayed, kept])).combine_chunks()
        self._times = _values(self._rows[TIME])
        self._codes, self._limit = _codes([self._rows[name] for name in windows.keys])
        self._ids: dict[int, tuple[int, int]] = {}
        self._order = self._sorted()
        element = self._rows[ELEMENT].combine_chunks()
        self._is_element = element.is_valid().to_numpy(zero_copy_only=False)[self._order]
        self._element = element

    def found(self) -> Iterator[pa.RecordBatch]:
        windows, order = self._windows, self._order
        is_anchor = np.zeros(len(self._rows), np.bool_)
        is_anchor[self._old :] = _values(self._events[ANCHOR])
        anchors = np.flatnonzero(is_anchor[order])
        low, high = self._stretches(anchors)
        before = self._before
        starts, counts = before[low], before[high] - before[low]
        split = np.zeros(len(anchors), np.bool_)
        if windows.alone and windows.last == 0 and self._ids:  # elements of its time may lie on both sides of an anchor
            tied = np.flatnonzero(self._tied[anchors])
            split[tied] = self._is_element[anchors[tied]]
            counts[tied] = before[self._tie_ends(anchors[tied])] - starts[tied] - split[tied]
        there = counts > 0
        if not there.all():
            anchors, starts, counts, split = anchors[there], starts[there], counts[there], split[there]
        yield from self._answers(anchors, starts, counts, split)

    def staying(self) -> pa.Table:
        """Returns the elements that a window of a later event may hold."""
        since = int(self._times[-1]) + self._windows.first
        kept = self._order[self._is_element & (self._times[self._order] > since)]
        return self._rows.take(pa.array(kept))

    def _sorted(self) -> Places:
        """Returns the order of the rows without repeated events."""
        order = order_by_key(self._codes, self._limit)  # rows are in the order of time, of each key
        same = self._same(order)
        tied = _around(same) & (order >= self._old)
        if tied.any():
            places = np.flatnonzero(tied)
            group = np.concatenate([[0], np.cumsum(~same)])[places]
            rows = order[places]
            first, second = self._event_ids(rows)
            by_id = np.lexsort((second, first, group))
            order[places], group, first, second = rows[by_id], group[by_id], first[by_id], second[by_id]
            again = np.zeros(len(places), np.bool_)
            again[1:] = (group[1:] == group[:-1]) & (first[1:] == first[:-1]) & (second[1:] == second[:-1])
            self._ids = dict(
                zip(order[places].tolist(), zip(first.tolist(), second.tolist(), strict=True), strict=True)
            )
            if again.any():
                order = np.delete(order, places[again])
                same = self._same(order)
        self._tied = _around(same) & (order >= self._old)
        return order

    def _same(self, order: Places) -> Truths:
        """Returns whether each row but the first has the key and time of the one before."""
        codes, times = self._codes[order], self._times[order]
        found: Truths = (codes[1:] == codes[:-1]) & (times[1:] == times[:-1])
        return found

    def _event_ids(self, rows: Places) -> Hashes:
        """Returns the halves of the ids of new events."""
        chosen = self._events.take(pa.array(rows - self._old)).combine_chunks()
        children = {name: {kind: chosen[column].combine_chunks()} for name, kind, column in self._windows.children}
        times = _values(chosen[TIME])
        return np.broadcast_to(event_hashes(self._windows.label, children, times, times), (2, len(rows)))

    @cached_property
    def _before(self) -> Places:
        """How many elements stand before each place."""
        return np.concatenate([[0], np.cumsum(self._is_element)])

    @cached_property
    def _searched(self) -> Stretches:
        return Stretches(self._codes, self._limit, self._times, self._order)

    def _stretches(self, anchors: Places) -> tuple[Places, Places]:
        """Returns where the window of each anchor begins and ends; at its end it is left out where it is alone."""
        rows = self._order[anchors]
        keys, times = self._codes[rows], self._times[rows]
        low = self._searched.since(keys, times + self._windows.first)
        if self._windows.last < 0:
            return low, self._searched.since(keys, times + (self._windows.last + 1))
        return low, anchors if self._windows.alone else self._tie_ends(anchors)

    def _tie_ends(self, places: Places) -> Places:
        rows = self._order[places]
        return self._searched.since(self._codes[rows], self._times[rows] + 1)

    @cached_property
    def _elements(self) -> Array:
        """The values of the elements in their order."""
        if not pa.types.is_floating(self._element.type) and not pa.types.is_integer(self._element.type):
            return np.zeros(int(self._is_element.sum()))
        values = self._element.fill_null(0).to_numpy(zero_copy_only=False)[self._order]
        found: Array = values[self._is_element]
        return found

    def _answers(self, anchors: Places, starts: Places, counts: Places, split: Truths) -> Iterator[pa.RecordBatch]:
        """Yields the anchors whose windows are stretches of so many elements; in `split` ones it is one more itself."""
        values = self._elements
        sizes = np.abs(values.astype(np.float64))
        exact = np.ones(len(anchors), np.bool_)
        if len(anchors) and not float(sizes.max(initial=0.0)) * float(counts.max()) < _EXACT:
            edges = np.stack([starts, np.minimum(starts + counts + split, len(sizes))], axis=1).ravel()
            greatest = np.maximum.reduceat(np.append(sizes, 0.0), edges)[::2]
            exact = np.minimum(greatest, _EXACT) * counts < _EXACT
        numbers = np.where(sizes < _EXACT, values, 0) + 0.0  # -0.0 is 0
        results = [_Results(len(anchors), each.kinds) for each in self._windows.folds]
        whole = np.flatnonzero(exact & ~split)
        self._put(results, whole, Column("number", numbers), starts[whole], counts[whole])
        for part in _parts(np.flatnonzero(exact & split), counts):
            own, lengths = self._before[anchors[part]], counts[part]
            begins = np.cumsum(lengths) - lengths
            places = np.arange(int(lengths.sum())) + np.repeat(starts[part] - begins, lengths)
            places += places >= np.repeat(own, lengths)
            self._put(results, part, Column("number", numbers[places]), begins, lengths)
        for place in np.flatnonzero(~exact).tolist():
            own_place = int(self._before[anchors[place]]) if split[place] else None
            window = self._window(int(starts[place]), int(counts[place]), own_place)
            for each, result in zip(self._windows.folds, results, strict=True):
                result.put_one(place, fold(each.function, window))
        rows = self._order[anchors]
        kept = self._firsts(rows, results) if self._windows.once else None
        arrays = {name: array for p, each in enumerate(results) for name, array in each.columns(p, kept)}
        rows = rows if kept is None else rows[kept]
        yield from self._written(rows - self._old, arrays)

    def _put(self, results: Sequence[_Results], places: Places, column: Column, starts: Places, counts: Places) -> None:
        for each, result in zip(self._windows.folds, results, strict=True):
            result.put(places, folded(each.function, column, starts, counts).values)

    def _window(self, start: int, count: int, own: int | None) -> list[int | float]:
        """Returns the elements of a window, without the one at the place `own`."""
        values: list[Any] = self._elements[start : start + count + (own is not None)].tolist()
        if own is not None:
            del values[own - start]
        return [value for each in values if (value := number(each)) is not None]

    def _firsts(self, rows: Places, results: Sequence[_Results]) -> Places | None:
        """Returns the places of the rows to keep, if some are left out: the first of those that derive the same."""
        tied = [place for place, row in enumerate(rows.tolist()) if row in self._ids] if self._ids else []
        if not tied:
            return None
        chosen = rows[tied]
        own = self._events.select([TIME, *self._windows.own]).take(pa.array(chosen - self._old)).to_pylist()
        causes = self._causes(chosen)
        firsts: dict[tuple[Any, ...], tuple[tuple[int, int], int]] = {}
        for place, row, values, cause in zip(tied, chosen.tolist(), own, causes, strict=True):
            aggregates = tuple(result.value(place) for result in results)
            same = (int(self._codes[row]), *aggregates, *values.values())
            firsts[same] = min(firsts.get(same, (cause, place)), (cause, place))
        left_out = set(tied) - {place for _, place in firsts.values()}
        if not left_out:
            return None
        return np.delete(np.arange(len(rows)), sorted(left_out))

    def _causes(self, rows: Places) -> list[tuple[int, int]]:
        """Returns the ids of the causes by which derivations from events of one time are compared."""
        ids: Hashes = np.array([self._ids[row] for row in rows.tolist()], np.uint64).T
        if self._windows.timer is not None:
            kind, duration = self._windows.timer
            times = self._times[rows]
            begin, end = times + self._windows.first, times + self._windows.last
            ids = hashed_timers(f"timer:{kind}", id_digits(ids), duration, begin, end)
        first, second = ids.tolist()
        return list(zip(first, second, strict=True))

    def _written(self, rows: Places, results: dict[str, pa.Array]) -> Iterator[pa.RecordBatch]:
        windows = self._windows
        events = self._events.take(pa.array(rows))
        if windows.checked:
            results = {**results, TIE: pa.array(np.zeros(len(rows), np.bool_))}
        columns = [results[name] if name in results else events[name].combine_chunks() for name in windows.schema.names]
        yield pa.RecordBatch.from_arrays(columns, schema=windows.schema)
        if windows.checked and self._ids:  # the query fails at this row
            event = self._events.slice(min(self._ids) - self._old, 1)
            known = {name: event[name].combine_chunks() for name in event.column_names} | {TIE: pa.array([True])}
            row = [known[each.name] if each.name in known else pa.array([0], each.type) for each in windows.schema]
            yield pa.RecordBatch.from_arrays(row, schema=windows.schema)


class _Results:
    """The values of an aggregate for so many windows, in a column for each kind."""

    def __init__(self, count: int, kinds: tuple[str, ...]) -> None:
        self._values = {kind: np.zeros(count, np.int64 if kind == "integer" else np.float64) for kind in kinds}
        self._present = {kind: np.zeros(count, np.bool_) for kind in kinds}
        self._main = kinds[-1]  # of integers and doubles the latter, which are integers where they are whole

    def put(self, places: Places, values: Array) -> None:
        self._values[self._main][places] = values
        self._present[self._main][places] = True

    def put_one(self, place: int, value: object) -> None:
        if not isinstance(value, int | float):
            return
        kind = "integer" if isinstance(value, int) and "integer" in self._values else "double"
        self._values[kind][place] = value
        self._present[kind][place] = True

    def value(self, place: int) -> int | float | None:
        """Returns the value of a window in its one representation."""
        for kind, present in self._present.items():
            if present[place]:
                return number(self._values[kind][place].item())
        return None

    def columns(self, place: int, kept: Places | None) -> Iterator[tuple[str, pa.Array]]:
        for kind, values in self._values.items():
            here = slice(None) if kept is None else kept
            present = self._present[kind][here]
            mask = None if present.all() else ~present
            yield fold_name(place, kind), pa.array(values[here], mask=mask)


def _values(column: pa.ChunkedArray) -> Array:
    found: Array = column.to_numpy() if column.num_chunks != 1 else column.chunk(0).to_numpy(zero_copy_only=False)
    return found


def _codes(columns: Sequence[pa.ChunkedArray]) -> tuple[Places, int]:
    """Returns a number below a limit for each row, equal for equal values."""
    codes, limit = np.zeros(0, np.int64), 1
    for place, each in enumerate(columns):
        encoded = each.combine_chunks().dictionary_encode()
        own = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        values = max(len(encoded.dictionary), 1)
        if place:
            _, own = np.unique(codes * values + own, return_inverse=True)
            values = int(own.max(initial=0)) + 1
        codes, limit = own, values
    return codes, limit


def _parts(rows: Places, counts: Places) -> Iterator[Places]:
    """Yields some rows in parts that have about so many elements as are looked at at once."""
    ends = np.cumsum(counts[rows])
    at = 0
    while at < len(rows):
        before = int(ends[at - 1]) if at else 0
        until = max(int(np.searchsorted(ends, before + _STEP, "right")), at + 1)
        yield rows[at:until]
        at = until


def _around(same: Truths) -> Truths:
    """Returns whether each row is one of two neighbours that are the same."""
    found = np.zeros(len(same) + 1, np.bool_)
    found[1:] |= same
    found[:-1] |= same
    return found
