"""Streams of auctions that are generated: what keeps to the workflow is accepted, and each violation is found where it
was put, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cera.cli.verification import verified
from cera.model.events.event import DerivedEvent, Event
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from cera.modules.layering import Layers
from cera.program import load
from hypothesis_profiles import examples
from module_runs import run_layers

if TYPE_CHECKING:
    from benchmarks.automata.auctions import Record

ROOT = Path(__file__).parents[2]
KINDS = (
    *("LATE_BID", "BID_IN_SALE", "BID_AFTER_SALE", "EARLY_BEAT", "BEAT_BEFORE_BID", "FOURTH_BEAT", "EARLY_SALE"),
    *("LATE_SALE", "TOO_FEW_BIDDERS", "ITEM_DURING_OFFER", "END_BEFORE_ITEMS", "END_DURING_OFFER", "LATE_ENROLLMENT"),
    *("ENROLLED_TWICE", "OFFERED_TWICE", "DATA_TWICE", "DATA_AGAIN", "UNAUTHENTICATED", "AFTER_THE_END"),
    *("BEFORE_THE_BEGIN", "OTHER_DATA", "OTHER_ITEM", "STARTED_AGAIN"),
)
#: When, which auction, what: of a record that breaks a rule, or of an event that is reported.
Place = tuple[int, object, str]


@pytest.fixture(autouse=True)
def _benchmarks_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


@cache
def layers(*, expects_all: bool = False) -> Layers:
    return verified(
        load(ROOT / "examples" / "auction-workflow" / "auction.ihta").layers, expects_all=expects_all, possible=False
    )


def events(records: Sequence[Record]) -> list[Event]:
    found = []
    for each in records:
        children = [Term(name, [value]) for name, value in each.attributes.items()]
        found.append(Event(Term(each.label, children), Interval(each.at, each.at)))
    return found


def broken(records: Sequence[Record]) -> set[Place]:
    return {(each.at, each.auction, each.label) for each in records if each.breaks is not None}


def violations(found: Sequence[DerivedEvent]) -> set[Place]:
    places: set[Place] = set()
    for one in found:
        if one.event.label == "violation":
            [event] = [child.children[0] for child in parts(one.event.term) if child.label == "event"]
            assert isinstance(event, Term)
            [number] = [child.children[0] for child in parts(event) if child.label == "auctionID"]
            places.add((one.event.end, number, event.label))
    return places


def parts(term: Term) -> list[Term]:
    return [child for child in term.children if isinstance(child, Term)]


def answered(records: Sequence[Record], engine: str = "local", **options: bool) -> Any:
    return run_layers(layers(**options), events(records), engine, changes=True)


@pytest.mark.parametrize("together", [False, True], ids=["one by one", "together"])
def test_auctions_that_keep_to_the_workflow_are_accepted(together: bool) -> None:
    from benchmarks.automata.auctions import Market

    market = Market(50, together=together, seed=11)
    found = answered(list(market.records(examples(100))), expects_all=True)
    assert not [one for one in found.derived if one.event.label in ("violation", "overdue")]
    assert found.left_out == 0


@pytest.mark.parametrize("together", [False, True], ids=["one by one", "together"])
@pytest.mark.parametrize("name", KINDS)
def test_each_violation_is_found_where_it_was_put(name: str, together: bool) -> None:
    from benchmarks.automata.auctions import UNEXPECTED, Kind, Market

    kind = Kind[name]
    records = list(Market(20, broken=0.6, kinds=(kind,), together=together, seed=3).records(examples(12)))
    put = broken(records)
    assert put
    found = answered(records)
    if kind in UNEXPECTED:
        assert violations(found.derived) == set()
        assert found.left_out == len(put)
        assert violations(answered(records, expects_all=True).derived) == put
    else:
        assert violations(found.derived) == put
        assert found.left_out == 0


def test_all_kinds_are_tried() -> None:
    from benchmarks.automata.auctions import Kind

    assert set(KINDS) == set(Kind.__members__)


@pytest.mark.usefixtures("spark")
def test_violations_are_found_where_they_were_put_on_spark() -> None:
    from benchmarks.automata.auctions import Market

    records = list(Market(30, broken=0.7, together=True, seed=5).records(60))
    found = answered(records, "spark", expects_all=True)
    assert violations(found.derived) == broken(records)


def test_the_same_seed_gives_the_same_auctions_in_the_order_of_time() -> None:
    from benchmarks.automata.auctions import Market

    first, again, other = (list(Market(20, broken=0.5, seed=seed).records(40)) for seed in (1, 1, 2))
    assert first == again != other
    assert [each.at for each in first] == sorted(each.at for each in first)


@pytest.mark.slow
def test_the_machine_written_by_hand_reports_what_the_automaton_does(tmp_path: Path) -> None:
    from benchmarks.automata.auctions import Market, generate
    from benchmarks.automata.handwritten import Found, Machine, steps
    from benchmarks.automata.workloads import Watch, as_found, by_cera, processor

    path = tmp_path / "auctions.jsonl"
    generate(4_000, path, Market(50, broken=0.3))
    found: list[Found] = []
    machine = Machine(found.append)
    with path.open() as lines:
        for step in steps(lines):
            machine.take(step)
    machine.close()
    by_automaton = as_found(by_cera(processor(states=True), str(path), Watch(1)), states=True)
    assert sorted(found, key=repr) == sorted(by_automaton, key=repr)
    assert {one.label for one in found} >= {"violation", "overdue", "auction", "B3", "I5", "A1"}
