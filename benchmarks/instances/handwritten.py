"""The chronicle context as one would write it by hand: a queue of what waits for each customer.

A machine is a generator function: it takes the events as (time, label, customer, number) in the order of time, and
yields what it detects. It knows its pattern and nothing else.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from benchmarks.epl.handwritten import Found


class Step(NamedTuple):
    time: int
    label: str
    customer: int
    number: int


def steps(lines: Iterable[str]) -> Iterator[Step]:
    for line in lines:
        record = json.loads(line)
        [(label, body)] = record["term"].items()
        yield Step(round(record["at"] * 1_000_000), label, body["customer"], body["number"])


def two(events: Iterable[Step]) -> Iterator[Found]:
    orders: defaultdict[int, deque[Step]] = defaultdict(deque)
    for event in events:
        time, label, customer, number = event
        if label == "order":
            orders[customer].append(event)
        elif label == "payment" and orders[customer]:
            first = orders[customer].popleft()
            yield Found(first.time, time, (customer, first.number, number))


def three(events: Iterable[Step]) -> Iterator[Found]:
    """An order is gone with its payment; the two wait for a delivery together."""
    orders: defaultdict[int, deque[Step]] = defaultdict(deque)
    paid: defaultdict[int, deque[tuple[Step, Step]]] = defaultdict(deque)
    for event in events:
        time, label, customer, number = event
        if label == "order":
            orders[customer].append(event)
        elif label == "payment":
            if orders[customer]:
                paid[customer].append((orders[customer].popleft(), event))
        elif paid[customer]:
            first, second = paid[customer].popleft()
            yield Found(first.time, time, (customer, first.number, second.number, number))


def three_at_once(events: Iterable[Step]) -> Iterator[Found]:
    """The oldest order and the oldest payment after it are gone when a delivery comes."""
    orders: defaultdict[int, deque[Step]] = defaultdict(deque)
    payments: defaultdict[int, deque[Step]] = defaultdict(deque)
    for event in events:
        time, label, customer, number = event
        waiting = orders[customer]
        if label == "order":
            waiting.append(event)
        elif label == "payment":
            if waiting:
                payments[customer].append(event)
        elif waiting:
            later = payments[customer]
            while later and later[0].time < waiting[0].time:
                later.popleft()
            if later:
                first, second = waiting.popleft(), later.popleft()
                yield Found(first.time, time, (customer, first.number, second.number, number))


#: By the name of the program.
MACHINES: Mapping[str, Callable[[Iterable[Step]], Iterator[Found]]] = {
    "two chronicle.snoop": two,
    "three chronicle.snoop": three,
    "three chronicle.cet": three_at_once,
}
