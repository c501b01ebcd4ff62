"""Rows with equal keys in the order of time, found by binary search, and the pairs that they make, in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cera.engines.columns.rows import Array, Column, Places, Rows, Times

#: About how many pairs are looked at at once.
PIECE = 1 << 16
_LARGEST = 2**62
#: More keys than that are numbered again, so that there are no more of them than rows.
_MANY = 2**31
#: So few keys are sorted as numbers of 16 bits.
_FEW = 2**16


def shared_keys(left: Rows, right: Rows, names: Sequence[str], strings: int) -> tuple[Places, Places, int]:
    """Returns a number below a limit for each row of both sides, equal for equal values; and that limit.

    `strings` is how many codes of strings there are.
    """
    one, other, limit = np.zeros(left.count, np.int64), np.zeros(right.count, np.int64), 1
    for name in names:
        first, second, values = _codes(left.data[name], right.data[name], strings)
        if limit * values >= _LARGEST:
            one, other, limit = _dense(one, other)
            first, second, values = _dense(first, second)
        one, other, limit = one * values + first, other * values + second, limit * values
    return (one, other, limit) if limit < _MANY else _dense(one, other)


def _codes(left: Column, right: Column, strings: int) -> tuple[Places, Places, int]:
    if left.kind != right.kind:  # such values are never equal
        return np.zeros(len(left.values), np.int64), np.ones(len(right.values), np.int64), 2
    match left.kind:
        case "string":
            return left.values, right.values, strings
        case "boolean" | "nothing":
            return left.values.astype(np.int64), right.values.astype(np.int64), 2
        case "number":
            return _dense(left.values + 0.0, right.values + 0.0)  # -0.0 is 0


def _dense(one: Array, other: Array) -> tuple[Places, Places, int]:
    """Returns small numbers that are equal where the values are."""
    values, places = np.unique(np.concatenate([one, other]), return_inverse=True)
    return places[: len(one)], places[len(one) :], max(len(values), 1)


def order_by(keys: Places, limit: int, times: Times) -> Places:
    """Returns the order of rows by key and time; it changes nothing else."""
    if bool((times[1:] >= times[:-1]).all()):
        return order_by_key(keys, limit)
    return np.lexsort((times, keys))


def order_by_key(keys: Places, limit: int) -> Places:
    """Returns the order of rows by key; it changes nothing else."""
    return np.argsort(keys.astype(np.uint16) if limit <= _FEW else keys, kind="stable")  # small ones digit by digit


class Stretches:
    """Rows in the order of (key, time, …)."""

    def __init__(self, keys: Places, limit: int, times: Times, order: Places) -> None:
        """`order` says how the rows are sorted."""
        self.order = order
        self._moments = None
        self._first = self._last = 0
        if len(times):
            self._first, self._last = int(times.min()) - 1, int(times.max()) + 1
        self._width = self._last - self._first + 1
        if limit * self._width >= _LARGEST:
            self._moments = np.unique(times)
            self._width = len(self._moments) + 1
        self._sorted = (keys * self._width + self._offsets(times))[order]

    def _offsets(self, times: Times) -> Places:
        if self._moments is not None:
            return np.searchsorted(self._moments, times)
        return np.clip(times, self._first, self._last) - self._first

    def since(self, keys: Places, times: Times, order: Places | None = None) -> Places:
        """Returns the first place, in the order, of a row with the key at or after the time.

        `order` is one of the keys in which the search goes on from the last place.
        """
        wanted = keys * self._width + self._offsets(times)
        if order is None:
            return np.searchsorted(self._sorted, wanted)
        found = np.empty(len(wanted), np.int64)
        found[order] = np.searchsorted(self._sorted, wanted[order])
        return found


def pieces(low: Places, high: Places) -> Iterator[tuple[Places, Places]]:
    """Yields the pairs of each row and the places from its `low` to before its `high`, row after row, in pieces."""
    counts = np.maximum(high - low, 0)
    rows = np.flatnonzero(counts)
    ends = np.cumsum(counts[rows])
    at = 0
    while at < len(rows):
        before = int(ends[at - 1]) if at else 0
        until = max(int(np.searchsorted(ends, before + PIECE, "right")), at + 1)
        chosen = rows[at:until]
        repeated = counts[chosen]
        starts = np.cumsum(repeated) - repeated
        places = np.arange(int(repeated.sum())) + np.repeat(low[chosen] - starts, repeated)
        yield np.repeat(chosen, repeated), places
        at = until
