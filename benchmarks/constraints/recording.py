"""Recordings of auctions for the constraints of `examples/auction`: events, and events with states.

The events are those of `benchmarks.automata.auctions`, with prices, with items that have a number of their own, and
with a count of auctions each hour, one in ten of which is missing. The states are those that the automaton
`auction.ihta` derives from these events: each has a record when it begins and one when it ends.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from benchmarks.automata.auctions import SECOND, START, Market, Record
from benchmarks.constraints.auctions import with_prices

FOLDER = Path(__file__).parents[2] / "examples" / "auction"
AUTOMATON = FOLDER.with_name("auction-workflow") / "auction.ihta"
#: The states that constraints ask for.
STATES = ("auction", "itemOffer", "I0", "I1", "I2", "I3", "I4", "I5")
_LABELS = (
    *("auctionStart", "enrollment", "bidderData", "authenticationData", "true", "false", "itemDescription", "bid"),
    *("hammerBeat", "sell", "auctionEnd", "numberOfAuctions"),
)
_HOUR = 3600 * SECOND
#: Items of different auctions have different numbers; no auction has more.
_ITEMS = 10


def events_of(market: Market, number: int) -> Iterator[Record]:
    """Yields the first so many events of a market."""
    return islice(_with_counts(_with_own_items(with_prices(market.records()))), number)


def _with_own_items(records: Iterable[Record]) -> Iterator[Record]:
    for record in records:
        given = record.attributes
        if "itemID" in given:
            record = record._replace(attributes={**given, "itemID": _ITEMS * given["auctionID"] + given["itemID"]})
        yield record


def _with_counts(records: Iterable[Record]) -> Iterator[Record]:
    """Yields the records, and each hour how many auctions have begun, but for the tenth time."""
    begun, hour = 0, 1
    for record in records:
        while record.at >= START + hour * _HOUR:
            if hour % 10:
                yield Record(START + hour * _HOUR, "numberOfAuctions", {"value": begun})
            hour += 1
        begun += record.label == "auctionStart"
        yield record


def write(folder: Path, number: int, concurrent: int, broken: float) -> tuple[Path, Path]:
    """Writes so many events, and the same with the states of the automaton; returns both files."""
    plain, states = folder / f"events-{number}.jsonl", folder / f"states-{number}.jsonl"
    with plain.open("w") as file:
        for record in events_of(Market(concurrent, broken), number):
            file.write(record.line)
    answer = folder / "automaton.jsonl"
    options = ["--time-unit", "s", "--engine", "local", "--base", "--changes", "--as", "jsonl", "-q"]
    chosen = ["--select", ",".join((*STATES, *_LABELS)), "--out", str(answer)]
    command = [sys.executable, "-m", "cera", "run", str(AUTOMATON), "--events", str(plain)]
    subprocess.run([*command, *options, *chosen], check=True)
    with answer.open() as lines, states.open("w") as file:
        for line in lines:
            file.write(_bare(line))
    answer.unlink()
    return plain, states


def _bare(line: str) -> str:
    """Returns a record without what an answer has of its own."""
    record = json.loads(line)
    for name in ("rule", "id", "causes"):
        record.pop(name, None)
    if not record.get("state") and record["begin"] == record["end"]:
        record = {"at": record["begin"], "term": record["term"]}
    return json.dumps(record) + "\n"
