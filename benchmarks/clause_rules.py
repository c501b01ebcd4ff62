"""What it costs to verify constraints on auctions: by rules, and event by event.

    python -m benchmarks.clause_rules [EVENTS]

Each constraint runs alone, and all of them together, over the events of `benchmarks.automata.auctions` with a state for
the offer of each item. The time is that of the processor, on one core. Both ways have to find the same violations.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from benchmarks.automata.auctions import Market, Record
from cera.constraints.module import ConstraintModule
from cera.constraints.translation.layers import divided
from cera.diagnostics import Source
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence, occurrence
from cera.model.events.states import opening
from cera.model.terms.term import Term
from cera.model.time.interval import point
from cera.modules.driving import Driver
from cera.modules.module import Module, Settings
from cera.program import Program

CONSTRAINTS = """\
WHILE state: itemOffer(auctionID(A), itemID(I))
LET
  CONSTRAINT one-sale: IN ANY CASE exists <= 1 event: sell(auctionID(A), itemID(I)) END and
  CONSTRAINT beats: IN ANY CASE exists (= 0 or >= 3) event: hammerBeat(auctionID(A), itemID(I)) END and
  CONSTRAINT rising: IF event i: bid(auctionID(A), itemID(I), value(V)) and
    event j: bid(auctionID(A), itemID(I), value(W)) and i before j THEN V < W END and
  CONSTRAINT sold: IF event: sell(auctionID(A), itemID(I)) THEN exists >= 1 event: bid(auctionID(A), itemID(I)) END
END and
CONSTRAINT in-time: IF event i: itemDescription(auctionID(A), itemID(I)) and event t: from-end[i, 1 min]
  THEN while t: exists >= 1 event: bid(auctionID(A), itemID(I)) END
"""


def events(records: Sequence[Record]) -> Iterator[Event]:
    """Yields the events with the offers of items: each lasts until the next one, or the end of its auction."""
    offers: dict[int, tuple[Term, int]] = {}
    for record in records:
        attributes = [Term(name, [value]) for name, value in record.attributes.items()]
        if record.label in ("itemDescription", "auctionEnd") and record.auction in offers:
            offer, begin = offers.pop(record.auction)
            yield opening(offer, begin, record.at)
        if record.label == "itemDescription":
            named = [each for each in attributes if each.label in ("auctionID", "itemID")]
            offers[record.auction] = (Term("itemOffer", named), record.at)
            yield opening(*offers[record.auction])
        yield Event(Term(record.label, attributes), point(record.at))


def verified(module: Module, taken: Sequence[Occurrence]) -> tuple[float, int, int]:
    """Returns the seconds of CPU that a module takes, how many violations it finds, and the most that it remembers."""
    driver = Driver(module.processor(Settings(max_duration=0)), 0)
    number = most = 0
    start = time.process_time()
    for at in range(0, len(taken), 1_000):
        number += len(driver.push(taken[at : at + 1_000]))
        most = max(most, driver.counts.in_state)
    number += len(driver.close())
    return time.process_time() - start, number, most


def main(number: int) -> None:
    market = Market(concurrent=100, broken=0.05)
    taken = [occurrence(each) for each in events(list(islice(market.records(), number)))]
    [module] = Program((Source("auctions.escl", CONSTRAINTS),)).layers.modules
    assert isinstance(module, ConstraintModule)
    names = [*dict.fromkeys(each.constraint for each in module.clauses), None]
    print(f"{len(taken):,} events; seconds of CPU, violations, most in state")
    for name in names:
        own = replace(module, clauses=tuple(each for each in module.clauses if name in (None, each.constraint)))
        rules, rest = divided(own)
        assert not rest.clauses, rest.clauses
        found = [verified(rules, taken), verified(own, taken)]
        assert found[0][1] == found[1][1], found
        shown = (f"{seconds:7.2f} s {number:7,} {most:7,}" for seconds, number, most in found)
        print(f"{name or 'all together':14} by rules {' event by event '.join(shown)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
