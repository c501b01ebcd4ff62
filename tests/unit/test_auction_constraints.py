"""Auctions that are generated, against the constraints of `examples/auction`: where the automaton accepts an
auction all constraints hold, and what breaks a rule is found by the constraint that is about it.

What holds is the same for the automaton of Figure 6.1 and for Listings 7.1, 7.2 and 7.4 to 7.6, which are about its
states. The generator knows neither of them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cera.cli.verification import verified
from cera.constraints.completeness import complete_since
from cera.model.events.event import Event
from cera.model.terms.term import Term
from cera.model.time.interval import Interval, Time
from cera.modules.layering import Layers
from cera.program import load
from module_runs import run_layers

if TYPE_CHECKING:
    from benchmarks.automata.auctions import Kind, Record

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "auction"
AUTOMATON = ROOT / "examples" / "auction-workflow" / "auction.ihta"
LISTINGS = ("offer", "sale", "items", "prices")
KINDS = (
    *("LATE_BID", "BID_IN_SALE", "BID_AFTER_SALE", "EARLY_BEAT", "BEAT_BEFORE_BID", "FOURTH_BEAT", "EARLY_SALE"),
    *("LATE_SALE", "TOO_FEW_BIDDERS", "ITEM_DURING_OFFER", "END_BEFORE_ITEMS", "END_DURING_OFFER", "LATE_ENROLLMENT"),
    *("ENROLLED_TWICE", "OFFERED_TWICE", "DATA_TWICE", "DATA_AGAIN", "UNAUTHENTICATED", "AFTER_THE_END"),
    *("BEFORE_THE_BEGIN", "OTHER_DATA", "OTHER_ITEM", "STARTED_AGAIN"),
)
DAY = 86_400 * 1_000_000


@pytest.fixture(autouse=True)
def _benchmarks_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


@cache
def layers(*names: str) -> Layers:
    from benchmarks.constraints.auctions import SINCE

    files = [AUTOMATON, *(FOLDER / f"{name}.escl" for name in names)]
    found = verified(load(files).layers, expects_all=False, possible=False)
    return complete_since(found, SINCE)


def events(records: Sequence[Record]) -> list[Event]:
    found = []
    for each in records:
        children = [Term(name, [value]) for name, value in each.attributes.items()]
        found.append(Event(Term(each.label, children), Interval(each.at, each.at)))
    return found


def violated(records: Sequence[Record], *names: str, engine: str = "reference") -> list[tuple[Time, str]]:
    """Returns when which constraint is violated; what violates the automaton has no name."""
    found = run_layers(layers(*names), events(records), engine, changes=True)
    places: list[tuple[Time, str]] = []
    for one in found.derived:
        if one.event.label == "violation":
            parts = [each for each in one.event.term.children if isinstance(each, Term)]
            constraint = next((str(each.children[0]) for each in parts if each.label == "constraint"), "")
            places.append((one.event.end, constraint))
    return places


def good_auction(number: int, seed: int) -> list[Record]:
    from benchmarks.automata.auctions import START, auction
    from benchmarks.constraints.auctions import with_prices

    return [*with_prices(auction(number, START + number * DAY, random.Random(f"{seed} {number}")))]


def bad_auction(number: int, seed: int, kind: Kind) -> list[Record]:
    from benchmarks.automata.auctions import START, broken_auction
    from benchmarks.constraints.auctions import with_prices

    return [*with_prices(broken_auction(number, START + number * DAY, random.Random(f"{seed} {number}"), kind))]


def in_order(records: Sequence[Record]) -> list[Record]:
    return sorted(records, key=lambda record: record.at)


def check_market(numbers: range, seed: int, engine: str) -> None:
    """Checks auctions that begin a day after the other, of which every second one breaks a rule with its last record.

    A constraint that is about this rule is violated then, and no other one is violated before. Auctions that break off
    may stay open, and their items have the numbers of others, so that `items.escl` is left out.
    """
    from benchmarks.automata.auctions import Kind
    from benchmarks.constraints.auctions import FINDERS

    records, mistakes = [], {}
    for number in numbers:
        if number % 2:
            kind = Kind[KINDS[number // 2 % len(KINDS)]]
            own = bad_auction(number, seed, kind)
            mistakes[own[0].at] = own[-1]
        else:
            own = good_auction(number, seed)
            mistakes[own[0].at] = None
        records += own
    found: dict[Time, list[tuple[Time, str]]] = {begin: [] for begin in mistakes}
    for at, name in violated(in_order(records), "offer", "sale", "prices", "workflow", engine=engine):
        found[max(begin for begin in mistakes if begin <= at and at < begin + DAY)].append((at, name))
    for begin, mistake in mistakes.items():
        if mistake is None:
            assert found[begin] == [], begin
            continue
        assert mistake.breaks is not None
        own_finders = FINDERS[mistake.breaks]
        assert any(at == mistake.at and name in own_finders for at, name in found[begin]), (mistake, found[begin])
        assert all(at >= mistake.at for at, _ in found[begin]), (mistake, found[begin])


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["reference", "local"])
def test_what_the_automaton_accepts_holds_and_what_breaks_a_rule_is_found(engine: str) -> None:
    number = 2 * len(KINDS)  # one of each kind
    for first in range(0, number, 12):
        check_market(range(first, min(number, first + 12)), 1, engine)


@pytest.mark.long
def test_ten_thousand_auctions_hold_or_are_found() -> None:
    for first in range(0, 10_000, 500):
        check_market(range(first, first + 500), 2, "local")


def test_every_kind_of_mistake_has_a_constraint_that_finds_it() -> None:
    from benchmarks.automata.auctions import Kind
    from benchmarks.constraints.auctions import FINDERS

    text = (FOLDER / "workflow.escl").read_text()
    assert {kind.name for kind in Kind} == set(KINDS) == {kind.name for kind in FINDERS}
    assert all(f"CONSTRAINT {name}:" in text for names in FINDERS.values() for name in names)


@pytest.mark.slow
@pytest.mark.parametrize("name", LISTINGS)
def test_the_listings_are_violated_where_an_auction_breaks_off_or_prices_fall(name: str) -> None:
    from benchmarks.automata.auctions import Kind

    records = good_auction(0, 3)
    match name:
        case "offer":
            records = bad_auction(0, 4, Kind.EARLY_BEAT)
        case "prices":
            records = bad_auction(0, 4, Kind.LATE_BID)
        case "sale":  # for less than the last bid
            records = [dearer(each, -1) if each.label == "sell" else each for each in records]
        case "items":  # items of another auction have the same numbers, while this one goes on
            other = good_auction(1, 3)
            begin = other[0].at - records[0].at
            records = in_order([*records, *(each._replace(at=each.at - begin) for each in other)])
    assert [constraint for _, constraint in violated(records, name) if constraint]


def dearer(record: Record, more: int) -> Record:
    return record._replace(attributes={**record.attributes, "value": record.attributes["value"] + more})
