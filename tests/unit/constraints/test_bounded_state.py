"""What is remembered does not grow with the stream: kept rows are counted over offers one after the other, and over ten
times as many. Only constraints on all of time keep what they have counted, a row for each key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from cera.constraints import verifier
from cera.constraints.module import ConstraintModule
from cera.constraints.translation.layers import divided
from cera.diagnostics import Source
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence, occurrence
from cera.model.events.states import opening
from cera.model.terms.term import Term
from cera.model.time.interval import Time, point
from cera.modules.driving import Driver
from cera.modules.module import Module, Settings
from cera.program import Program

FOLDER = Path(__file__).parents[3] / "examples" / "auction"
SECOND = 1_000_000
#: How long an offer lasts, with the pause behind it.
OFFER = 200 * SECOND
FEW, MANY = 60, 600
#: More than this is a row for some of the offers that are over.
SLACK = 100


def offer(number: int) -> Iterator[Event]:
    """Yields an offer with its states: two bids, three hammer beats, a sale, the end."""
    given = {"auctionID": number, "itemID": number}
    start = number * OFFER

    def at(seconds: int) -> Time:
        return start + seconds * SECOND

    def term(label: str, **more: int) -> Term:
        return Term(label, [Term(name, [value]) for name, value in {**given, **more}.items()])

    for label, begin, end in (
        *(("auction", 0, 160), ("itemOffer", 10, 150), ("I0", 10, 20), ("I1", 20, 60), ("I2", 60, 95)),
        *(("I3", 95, 130), ("I4", 130, 131), ("I5", 131, 150)),
    ):
        yield opening(term(label), at(begin), at(end))
    for label, time, value in (
        *(("auctionStart", 0, 0), ("itemDescription", 10, 5), ("bid", 20, 6), ("bid", 25, 7), ("hammerBeat", 60, 7)),
        *(("hammerBeat", 95, 7), ("hammerBeat", 130, 7), ("sell", 131, 7), ("auctionEnd", 150, 0)),
    ):
        yield Event(term(label, value=value, bidderID=1), point(at(time)))


@cache
def offers(number: int) -> list[Occurrence]:
    events = (each for offered in range(number) for each in offer(offered))
    return [occurrence(each) for each in sorted(events, key=lambda each: each.end)]


@cache
def module(name: str) -> ConstraintModule:
    path = FOLDER / f"{name}.escl"
    [found] = Program((Source(path.name, path.read_text()),)).layers.modules
    assert isinstance(found, ConstraintModule)
    return found


def most_kept(modules: list[Module], number: int) -> int:
    """Returns the most tuples in state over so many offers."""
    drivers = [Driver(each.processor(Settings(max_duration=0)), 0) for each in modules]
    most, events = 0, offers(number)
    for first in range(0, len(events), 50):
        for driver in drivers:
            driver.push(events[first : first + 50])
        most = max(most, sum(driver.counts.in_state for driver in drivers))
    return most


def grows(name: str, constraint: str) -> tuple[int, int]:
    """Returns the most tuples in state over a stream, and over one that is ten times as long."""
    own = module(name)
    clauses = tuple(each for each in own.clauses if each.constraint == constraint)
    assert clauses
    rules, rest = divided(replace(own, clauses=clauses))
    found: list[Module] = [rules, rest] if rest.clauses else [rules]
    return most_kept(found, FEW), most_kept(found, MANY)


CONSTRAINTS = [
    *(("offer", name) for name in ("beats", "one-sale", "next-item or last-item", "one-I0", "one-I4", "wanted-beats")),
    *(("offer", name) for name in ("wanted-sale", "wanted-I1", "wanted-I4", "i0-before-i1", "i0-before-i5")),
    *(("sale", name) for name in ("higher", "three-beats")),
    *(("items", name) for name in ("bid-auction", "state-auction")),
    *(("prices", name) for name in ("not-falling", "sold-for-the-price", "rising")),
    *(("workflow", name) for name in ("bid-in-time", "beat-in-time", "sale-in-time", "i0-no-beat", "i5-no-bid")),
]


@pytest.mark.parametrize(("name", "constraint"), CONSTRAINTS)
def test_ten_times_the_stream_needs_no_more_state(name: str, constraint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifier, "SWEEP_FROM", 30)  # it is looked soon which of it is needed
    few, many = grows(name, constraint)
    assert many <= few + SLACK, (few, many)


@pytest.mark.parametrize("constraint", ["started-once", "offered-once", "end-of-auction", "bid-for-offer"])
def test_constraints_on_all_of_time_keep_a_row_for_each_key(constraint: str) -> None:
    _, many = grows("workflow", constraint)
    assert MANY <= many <= 4 * MANY
