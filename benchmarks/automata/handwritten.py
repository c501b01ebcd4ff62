"""The auction of `examples/auction-workflow/auction.ihta` as one would write it by hand: a state machine in Python.

This is what automata are measured against. It knows this workflow and nothing else: an object for each auction, with a
dictionary of its bidders and the item that is offered. That 30 seconds are over without a bid is found when the next
event of the auction comes, or at the end. Of simultaneous events it knows nothing, and takes them as they come. Of a
violation it knows the auction and the time, and nothing about what would have been right.

What it finds has no ids and no causes, unless somebody asks for them (`Records`): then it keeps the last event of each
auction, since that is the cause of what time does to an item.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from cera.model.terms.hashing import flat_event_id

SECOND = 1_000_000
DAY = 86_400 * SECOND


class Step(NamedTuple):
    time: int
    label: str
    auction: int
    #: The enrollment or the item, and the number of the data.
    part: int
    data: int
    body: dict[str, Any]


class Found(NamedTuple):
    """A state that has ended, or is open at the end (None), a violation, or something overdue."""

    label: str
    auction: int
    part: int
    begin: int
    end: int | None


def steps(lines: Iterable[str]) -> Iterator[Step]:
    for line in lines:
        record = json.loads(line)
        [(label, body)] = record["term"].items()
        part = body.get("enrollID") or body.get("itemID") or 0
        yield Step(round(record["at"] * SECOND), label, body["auctionID"], part, body.get("dataID", 0), body)


class Bidder:
    __slots__ = ("begin", "data", "since", "state")

    def __init__(self, begin: int) -> None:
        self.state, self.begin, self.since = "B0", begin, begin
        self.data = 0


class Auction:
    __slots__ = ("begin", "bidders", "data", "event", "is_overdue", "item", "items", "last", "number", "since", "state")

    def __init__(self, number: int, begin: int) -> None:
        self.number = number
        self.begin = begin
        #: A0, B while bidders enroll, or the state of the item.
        self.state = "A0"
        self.since = begin
        self.bidders: dict[int, Bidder] = {}
        self.data: set[int] = set()
        self.item = 0
        self.items: dict[int, int] = {}
        #: When the last event of the item was.
        self.last = 0
        self.is_overdue = False
        #: Its last event, if causes are asked for.
        self.event: Step | None = None


class Machine:
    """All auctions that go on. Reports what it is given to report with; states only if it should."""

    def __init__(self, report: Callable[[Found], object], *, states: bool = True, causes: bool = False) -> None:
        self._report = report
        self._states = states
        self._causes = causes
        #: The event that is taken, or after which time has done something.
        self.cause: Step | None = None
        self.auctions: dict[int, Auction] = {}
        #: When the numbers of auctions were used last.
        self.used: dict[int, int] = {}
        self.unexpected = 0

    @property
    def live(self) -> int:
        return sum(1 + (len(each.bidders) if each.state == "B" else each.item > 0) for each in self.auctions.values())

    def take(self, step: Step) -> None:
        time, label, number, part, data, _ = step
        auction = self.auctions.get(number)
        if label == "auctionStart":
            self._start(number, time)
            return
        if auction is None:
            self.unexpected += 1
            return
        if auction.item:
            self.cause = auction.event
            self._pass(auction, time)
        if self._causes:
            self.cause = auction.event = step
        if label in _OF_BIDDERS:
            accepted = self._enrolling(auction, time, label, part, data)
        elif label in _OF_ITEMS:
            accepted = self._offering(auction, time, label, part)
        else:
            accepted = self._on_the_whole(auction, time, label, part)
        if not accepted:
            self._report(Found("violation", number, 0, time, time))
            self._end(auction, time)

    def close(self) -> None:
        """Lets time pass, and reports what is open."""
        for auction in self.auctions.values():
            self.cause = auction.event
            if auction.item:
                self._pass(auction, None)
            if self._states:
                self._end_states(auction, None)

    def _start(self, number: int, time: int) -> None:
        used = self.used
        while used:
            oldest = next(iter(used))
            if time - used[oldest] <= DAY:
                break
            del used[oldest]
        if number in used:
            self.unexpected += 1
            return
        used[number] = time
        self.auctions[number] = Auction(number, time)

    # Bidders

    def _enrolling(self, auction: Auction, time: int, label: str, name: int, data: int) -> bool:
        bidder = auction.bidders.get(name) if auction.state == "B" else None
        if bidder is None:
            self.unexpected += 1
            return True
        if label == "bidderData":
            if bidder.state != "B0" or data in auction.data:
                return False
            auction.data.add(data)
            bidder.data = data
            self._move(auction, name, bidder, "B1", time)
            return True
        if bidder.data and bidder.data != data:
            self.unexpected += 1
            return True
        if label == "authenticationData" and bidder.state == "B1":
            self._move(auction, name, bidder, "B2", time)
            return True
        if label != "authenticationData" and bidder.state == "B2":
            self._move(auction, name, bidder, "B3" if label == "true" else "B0", time)
            return True
        return False

    def _move(self, auction: Auction, name: int, bidder: Bidder, state: str, time: int) -> None:
        if self._states:
            self._report(Found(bidder.state, auction.number, name, bidder.since, time))
            bidder.since = time
        bidder.state = state

    # Items

    def _pass(self, auction: Auction, time: int | None) -> None:
        """What the time that has passed has done to the item."""
        last = auction.last
        if auction.state == "I0":
            if time is None or time - last > 30 * SECOND:
                self._offer(auction, "I5", last + 30 * SECOND)
        elif auction.state == "I4" and not auction.is_overdue and (time is None or time - last >= SECOND):
            auction.is_overdue = True
            self._report(Found("overdue", auction.number, auction.item, last + SECOND, last + SECOND))

    def _offer(self, auction: Auction, state: str, time: int) -> None:
        if self._states and auction.state != state:
            self._report(Found(auction.state, auction.number, auction.item, auction.since, time))
            auction.since = time
        auction.state = state

    def _offering(self, auction: Auction, time: int, label: str, item: int) -> bool:
        if item != auction.item:
            self.unexpected += 1
            return True
        state, passed = auction.state, time - auction.last
        if label == "bid" and state in _WITH_BIDS and passed < 30 * SECOND:
            target = "I1"
        elif label == "hammerBeat" and state in _AFTER_BEAT and passed >= 30 * SECOND:
            target = _AFTER_BEAT[state]
        elif label == "sell" and state == "I4" and passed < SECOND:
            target = "I5"
        else:
            return False
        self._offer(auction, target, time)
        auction.last = time
        return True

    # The auction

    def _on_the_whole(self, auction: Auction, time: int, label: str, part: int) -> bool:
        state = auction.state
        if label == "enrollment":
            if state == "A0":
                if self._states:
                    self._report(Found("A0", auction.number, 0, auction.since, time))
                auction.state = "B"
            elif state != "B" or part in auction.bidders:
                return False
            auction.bidders[part] = Bidder(time)
            return True
        finished = 0
        if state == "B":
            finished = sum(bidder.state == "B3" for bidder in auction.bidders.values())
        elif state == "I0" and time - auction.last == 30 * SECOND:
            self._offer(auction, "I5", time)
        is_free = auction.state == "I5"
        if label == "itemDescription":
            if not (is_free or (state == "B" and finished >= 2)) or part in auction.items:
                return False
            if self._states:
                self._end_parts(auction, time)
            auction.items[part] = time
            auction.item, auction.state, auction.since, auction.last = part, "I0", time, time
            auction.is_overdue = False
            return True
        if not (is_free or (state == "B" and finished < 2)):
            return False
        if self._states:
            self._report(Found("A1", auction.number, 0, time, time))
        self._end(auction, time)
        return True

    def _end(self, auction: Auction, time: int) -> None:
        if self._states:
            self._end_states(auction, time)
        del self.auctions[auction.number]

    def _end_states(self, auction: Auction, time: int | None) -> None:
        self._end_parts(auction, time)
        self._report(Found("auction", auction.number, 0, auction.begin, time))

    def _end_parts(self, auction: Auction, time: int | None) -> None:
        number = auction.number
        if auction.state == "A0":
            self._report(Found("A0", number, 0, auction.since, time))
        elif auction.state == "B":
            for name, bidder in auction.bidders.items():
                self._report(Found(bidder.state, number, name, bidder.since, time))
                self._report(Found("bidderEnrollment", number, name, bidder.begin, time))
        else:
            self._report(Found(auction.state, number, auction.item, auction.since, time))
            self._report(Found("itemOffer", number, auction.item, auction.items[auction.item], time))


_OF_BIDDERS = frozenset({"bidderData", "authenticationData", "true", "false"})
_OF_ITEMS = frozenset({"bid", "hammerBeat", "sell"})
_WITH_BIDS = frozenset({"I0", "I1", "I2", "I3"})
_AFTER_BEAT = {"I1": "I2", "I2": "I3", "I3": "I4"}


class Record(NamedTuple):
    """What was found, with the id that it has in the output of cera, and that of its cause: the event that ended a
    state, or the last one before. A state that is open at the end has no cause here. A violation has no id."""

    id: str
    begin: int
    end: int | None
    cause: str


class Records:
    """Makes records of what a machine finds."""

    def __init__(self, report: Callable[[Record], object], cause: Callable[[], Step | None]) -> None:
        self._report = report
        self._cause = cause
        self._event: Step | None = None
        self._id = ""

    def take(self, found: Found) -> None:
        label, auction, part, begin, end = found
        if label == "overdue":
            return
        cause = "" if end is None else self._cause_id()
        if label == "violation":
            self._report(Record(label, begin, end, cause))
            return
        name = _NAMES.get(label[0])
        body = {"auctionID": auction} if name is None else {"auctionID": auction, name: part}
        self._report(Record(flat_event_id(f"state:opens:{label}", body.items(), begin, begin), begin, end, cause))

    def _cause_id(self) -> str:
        step = self._cause()
        if step is not self._event:
            assert step is not None
            self._event = step
            self._id = flat_event_id(step.label, step.body.items(), step.time, step.time)
        return self._id


#: What the names of states have besides the auction, by the first letters of the labels.
_NAMES = {"B": "enrollID", "b": "enrollID", "I": "itemID", "i": "itemID"}
