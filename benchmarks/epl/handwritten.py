"""The patterns of `patterns.epl` as one would write them by hand, a state machine each.

This is what EPL is measured against: dictionaries and deques for each account. A machine is a generator function: it
takes the changes as (time, account, difference, balance), updates only, in the order in which they were made, and
yields what it detects. It knows its pattern and nothing else.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

HOUR = 3_600_000_000


class Update(NamedTuple):
    time: int
    account: int
    difference: int
    balance: int


class Found(NamedTuple):
    """A detection: the time of its first and of its last event, and the values of its children."""

    begin: int
    end: int
    values: tuple[int, ...]


def updates(lines: Iterable[str]) -> Iterator[Update]:
    for line in lines:
        record = json.loads(line)
        change = record["term"]["change"]
        if change["operation"] == "update":
            new = change["new"]
            difference = new["Balance"] - change["old"]["Balance"]
            yield Update(round(record["at"] * 1_000_000), new["Accno"], difference, new["Balance"])


def sequence(changes: Iterable[Update]) -> Iterator[Found]:
    taken: defaultdict[int, deque[Update]] = defaultdict(deque)
    for change in changes:
        time, account, difference, balance = change
        if difference > 900:
            waiting = taken[account]
            while waiting and time - waiting[0].time > 4 * HOUR:
                waiting.popleft()
            for first in waiting:
                yield Found(first.time, time, (account, first.balance, balance))
        elif difference < -900:
            taken[account].append(change)


def star(changes: Iterable[Update]) -> Iterator[Found]:
    put_in: defaultdict[int, list[Update]] = defaultdict(list)
    for change in changes:
        time, account, difference, balance = change
        if difference > 900:
            earlier = put_in[account]
            for first in earlier:
                yield Found(first.time, time, (account, first.balance, balance))
            earlier.append(change)
        elif difference < -500:
            put_in.pop(account, None)


def unrestricted(changes: Iterable[Update]) -> Iterator[Found]:
    firsts: defaultdict[int, deque[Update]] = defaultdict(deque)
    pairs: defaultdict[int, deque[tuple[Update, Update]]] = defaultdict(deque)
    for change in changes:
        time, account, difference, balance = change
        if difference > 700:
            waiting = pairs[account]
            # pairs stand in the order of their second events, and their time is that of the first
            fresh = [pair for pair in waiting if time - pair[0].time <= HOUR]
            for first, second in fresh:
                yield Found(first.time, time, (account, first.balance, second.balance, balance))
            pairs[account] = deque(fresh)
            if difference > 900:
                firsts[account].append(change)
        elif difference < -800:
            begun = firsts[account]
            while begun and time - begun[0].time > HOUR:
                begun.popleft()
            pairs[account].extend((first, change) for first in begun)


def recent(changes: Iterable[Update]) -> Iterator[Found]:
    last: dict[int, Update] = {}
    pairs: dict[int, tuple[Update, Update]] = {}
    for change in changes:
        time, account, difference, balance = change
        if difference > 700:
            if account in pairs:
                first, second = pairs[account]
                yield Found(first.time, time, (account, first.balance, second.balance, balance))
            if difference > 900:
                last[account] = change
        elif difference < -800 and account in last:
            pairs[account] = (last[account], change)


def chronicle(changes: Iterable[Update]) -> Iterator[Found]:
    firsts: defaultdict[int, deque[Update]] = defaultdict(deque)
    pairs: defaultdict[int, deque[tuple[Update, Update]]] = defaultdict(deque)
    for change in changes:
        time, account, difference, balance = change
        if difference > 700:
            if pairs[account]:
                first, second = pairs[account].popleft()
                yield Found(first.time, time, (account, first.balance, second.balance, balance))
            if difference > 900:
                firsts[account].append(change)
        elif difference < -800 and firsts[account]:
            pairs[account].append((firsts[account].popleft(), change))


def chronicle_with_key(changes: Iterable[Update]) -> Iterator[Found]:
    taken: defaultdict[int, deque[Update]] = defaultdict(deque)
    for change in changes:
        time, account, difference, balance = change
        if difference > 800:
            if taken[account]:
                first = taken[account].popleft()
                yield Found(first.time, time, (account, first.balance, balance))
        elif difference < -900:
            taken[account].append(change)


#: By the name of the module of `patterns.epl`.
MACHINES: Mapping[str, Callable[[Iterable[Update]], Iterator[Found]]] = {
    "Sequence": sequence,
    "Star": star,
    "Unrestricted": unrestricted,
    "Recent": recent,
    "Chronicle": chronicle,
    "ChronicleWithKey": chronicle_with_key,
}
