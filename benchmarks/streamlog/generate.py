"""Recordings for the listings, in the order of time: `python -m benchmarks.streamlog.generate NAME EVENTS FILE`.

`bids`: 50 auctions at a time, of an hour each, with 20 items; a bid every 100 ms, of which one in ten is for an auction
that has ended. Auctions are states, opened by one record and closed by another, so these are records of event objects.
`temperature`: readings of 100 areas, four in a second, as flat records. Values are halves: sums of them are exact.
Times are ISO 8601, and no two are the same. The same seed gives the same file.
"""

from __future__ import annotations

import random
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import count, islice
from pathlib import Path

START = 1_780_300_800_000
HOUR = 3_600_000
OPEN, ITEMS = 50, 20
AREAS = 100


def bids(seed: int = 5) -> Iterator[str]:
    """Yields bids and the auctions around them, without an end."""
    chance = random.Random(seed)
    time = START
    begins = deque[int]()  # of the auctions that are open; their numbers follow each other
    first = 0
    for number in count():
        time += chance.randint(2, 200)
        if begins and begins[0] + HOUR < time:
            begin = begins.popleft()
            yield _state(first, f'"begin": "{_iso_8601(begin)}", "end": "{_iso_8601(begin + HOUR)}"')
            first += 1
        elif number * OPEN * 100 >= (first + len(begins)) * HOUR and len(begins) < OPEN:
            begins.append(time)
            yield _state(first + len(begins) - 1, f'"begin": "{_iso_8601(time)}"')
        else:
            late = not begins or chance.random() < 0.1
            auction = first - 1 - chance.randrange(OPEN) if late else first + chance.randrange(len(begins))
            item, bidder = chance.randrange(ITEMS), chance.randrange(5_000)
            bid = f'"auctionID": {auction}, "itemID": "i{item}", "bidderID": {bidder}'
            yield f'{{"at": "{_iso_8601(time)}", "term": {{"bid": {{{bid}, "value": {chance.randint(1, 500)}}}}}}}\n'


def temperature(seed: int = 5) -> Iterator[str]:
    """Yields readings, without an end."""
    chance = random.Random(seed)
    time = START
    while True:
        time += chance.randint(1, 499)
        area, value = chance.randrange(AREAS), chance.randint(20, 80) / 2
        yield f'{{"type": "temp", "ts": "{_iso_8601(time)}", "area": "a{area}", "value": {value}}}\n'


#: The recording of each listing.
RECORDINGS: Mapping[str, Callable[[], Iterator[str]]] = {"bids": bids, "temperature": temperature}


def generate(name: str, events: int, path: Path) -> None:
    with path.open("w") as file:
        file.writelines(islice(RECORDINGS[name](), events))


def _state(number: int, times: str) -> str:
    return f'{{{times}, "state": true, "term": {{"auction": {{"auctionID": {number}}}}}}}\n'


def _iso_8601(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03}Z"


if __name__ == "__main__":
    generate(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
