"""What constraints on auctions cost, kind by kind: `python -m benchmarks.constraints [EVENTS] [--engine local|spark]`.

Events are those of `benchmarks.automata.auctions`; one auction in a hundred breaks a rule. Each line is one kind of
constraint over half of the events and over all of them: violations, CPU seconds of this process, events a second, and
the most tuples in state, which should not grow with the stream where a time bounds it. The last line is the same by
hand, for three of them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from benchmarks.automata.auctions import SECOND, Market
from benchmarks.constraints.auctions import with_prices
from benchmarks.constraints.handwritten import violations
from cera.connectors.files import Layout
from cera.connectors.sink import StandardOutput
from cera.connectors.source import source_of
from cera.diagnostics import Source
from cera.model.events.event import DerivedEvent, Event
from cera.model.time.time_text import TimeFormat
from cera.program import load
from cera.running.choice import Engine
from cera.running.engine import answer
from cera.running.listener import Output, Unattended
from cera.running.request import Request
from cera.running.run import Run

#: A constraint of each kind, about events alone. What is remembered is bounded by a time in all but the last two.
KINDS = {
    "condition": "IF event i: bid(auctionID(A), itemID(I), value(V)) and "
    "event j: bid(auctionID(A), itemID(I), value(W)) and i before j and {i, j} within max 1 min THEN V < W END",
    "absence": "IF event x: hammerBeat(auctionID(A), itemID(I)) and event w: from-start-backward[x, 29.999999 sec] "
    "THEN while w: exists = 0 event: bid(auctionID(A), itemID(I)) END",
    "existence": "IF event x: sell(auctionID(A), itemID(I)) and event w: from-start-backward[x, 999.999 ms] "
    "THEN while w: exists >= 1 event: hammerBeat(auctionID(A), itemID(I)) END",
    "deadline": "IF event x: itemDescription(auctionID(A), itemID(I)) and event w: from-end[x, 30 min] "
    "THEN while w: event: auctionEnd(auctionID(A)) END",
    "count": "IF event x: itemDescription(auctionID(A), itemID(I)) and event w: from-end[x, 30 min] "
    "THEN while w: exists <= 20 event: bid(auctionID(A), itemID(I)) END",
    "window": "WHILE Range 1h LET IN ANY CASE exists >= 1 event: auctionStart() group-by {} END END",
    "between": "IF event i: hammerBeat(auctionID(A), itemID(I)) and event j: hammerBeat(auctionID(A), itemID(I)) and "
    "i before j and {i, j} within max 29 sec THEN {i, j} apart-by min 1 event: bid(auctionID(A), itemID(I)) END",
    "once": "IN ANY CASE exists <= 1 event: itemDescription(auctionID(A), itemID(I)) END",
    "order": "IF event i: auctionEnd(auctionID(A)) and event j: bid(auctionID(A), itemID(I)) THEN j before i END",
}


class _Nothing:
    def write(self, item: Event | DerivedEvent) -> None:
        """Does nothing."""

    def finish(self) -> None:
        """Does nothing."""


@contextmanager
def _nothing() -> Iterator[Output]:
    yield _Nothing()


def generate(events: int, path: Path, broken: float = 0.01) -> None:
    market = Market(concurrent=1000, broken=broken)
    with path.open("w") as file:
        file.writelines(record.line for record in islice(with_prices(market.records()), events))


def verify(text: str, path: Path, engine: Engine) -> tuple[int, float, int | None]:
    """Returns the violations, the CPU seconds of this process, and the most tuples in state."""
    program = load(Source("constraints.escl", text))
    request = Request((source_of(str(path)),), Layout(times=TimeFormat("s")), engine)
    begin = time.process_time()
    run = Run(program.layers, program.expectations, "UTC", request, StandardOutput(), _nothing, Unattended())
    outcome = answer(run)
    return outcome.derived["violation"], time.process_time() - begin, outcome.most_in_state


def by_hand(path: Path) -> tuple[dict[str, int], float]:
    begin = time.process_time()

    def records() -> Iterator[tuple[int, str, dict[str, int]]]:
        with path.open() as lines:
            for line in lines:
                record = json.loads(line)
                [(label, given)] = record["term"].items()
                yield round(record["at"] * SECOND), label, given

    return violations(records()), time.process_time() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("events", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--engine", choices=["local", "spark"], default="local")
    parser.add_argument("--only", choices=[*KINDS, "by hand"])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sizes = (given.events // 2, given.events)
        paths = [Path(folder) / f"{size}.jsonl" for size in sizes]
        for size, path in zip(sizes, paths, strict=True):
            generate(size, path)
        print(f"{'kind':<12}{'events':>12}{'violations':>12}{'CPU s':>9}{'events/s':>10}{'in state':>10}")
        for kind, text in KINDS.items():
            if given.only in (None, kind):
                for size, path in zip(sizes, paths, strict=True):
                    number, seconds, most = verify(text, path, given.engine)
                    state = "" if most is None else f"{most:,}"
                    print(
                        f"{kind:<12}{size:>12,}{number:>12,}{seconds:>9.2f}{size / seconds:>10,.0f}{state:>10}",
                        flush=True,
                    )
        if given.only in (None, "by hand"):
            counted, seconds = by_hand(paths[-1])
            total, rate = sum(counted.values()), sizes[-1] / seconds
            print(f"{'by hand':<12}{sizes[-1]:>12,}{total:>12,}{seconds:>9.2f}{rate:>10,.0f}  {counted}")


if __name__ == "__main__":
    main()
