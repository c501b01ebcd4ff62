"""Auctions as `examples/auction-workflow/auction.ihta` has them, and auctions that break one of its rules.

    python -m benchmarks.automata.auctions EVENTS FILE [--concurrent N] [--broken SHARE] [--seed N]

Auctions begin one after the other, so that about so many go on at a time. Each keeps to the workflow, or does so up to
one record, its last one, which breaks a known rule (`Kind`) and says so. The same seed gives the same records. This
module knows nothing of automata: what a record breaks follows from the rules of the auction in words.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import NamedTuple

SECOND = 1_000_000
#: 2026-01-01T00:00:00Z, in microseconds.
START = 1_767_225_600 * SECOND
_STEP = SECOND // 1000


class Kind(Enum):
    """A rule that a record breaks."""

    LATE_BID = "a bid comes 30 seconds after the last event of its item, or later"
    BID_IN_SALE = "a bid comes after the third hammer beat"
    BID_AFTER_SALE = "a bid comes when its item is sold, or was not wanted"
    EARLY_BEAT = "the hammer beats less than 30 seconds after the last event of its item"
    BEAT_BEFORE_BID = "the hammer beats before the first bid"
    FOURTH_BEAT = "the hammer beats a fourth time"
    EARLY_SALE = "an item is sold before the third hammer beat"
    LATE_SALE = "an item is sold one second after the third hammer beat, or later"
    TOO_FEW_BIDDERS = "an item is offered when fewer than two bidders are enrolled"
    ITEM_DURING_OFFER = "an item is offered while another one is"
    END_BEFORE_ITEMS = "an auction ends without an item, though two bidders are enrolled"
    END_DURING_OFFER = "an auction ends while an item is offered"
    LATE_ENROLLMENT = "a bidder enrolls when items are offered already"
    ENROLLED_TWICE = "an enrollment has the number of another one"
    OFFERED_TWICE = "an item has the number of another one"
    DATA_TWICE = "data of a bidder have a number that was used before"
    DATA_AGAIN = "data of a bidder come before the last ones were checked"
    UNAUTHENTICATED = "data of a bidder are found right, or wrong, before they could be checked"
    AFTER_THE_END = "an event of an auction comes after its end"
    BEFORE_THE_BEGIN = "an event comes of an auction that never began"
    OTHER_DATA = "data of a bidder are checked that never came"
    OTHER_ITEM = "a bid is for an item that was never offered"
    STARTED_AGAIN = "an auction has the number of another one"


#: What breaks these rules concerns nothing that goes on: nobody waits for it, and nothing ends with it.
UNEXPECTED = frozenset(
    {Kind.AFTER_THE_END, Kind.BEFORE_THE_BEGIN, Kind.OTHER_DATA, Kind.OTHER_ITEM, Kind.STARTED_AGAIN}
)


class Record(NamedTuple):
    """A record of an auction: its time in microseconds, what happens, to what, and which rule that breaks."""

    at: int
    label: str
    attributes: dict[str, int]
    breaks: Kind | None = None

    @property
    def auction(self) -> int:
        return self.attributes["auctionID"]

    @property
    def line(self) -> str:
        """The record as `cera run --time-unit s` reads it."""
        return json.dumps({"at": self.at / SECOND, "term": {self.label: self.attributes}}) + "\n"


# Auctions that keep to the rules


def auction(number: int, begin: int, chance: random.Random, *, together: bool = False) -> list[Record]:
    """An auction in the order of time, no two records at one time; if `together`, what bidders do may coincide."""
    found = [Record(begin, "auctionStart", {"auctionID": number})]
    enrolled: list[Record] = []
    bidders = chance.choices((1, 2, 3, 4, 5), (5, 30, 35, 20, 10))[0]
    for name in range(1, bidders + 1):
        enrolled += _bidder(number, name, begin, chance, together=together)
    enrolled.sort(key=lambda record: record.at)
    times = sorted(record.at for record in enrolled) if together else _apart([record.at for record in enrolled])
    found += [record._replace(at=at) for record, at in zip(enrolled, times, strict=True)]
    finished = sum(record.label == "true" for record in found)
    now = found[-1].at + _between(chance, 1, 600)
    if finished >= 2:
        for item in range(1, chance.choice((1, 2, 2, 3, 4)) + 1):
            offered = _item(number, item, now, chance)
            found += offered
            # without a bid, the next one can be offered when 30 seconds are over
            now = offered[-1].at + _between(chance, 30 if len(offered) == 1 else 1, 120)
    found.append(Record(now, "auctionEnd", {"auctionID": number}))
    return found


def _between(chance: random.Random, least: float, most: float) -> int:
    """A time in microseconds, in whole milliseconds, of so many seconds."""
    return chance.randint(round(least * 1000), round(most * 1000)) * _STEP


def _apart(times: Sequence[int]) -> list[int]:
    """The times, each later than the one before."""
    found: list[int] = []
    for time in times:
        found.append(time if not found or time > found[-1] else found[-1] + _STEP)
    return found


def _bidder(number: int, name: int, begin: int, chance: random.Random, *, together: bool) -> list[Record]:
    """The enrollment of a bidder: data that are checked, again if they were found wrong; some give up."""
    least, most = (1, 3) if together else (1, 120)
    pause = SECOND if together else _STEP

    def later(time: int) -> int:
        return (time + _between(chance, least, most)) // pause * pause

    who = {"auctionID": number, "enrollID": name}
    at = later(begin)
    found = [Record(at, "enrollment", who)]
    for attempt in range(1, 4):
        given = {**who, "dataID": 10 * name + attempt}
        accepted = chance.random() < 0.8
        labels = ("bidderData", "authenticationData", "true" if accepted else "false")
        for label in labels if chance.random() < 0.97 else labels[:1]:
            at = later(at)
            found.append(Record(at, label, given))
        if accepted or found[-1].label == "bidderData":
            break
    return found


def _item(number: int, item: int, at: int, chance: random.Random) -> list[Record]:
    """The offer of an item: bids, three hammer beats in a row, the sale. Nobody may want it."""
    what = {"auctionID": number, "itemID": item}
    price = chance.randint(10, 1000)
    found = [Record(at, "itemDescription", {**what, "value": price})]
    beats = 0
    bids = 0 if chance.random() < 0.15 else chance.randint(1, 8)
    while beats < 3 and (bids or beats or len(found) > 1):
        if bids and (beats or len(found) == 1 or chance.random() < 0.7):
            bids, beats = bids - 1, 0
            at += _between(chance, 0.5, 29.999)
            price += chance.randint(1, 50)
            found.append(Record(at, "bid", {**what, "bidderID": chance.randint(1, 5), "value": price}))
        else:
            beats += 1
            at += _between(chance, 30, 40)
            found.append(Record(at, "hammerBeat", what))
    if beats:
        at += _between(chance, 0.001, 0.999)
        found.append(Record(at, "sell", {**what, "bidderID": chance.randint(1, 5), "value": price}))
    return found


# What could break a rule


@dataclass
class _Situation:
    """What a person who watches an auction knows."""

    number: int
    now: int = 0
    #: Of each bidder: what was the last thing, and the number of the data.
    bidders: dict[int, tuple[str, int]] = field(default_factory=dict)
    data: list[int] = field(default_factory=list)
    item: int = 0
    #: What was the last thing that happened to the item, how many hammer beats in a row there were, and when.
    last: str = ""
    beats: int = 0
    is_over: bool = False

    def note(self, record: Record) -> None:
        self.now = record.at
        given = record.attributes
        match record.label:
            case "enrollment" | "bidderData" | "authenticationData" | "true" | "false":
                self.bidders[given["enrollID"]] = (record.label, given.get("dataID", 0))
                if record.label == "bidderData":
                    self.data.append(given["dataID"])
            case "itemDescription" | "bid" | "sell":
                self.item, self.last, self.beats = given["itemID"], record.label, 0
            case "hammerBeat":
                self.last, self.beats = record.label, self.beats + 1
            case "auctionEnd":
                self.is_over = True

    @property
    def finished(self) -> int:
        return sum(last == "true" for last, _ in self.bidders.values())

    @property
    def is_sold(self) -> bool:
        return self.last == "sell"

    def mistakes(self, chance: random.Random) -> Iterator[Record]:
        """Yields what would break a rule if it came next, one of each kind at most."""
        for kind, seconds, label, others in (*self._of_bidders(chance), *self._of_items(chance), *self._of_all(chance)):
            given = {"auctionID": self.number, **others}
            if kind is Kind.BEFORE_THE_BEGIN:
                given["auctionID"] = -self.number - 1
            yield Record(self.now + _between(chance, *seconds), label, given, kind)

    def _of_all(self, chance: random.Random) -> Iterator[_Mistake]:
        soon = (0.001, 100)
        if self.is_over:
            label = chance.choice(("auctionEnd", "enrollment", "bid"))
            yield Kind.AFTER_THE_END, soon, label, {"enrollID": 99, "itemID": max(self.item, 1)}
        yield Kind.BEFORE_THE_BEGIN, soon, chance.choice(("auctionEnd", "bid")), {"itemID": 1}
        yield Kind.STARTED_AGAIN, soon, "auctionStart", {}
        if not self.is_over:
            yield Kind.OTHER_ITEM, soon, "bid", {"itemID": self.item + 1, "bidderID": 1, "value": 1}

    def _of_bidders(self, chance: random.Random) -> Iterator[_Mistake]:
        soon = (0.001, 100)
        if self.is_over or self.item:
            return
        if self.bidders:
            yield Kind.ENROLLED_TWICE, soon, "enrollment", {"enrollID": chance.choice(list(self.bidders))}
            if self.finished < 2:
                yield Kind.TOO_FEW_BIDDERS, soon, "itemDescription", {"itemID": 1, "value": 1}
            else:
                yield Kind.END_BEFORE_ITEMS, soon, "auctionEnd", {}
        for name, (last, data) in self.bidders.items():
            who = {"enrollID": name}
            if last in ("enrollment", "false"):
                if self.data:
                    yield Kind.DATA_TWICE, soon, "bidderData", {**who, "dataID": chance.choice(self.data)}
            else:
                yield Kind.DATA_AGAIN, soon, "bidderData", {**who, "dataID": 1000 + name}
                yield Kind.OTHER_DATA, soon, "authenticationData", {**who, "dataID": 1000 + name}
            if last == "bidderData":
                yield Kind.UNAUTHENTICATED, soon, chance.choice(("true", "false")), {**who, "dataID": data}

    def _of_items(self, chance: random.Random) -> Iterator[_Mistake]:
        if self.is_over or not self.item:
            return
        soon, early, late, second = (0.001, 100), (0.001, 29.999), (30, 100), (0.001, 0.999)
        what = {"itemID": self.item}
        bid = {**what, "bidderID": 1, "value": 1}
        yield Kind.LATE_ENROLLMENT, soon, "enrollment", {"enrollID": 77}
        if self.is_sold:
            yield Kind.BID_AFTER_SALE, soon, "bid", bid
            yield Kind.OFFERED_TWICE, soon, "itemDescription", what
            return
        during = early if self.last == "itemDescription" else soon
        yield Kind.ITEM_DURING_OFFER, during, "itemDescription", {"itemID": self.item + 1, "value": 1}
        yield Kind.END_DURING_OFFER, during, "auctionEnd", {}
        if self.beats == 3:
            yield Kind.BID_IN_SALE, soon, "bid", bid
            yield Kind.FOURTH_BEAT, soon, "hammerBeat", what
            yield Kind.LATE_SALE, (1, 10), "sell", bid
            return
        yield Kind.LATE_BID, late, "bid", bid
        yield Kind.EARLY_SALE, during if self.last == "itemDescription" else second, "sell", bid
        if self.last == "itemDescription":
            yield Kind.BEAT_BEFORE_BID, soon, "hammerBeat", what
        else:
            yield Kind.EARLY_BEAT, early, "hammerBeat", what


#: The rule, after how many seconds at least and at most, what happens, and to what.
_Mistake = tuple[Kind, tuple[float, float], str, dict[str, int]]


def broken_auction(
    number: int, begin: int, chance: random.Random, kind: Kind, *, together: bool = False
) -> list[Record]:
    """An auction that keeps to the rules up to its last record, which breaks one of this kind."""
    while True:
        records = auction(number, begin, chance, together=together)
        found = [(at, mistake) for at, mistake in mistakes(records, chance) if mistake.breaks is kind]
        if found:
            at, mistake = chance.choice(found)
            return [*records[: at + 1], mistake]


def mistakes(records: Sequence[Record], chance: random.Random) -> Iterator[tuple[int, Record]]:
    """Yields what could break a rule after each record of an auction, with the number of that record."""
    situation = _Situation(records[0].auction)
    for place, record in enumerate(records):
        situation.note(record)
        if place + 1 < len(records) and records[place + 1].at == record.at:
            continue
        for mistake in situation.mistakes(chance):
            yield place, mistake


# Many auctions


@dataclass(frozen=True)
class Market:
    """Auctions that begin one after the other, so that about `concurrent` of them go on at a time."""

    concurrent: int = 10_000
    #: How many of the auctions break a rule, and which ones: any of these kinds.
    broken: float = 0.0
    kinds: tuple[Kind, ...] = tuple(Kind)
    together: bool = False
    seed: int = 7

    #: How long an auction lasts on average, which was measured.
    _LASTS = 1200 * SECOND

    def auction(self, number: int) -> list[Record]:
        """One of the auctions; it does not depend on the others."""
        chance = random.Random(f"{self.seed} {number}")
        begin = START + number * self._LASTS // self.concurrent
        if chance.random() >= self.broken:
            return auction(number, begin, chance, together=self.together)
        return broken_auction(number, begin, chance, chance.choice(self.kinds), together=self.together)

    def records(self, auctions: int | None = None) -> Iterator[Record]:
        """Yields the records of so many auctions, or of ever more, in the order of time."""
        #: The next record of each auction that goes on: when, which auction, which record.
        waiting: list[tuple[int, int, int]] = []
        going: dict[int, list[Record]] = {}
        begun = 0
        while True:
            while auctions is None or begun < auctions:
                if waiting and waiting[0][0] <= START + begun * self._LASTS // self.concurrent:
                    break
                going[begun] = self.auction(begun)
                heapq.heappush(waiting, (going[begun][0].at, begun, 0))
                begun += 1
            if not waiting:
                return
            _, number, place = heapq.heappop(waiting)
            records = going[number]
            yield records[place]
            if place + 1 < len(records):
                heapq.heappush(waiting, (records[place + 1].at, number, place + 1))
            else:
                del going[number]


def generate(events: int, path: Path, market: Market) -> None:
    """Writes the first so many records."""
    with path.open("w") as file:
        file.writelines(record.line for record in islice(market.records(), events))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("events", type=int)
    parser.add_argument("file", type=Path)
    parser.add_argument("--concurrent", type=int, default=10_000)
    parser.add_argument("--broken", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    generate(given.events, given.file, Market(given.concurrent, given.broken, seed=given.seed))


if __name__ == "__main__":
    main()
