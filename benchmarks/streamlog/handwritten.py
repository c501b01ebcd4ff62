"""The listings as one would write them by hand: `python -m benchmarks.streamlog.handwritten NAME EVENTS OUT`.

Loops over records in the order of time. They know that an auction is opened once and closed once, and write an answer
with its interval and its term, but without an id and causes.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

#: An answer: begin, end, and its term.
Answer = tuple[str, str, dict[str, Any]]

HALF_HOUR = 1_800_000_000
MICROSECOND = timedelta(microseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def bids(lines: Iterable[str]) -> Iterator[Answer]:
    """Listing 5.1."""
    counts: dict[int, Counter[str]] = {}
    begins: dict[int, str] = {}
    for line in lines:
        record = json.loads(line)
        term = record["term"]
        if "bid" in term:
            bid = term["bid"]
            found = counts.get(bid["auctionID"])
            if found is not None:
                found[bid["itemID"]] += 1
            continue
        auction = term["auction"]["auctionID"]
        if record.get("end") is None:
            counts[auction], begins[auction] = Counter(), record["begin"]
            continue
        begin = begins.pop(auction)
        for item, number in counts.pop(auction).items():
            yield begin, record["end"], {"bidNumber": {"auctionID": auction, "itemID": item, "number": number}}


def temperature(lines: Iterable[str]) -> Iterator[Answer]:
    """Listing 5.3: a reading is in the two hours that begin at the last two half hours."""
    windows: dict[int, defaultdict[str, list[float]]] = {}
    for line in lines:
        record = json.loads(line)
        at = (datetime.fromisoformat(record["ts"]) - _EPOCH) // MICROSECOND
        last = at // HALF_HOUR
        for window in [window for window in windows if window < last - 1]:
            yield from _averages(window, windows.pop(window))
        for window in (last - 1, last):
            if window not in windows:
                windows[window] = defaultdict(lambda: [0, 0.0])
            values = windows[window][record["area"]]
            values[0] += 1
            values[1] += record["value"]
    for window, areas in windows.items():
        yield from _averages(window, areas)


def _averages(window: int, areas: Mapping[str, list[float]]) -> Iterator[Answer]:
    times = [window * HALF_HOUR, (window + 2) * HALF_HOUR - 1]
    begin, end = (f"{(_EPOCH + time * MICROSECOND).replace(tzinfo=None).isoformat()}Z" for time in times)
    for area, (number, total) in areas.items():
        yield begin, end, {"averageTemp": {"area": area, "value": total / number}}


LOOPS: Mapping[str, Callable[[Iterable[str]], Iterator[Answer]]] = {"bids": bids, "temperature": temperature}


def main(name: str, events: str, out: str) -> None:
    with open(events) as lines, open(out, "w") as answers:
        for begin, end, term in LOOPS[name](lines):
            answers.write(json.dumps({"begin": begin, "end": end, "term": term}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
