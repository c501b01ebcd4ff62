"""Auctions that are generated, against the constraints of `examples/auction-workflow`: where the automaton accepts an
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

from cera.cli.verification import complete_since, verified
from cera.model.events.event import Event
from cera.model.terms.term import Term
from cera.model.time.interval import Interval, Time
from cera.modules.layering import Layers
from cera.program import load
from hypothesis_profiles import examples
from module_runs import run_layers

if TYPE_CHECKING:
    from benchmarks.automata.auctions import Kind, Record

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "auction-workflow"
LISTINGS = ("offer", "sale", "items", "prices")
KINDS = (
    *("LATE_BID", "BID_IN_SALE", "BID_AFTER_SALE", "EARLY_BEAT", "BEAT_BEFORE_BID", "FOURTH_BEAT", "EARLY_SALE"),
    *("LATE_SALE", "TOO_FEW_BIDDERS", "ITEM_DURING_OFFER", "END_BEFORE_ITEMS", "END_DURING_OFFER", "LATE_ENROLLMENT"),
    *("ENROLLED_TWICE", "OFFERED_TWICE", "DATA_TWICE", "DATA_AGAIN", "UNAUTHENTICATED", "AFTER_THE_END"),
    *("BEFORE_THE_BEGIN", "OTHER_DATA", "OTHER_ITEM", "STARTED_AGAIN"),
)
ENGINE = "reference"
DAY = 86_400 * 1_000_000


@pytest.fixture(autouse=True)
def _benchmarks_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


@cache
def layers(*names: str) -> Layers:
    from benchmarks.constraints.auctions import SINCE

    files = [FOLDER / "auction.ihta", *(FOLDER / f"{name}.escl" for name in names)]
    found = verified(load(files).layers, expects_all=False, possible=False)
    return complete_since(found, SINCE)


def events(records: Sequence[Record]) -> list[Event]:
    found = []
    for each in records:
        children = [Term(name, [value]) for name, value in each.attributes.items()]
        found.append(Event(Term(each.label, children), Interval(each.at, each.at)))
    return found


def violated(records: Sequence[Record], *names: str) -> list[tuple[Time, str]]:
    """Returns when which constraint is violated; what violates the automaton has no name."""
    found = run_layers(layers(*names), events(records), ENGINE, changes=True)
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


def check_good(first: int, number: int, seed: int) -> None:
    records = [record for each in range(first, first + number) for record in good_auction(each, seed)]
    assert violated(in_order(records), *LISTINGS, "workflow") == []


def check_bad(kind: Kind, number: int, seed: int) -> None:
    from benchmarks.constraints.auctions import FINDERS

    records = bad_auction(number, seed, kind)
    mistake = records[-1]
    found = violated(in_order(records), "workflow")
    assert any(at == mistake.at and name in FINDERS[kind] for at, name in found), (kind, mistake, found)
    # what came before broke no rule
    assert all(at >= mistake.at for at, _ in found), (kind, mistake, found)


@pytest.mark.slow
def test_what_the_automaton_accepts_satisfies_all_constraints() -> None:
    for number in range(examples(12)):
        check_good(number, 1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_what_breaks_a_rule_is_found_by_the_constraint_that_is_about_it(name: str) -> None:
    from benchmarks.automata.auctions import Kind

    for number in range(2):
        check_bad(Kind[name], number, 2)


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
