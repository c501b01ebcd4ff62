"""Constraints on auctions by hand, as one would write them in Python for these alone.

Each function takes the records of a recording in the order of time, and counts what violates the constraints of its
kind. It says nothing of what was expected, and keeps no causes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.constraints import handwritten_states
from benchmarks.constraints.rows import SECOND, Rows

HOUR = 3600 * SECOND
#: What is in time comes within these.
_MOVE, _SALE = 30 * SECOND - 1, SECOND - 1


Key = tuple[Any, ...]

_ONCE = {
    "auctionStart": (),
    "auctionEnd": (),
    "enrollment": ("enrollID",),
    "itemDescription": ("itemID",),
    "bidderData": ("dataID",),
}


def at_most_one(rows: Rows) -> int:
    seen: Counter[Key] = Counter()
    found = 0
    for row in rows:
        if row.label in _ONCE:
            values = [row.given.get(name) for name in _ONCE[row.label]]
            if None not in values:
                key = (row.label, row.given["auctionID"], *values)
                seen[key] += 1
                found += seen[key] == 2
    return found


def order_of_events(rows: Rows) -> int:
    offered: dict[int, int] = defaultdict(int)
    ended: set[int] = set()
    found = 0
    for row in rows:
        auction = row.given.get("auctionID", 0)
        if row.label == "itemDescription":
            offered[auction] += 1
        elif row.label == "auctionEnd":
            ended.add(auction)
        elif row.label == "enrollment":
            found += offered[auction] + (auction in ended)
        elif row.label == "bid":
            found += auction in ended
    return found


_BEFORE = {
    "bid": ("itemDescription", ("auctionID", "itemID")),
    "auctionEnd": ("auctionStart", ("auctionID",)),
    "authenticationData": ("bidderData", ("auctionID", "enrollID", "dataID")),
    "true": ("authenticationData", ("auctionID", "enrollID", "dataID")),
    "false": ("authenticationData", ("auctionID", "enrollID", "dataID")),
}
_NEEDED = dict(_BEFORE.values())


def one_before(rows: Rows) -> int:
    seen: set[Key] = set()
    found = 0
    for row in rows:
        if row.label in _NEEDED:
            seen.add((row.label, *map(row.given.get, _NEEDED[row.label])))
        if row.label in _BEFORE:
            label, names = _BEFORE[row.label]
            found += (label, *map(row.given.get, names)) not in seen
    return found


def two_before(rows: Rows) -> int:
    enrolled: Counter[int] = Counter()
    offered: set[int] = set()
    found = 0
    for row in rows:
        auction = row.given.get("auctionID", 0)
        if row.label == "true":
            enrolled[auction] += 1
        elif row.label == "itemDescription":
            offered.add(auction)
            found += enrolled[auction] < 2
        elif row.label == "auctionEnd":
            found += enrolled[auction] >= 2 and auction not in offered
    return found


def one_between(rows: Rows) -> int:
    last: dict[Key, bool] = {}
    found = 0
    for row in rows:
        if row.label in ("bidderData", "false"):
            key = (row.given["auctionID"], row.given["enrollID"])
            if row.label == "false":
                last[key] = True
            else:
                found += not last.get(key, True)
                last[key] = False
    return found


_MOVES = ("itemDescription", "bid", "hammerBeat")


def one_in_seconds_before(rows: Rows) -> int:
    moved: dict[Key, int] = {}
    beats: dict[Key, int] = {}
    start: int | None = None
    found = 0
    for row in rows:
        start = row.at if start is None else start
        item = (row.given.get("auctionID"), row.given.get("itemID"))
        if row.label == "bid" and row.at - _MOVE >= start:
            found += row.at - moved.get(item, -HOUR) > _MOVE
        elif row.label == "sell" and row.at - _SALE >= start:
            found += row.at - beats.get(item, -HOUR) > _SALE
        if row.label in _MOVES:
            moved[item] = row.at
        if row.label == "hammerBeat":
            beats[item] = row.at
    return found


def none_in_seconds_before(rows: Rows) -> int:
    last: dict[Key, int] = {}
    found = 0
    for row in rows:
        item = (row.given.get("auctionID"), row.given.get("itemID"))
        if row.label == "hammerBeat":
            found += sum(row.at - last.get((label, *item), -HOUR) <= _MOVE for label in _MOVES)
        if row.label in _MOVES:
            last[(row.label, *item)] = row.at
    return found


_FORBIDDEN = {
    "I0": ("hammerBeat", "sell", "itemDescription", "auctionEnd"),
    "I1": ("sell", "itemDescription", "auctionEnd"),
    "I2": ("sell", "itemDescription", "auctionEnd"),
    "I3": ("sell", "itemDescription", "auctionEnd"),
    "I4": ("bid", "hammerBeat", "itemDescription", "auctionEnd"),
    "I5": ("bid", "hammerBeat", "sell"),
}
_OF_AUCTION = ("itemDescription", "auctionEnd")
_WATCHED = frozenset(label for labels in _FORBIDDEN.values() for label in labels)


def none_in_a_state(rows: Rows) -> int:
    #: The states of an auction: label, item, begin, end, and what was found in each.
    states: dict[int, list[list[Any]]] = defaultdict(list)
    found = 0
    for row in rows:
        auction, item = row.given.get("auctionID", 0), row.given.get("itemID")
        if row.label in _FORBIDDEN:
            if row.change == "begins":
                states[auction].append([row.label, item, row.at, None, set()])
            for state in states[auction] if row.change == "ends" else ():
                if state[0] == row.label and state[1] == item and state[3] is None:
                    state[3] = row.at
        elif row.label in _WATCHED and auction in states:
            own = states[auction] = [state for state in states[auction] if state[3] is None or state[3] >= row.at]
            for label, of, begin, _, known in own:
                if row.label in _FORBIDDEN[label] and begin < row.at and (row.label in _OF_AUCTION or of == item):
                    found += row.label not in known
                    known.add(row.label)
            if not own:
                del states[auction]
    return found


def hourly_windows(rows: Rows) -> int:
    counted: Counter[int] = Counter()
    first = last = None
    for row in rows:
        first, last = row.at if first is None else first, row.at
        if row.label == "numberOfAuctions":
            hour = row.at // HOUR
            for window in (hour - 2, hour - 1, hour):
                counted[window] += 1
    if first is None or last is None:
        return 0
    windows = range(-(-first // HOUR), (last + 1) // HOUR - 2)
    too_many = sum(number > 3 and window not in windows for window, number in counted.items())
    return too_many + sum(counted[window] != 3 for window in windows)


BY_HAND: Mapping[str, Callable[[Rows], int]] = {
    "at most one, ever": at_most_one,
    "order of events": order_of_events,
    "one before, ever": one_before,
    "two before, ever": two_before,
    "one between": one_between,
    "one in seconds before": one_in_seconds_before,
    "none in seconds before": none_in_seconds_before,
    "none in a state": none_in_a_state,
    "hourly windows, 7.3": hourly_windows,
    **handwritten_states.BY_HAND,
}
