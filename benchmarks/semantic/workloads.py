"""The streams of the experiment: auctions and a metro, each with the constraints that it satisfies."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.automata.auctions import SECOND, START, Market
from benchmarks.constraints.auctions import with_prices
from benchmarks.semantic.queries import AUCTIONS, METRO, Query
from cera.model.events.occurrence import Occurrence

_HERE = Path(__file__).parent
#: What the queries and constraints are about, of all that happens in an auction.
_LABELS = frozenset({"auctionStart", "enrollment", "itemDescription", "bid", "hammerBeat", "sell", "auctionEnd"})


@dataclass(frozen=True)
class Workload:
    """Queries, the constraints that make them cheaper, and a stream that satisfies these: of so many things at once,
    each gone on so often.
    """

    name: str
    queries: Sequence[Query]
    constraints: Path
    events: Callable[[int, int], list[Occurrence]]
    concurrent: int


def auctions(concurrent: int, waves: int) -> list[Occurrence]:
    """Returns auctions of twenty minutes on average, so many at a time, in so many waves."""
    records = with_prices(Market(concurrent).records(concurrent * waves))
    return [Occurrence(each.at, each.at, each.label, each.attributes) for each in records if each.label in _LABELS]


def metro(concurrent: int, waves: int) -> list[Occurrence]:
    """Returns what happens in so many areas, each open for an hour: a reading a minute of each of four sensors, which
    are shut down one after the other before the area is closed, and smoke here and there.
    """
    chance = random.Random(7)
    found: list[Occurrence] = []
    for number in range(concurrent * waves):
        area = f"area {number}"
        begin = START + number * 3600 * SECOND // concurrent
        shut = [begin + (2400 + 300 * sensor) * SECOND + chance.randrange(SECOND) for sensor in range(4)]
        for sensor, last in enumerate(shut):
            at = begin + chance.randrange(60 * SECOND)
            while at < last:
                content = {"area": area, "sensor": f"s{sensor}", "value": chance.randint(15, 35)}
                found.append(Occurrence(at, at, "temp", content))
                at += 60 * SECOND
            found.append(Occurrence(last, last, "shutdown", {"area": area, "sensor": f"s{sensor}"}))
            if chance.random() < 0.1:
                at = begin + chance.randrange(2400 * SECOND)
                found.append(Occurrence(at, at, "smoke", {"area": area, "sensor": f"s{sensor}"}))
                if chance.random() < 0.7:
                    at += chance.randrange(1, 60 * SECOND)
                    found.append(Occurrence(at, at, "alarm", {"area": area}))
        at = begin + 3600 * SECOND + chance.randrange(SECOND)
        found.append(Occurrence(at, at, "closed", {"area": area}))
    return sorted(found, key=lambda event: event.end)


def recorded(workload: Workload, concurrent: int, waves: int, path: Path | None) -> list[Occurrence]:
    """Returns the events of a workload, from a file if they were kept there by a run before; a large recording takes
    minutes to make.
    """
    if path is not None and path.exists():
        with path.open("rb") as file:
            return [Occurrence(at, at, label, content) for at, label, content in pickle.load(file)]
    events = workload.events(concurrent, waves)
    if path is not None:
        with path.open("wb") as file:
            pickle.dump([(each.end, each.label, each.content) for each in events], file)
    return events


WORKLOADS = {
    "auctions": Workload("auctions", AUCTIONS, _HERE / "auctions.escl", auctions, 10_000),
    "metro": Workload("metro", METRO, _HERE / "metro.escl", metro, 200),
}
