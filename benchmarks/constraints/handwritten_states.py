"""Constraints on what is in a state by hand: Listings 7.1, 7.2 and 7.4 to 7.6.

What is in an offer is collected, and looked at when the offer is over and time has gone on. What violates a constraint
twice with the same values at the same time is counted once, as one event.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from benchmarks.constraints.rows import Rows

_NEVER = 1 << 62
_STATES = ("I0", "I1", "I2", "I3", "I4", "I5")
_EVENTS = ("hammerBeat", "sell", "itemDescription", "auctionEnd", "bid")


@dataclass
class _State:
    """A state of an item: its time, and if it is an offer what was seen of its auction since it began."""

    begin: int
    end: int = _NEVER
    #: Labels, times, items, values and bidders.
    events: list[tuple[str, int, Any, Any, Any]] = field(default_factory=list)
    states: list[tuple[str, _State]] = field(default_factory=list)

    def has(self, time: int) -> bool:
        return self.begin < time <= self.end

    def shares(self, other: _State) -> bool:
        if other.begin == other.end:
            return self.begin <= other.begin <= self.end
        return max(self.begin, other.begin) < min(self.end, other.end)

    def inside(self, label: str) -> list[_State]:
        return [state for name, state in self.states if name == label and self.shares(state)]

    def times(self, label: str, item: Any) -> list[int]:
        return [time for name, time, of, *_ in self.events if name == label and of == item and self.has(time)]

    def prices(self, *labels: str, item: Any) -> list[tuple[int, int]]:
        return [(t, v) for t, v, _ in self.offered(*labels, item=item)]

    def offered(self, *labels: str, item: Any) -> list[tuple[int, int, Any]]:
        """Returns the times, values and bidders of the events that have a value."""
        return [
            (time, value, bidder)
            for name, time, of, value, bidder in self.events
            if name in labels and of == item and value is not None and self.has(time)
        ]


def _offers(rows: Rows) -> Iterator[tuple[Any, _State]]:
    """Yields each offer with its item, once time has gone on after its end, or at the end of the recording."""
    by_auction: dict[Any, dict[Any, list[_State]]] = defaultdict(lambda: defaultdict(list))
    inner: dict[Any, list[tuple[str, _State]]] = defaultdict(list)
    ended: deque[tuple[Any, Any, _State]] = deque()
    for row in rows:
        while ended and ended[0][2].end < row.at:
            auction, item, offer = ended.popleft()
            yield item, offer
            by_auction[auction][item].remove(offer)
            inner[item] = [each for each in inner[item] if each[1].end == _NEVER]
            if not by_auction[auction][item]:
                del by_auction[auction][item]
            if not by_auction[auction]:
                del by_auction[auction]
            if not inner[item]:
                del inner[item]
        auction, item = row.given.get("auctionID"), row.given.get("itemID")
        if row.label == "itemOffer":
            if row.change == "begins":
                by_auction[auction][item].append(_State(row.at, states=list(inner.get(item, ()))))
            else:
                offer = next(each for each in by_auction[auction][item] if each.end == _NEVER)
                offer.end = row.at
                ended.append((auction, item, offer))
        elif row.label in _STATES:
            if row.change == "begins":
                made = (row.label, _State(row.at))
                inner[item].append(made)
                for offer in by_auction.get(auction, {}).get(item, ()):
                    offer.states.append(made)
            else:
                next(s for name, s in inner[item] if name == row.label and s.end == _NEVER).end = row.at
        elif row.label in _EVENTS:
            for offers in by_auction.get(auction, {}).values():
                for offer in offers:
                    offer.events.append((row.label, row.at, item, row.given.get("value"), row.given.get("bidderID")))
    for items in by_auction.values():
        for item, offers in items.items():
            yield from ((item, offer) for offer in offers)


def _over(rows: Rows, count: Callable[[Any, _State], int]) -> int:
    return sum(count(item, offer) for item, offer in _offers(rows))


def so_many_in_a_state(rows: Rows) -> int:
    def count(item: Any, offer: _State) -> int:
        ended = offer.end < _NEVER
        items = sum(name == "itemDescription" and offer.has(time) for name, time, *_ in offer.events)
        ends = sum(name == "auctionEnd" and offer.has(time) for name, time, *_ in offer.events)
        found = int(ended and len(offer.times("hammerBeat", item)) in (1, 2))
        found += len(offer.times("sell", item)) > 1
        return found + (items != 1 and ends != 1 if ended else items > 1 and ends > 1)

    return _over(rows, count)


def states_in_a_state(rows: Rows) -> int:
    def count(item: Any, offer: _State) -> int:
        ended = offer.end < _NEVER
        exactly = sum(len(offer.inside(name)) > 1 or (ended and not offer.inside(name)) for name in ("I0", "I5"))
        return exactly + (len(offer.inside("I4")) > 1)

    return _over(rows, count)


def what_must_follow(rows: Rows) -> int:
    def count(item: Any, offer: _State) -> int:
        bids = offer.times("bid", item)
        if not any(state.has(time) for state in offer.inside("I0") for time in bids):
            return 0
        ended = offer.end < _NEVER
        sales, sold = len(offer.times("sell", item)), len(offer.inside("I4"))
        found = int(ended and len(offer.times("hammerBeat", item)) < 3)
        found += (ended and not sales) or sales > 1
        found += (ended and not sold) or sold > 1
        return found + sum(ended and not offer.inside(name) for name in ("I1", "I2", "I3"))

    return _over(rows, count)


def order_of_states(rows: Rows) -> int:
    def count(item: Any, offer: _State) -> int:
        firsts = offer.inside("I0")
        others = [state for name in _STATES[1:] for state in offer.inside(name)]
        return sum(first.end > other.begin for first in firsts for other in others)

    return _over(rows, count)


def one_with_others(rows: Rows) -> int:
    def count(item: Any, offer: _State) -> int:
        if offer.end == _NEVER:
            return 0
        bids, beats = offer.times("bid", item), offer.offered("hammerBeat", item=item)

        def fits(state: _State, sale: tuple[int, int, Any]) -> bool:
            time, *of = sale
            inside = [at for at, *which in beats if which == of and state.has(at)]
            return len(inside) == 1 and not any(min(inside[0], time) <= bid <= max(inside[0], time) for bid in bids)

        found = set()
        for sale in offer.offered("sell", item=item):
            one, two, three = ([each for each in offer.inside(name) if fits(each, sale)] for name in ("I1", "I2", "I3"))
            in_order = (b.begin >= a.end and c.begin >= b.end for a in one for b in two for c in three)
            if sale[2] is not None and not any(in_order):
                found.add(sale[1:])
        return len(found)

    return _over(rows, count)


def rising_between(rows: Rows) -> int:
    def count(item: Any, offer: _State) -> int:
        beats, bids = offer.prices("hammerBeat", item=item), offer.times("bid", item)
        found = {
            (time, price, before)
            for at, before in beats
            for time, price in beats
            if at < time and before >= price and any(at <= bid <= time for bid in bids)
        }
        return len(found)

    return _over(rows, count)


def prices(rows: Rows) -> int:
    starts: dict[Any, list[tuple[int, int]]] = defaultdict(list)
    low = 0

    def watched() -> Iterable[Any]:
        nonlocal low
        for row in rows:
            key = (row.given.get("auctionID"), row.given.get("itemID"))
            value = row.given.get("value")
            if row.label == "itemDescription" and value is not None:
                starts[key].append((row.at, value))
            elif row.label == "bid" and value is not None:
                low += len({v for at, v in starts.get(key, ()) if at < row.at and v > value})
            yield row

    def count(item: Any, offer: _State) -> int:
        moves, bids = offer.prices("bid", "hammerBeat", item=item), offer.prices("bid", item=item)
        falling = {(t, v, before) for at, before in moves for t, v in moves if at < t and before > v}
        sold = {
            (max(at, t), v, before) for at, before in moves for t, v in offer.prices("sell", item=item) if before > v
        }
        level = {(t, v, before) for at, before in bids for t, v in bids if at < t and before >= v}
        return len(falling) + len(sold) + len(level)

    return _over(watched(), count) + low


_OF_ITEMS = ("bid", "hammerBeat", "sell")


def same_auction(rows: Rows) -> int:
    auctions: dict[Any, list[_State]] = defaultdict(list)
    offered: dict[Any, list[tuple[int, Any]]] = defaultdict(list)
    others: dict[Any, list[tuple[str, Any, _State]]] = defaultdict(list)
    found: set[tuple[Any, ...]] = set()
    suspects: list[tuple[Any, str, tuple[int, Any], Any, _State]] = []
    for row in rows:
        auction, item = row.given.get("auctionID"), row.given.get("itemID")
        if row.label == "auction":
            if row.change == "begins":
                auctions[auction].append(_State(row.at))
            else:
                next(each for each in auctions[auction] if each.end == _NEVER).end = row.at
        elif row.label == "itemDescription":
            suspects += ((item, label, (row.at, auction), by, t) for label, by, t in others[item] if by != auction)
            offered[item].append((row.at, auction))
        elif row.label in _OF_ITEMS or row.label == "I0":
            if row.change == "ends":
                next(t for label, _, t in others[item] if label == "I0" and t.end == _NEVER).end = row.at
                continue
            time = _State(row.at, _NEVER if row.label == "I0" else row.at)
            suspects += ((item, row.label, one, auction, time) for one in offered[item] if one[1] != auction)
            others[item].append((row.label, auction, time))
    for item, label, (at, by), auction, time in suspects:
        for name, states in auctions.items():
            for state in states:
                if state.has(at) and (state.shares(time) if label == "I0" else state.has(time.begin)):
                    found.add((name, label, item, by, auction, max(at, state.begin, time.begin)))
    return len(found)


BY_HAND: dict[str, Callable[[Rows], int]] = {
    "so many in a state, 7.1": so_many_in_a_state,
    "states in a state, 7.1": states_in_a_state,
    "what must follow, 7.2": what_must_follow,
    "order of states, 7.2": order_of_states,
    "one with others, 7.4": one_with_others,
    "rising between, 7.4": rising_between,
    "same auction, 7.5": same_auction,
    "prices, 7.6": prices,
}
