"""The entries of semantic rewriting (part 1.R) with streams that satisfy their constraints, on every engine.

What becomes of the rules is tested in `test_rewriting_entries`. Here the rewritten rules answer as the plain ones do by
definition: by definition, locally, in micro-batches and on Spark, there in one query.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import pytest

from cera.constraints.module import ConstraintModule
from cera.constraints.semantics import violations
from cera.constraints.stream import Stream, extent_of, happenings_of
from cera.model.events.event import DerivedEvent, Event
from cera.optimizer.semantic.driver import LAWS, RewrittenProgram, knowledge_of, rewrite
from cera.program import load
from cera.rules.rule import RuleProgram
from cera.testing import SECOND, event, state
from conformance.constraints import clauses_of
from conformance.rules_side_by_side import answers_side_by_side
from conformance.test_rewriting_entries import AT_MOST, ENDED, Q25, Q29, in_auctions
from module_runs import rule_operators, run_by_definition, run_locally
from properties.streaming_runs import MicroBatches, random_cuts


@dataclass(frozen=True)
class EntryCase:
    """Rules, constraints and a stream that satisfies these, for an entry."""

    entry: str
    rules: str
    constraints: str
    events: tuple[Event, ...]

    @property
    def id(self) -> str:
        return self.entry

    @property
    def program(self) -> RuleProgram:
        return load(self.rules).rules

    @property
    def rewritten(self) -> RewrittenProgram:
        return rewrite(self.program, knowledge_of([ConstraintModule("c", tuple(clauses_of(self.constraints)))]))

    @property
    def satisfies(self) -> bool:
        happenings = happenings_of(self.events)
        extent = extent_of((each.known, each.begin) for each in happenings)
        assert extent is not None
        return not violations(clauses_of(self.constraints), Stream(happenings, extent)).violations


def bid(at: float, bidder: str, value: int = 5) -> Event:
    return event(f'bid{{auctionID{{1}}, itemID{{2}}, bidderID{{"{bidder}"}}, value{{{value}}}}}', at)


def item(at: float, auction: int, number: int, value: int = 1) -> Event:
    content = f'auctionID{{{auction}}}, itemID{{{number}}}, bidderID{{"b"}}, value{{{value}}}'
    return event(f"itemDescription{{{content}}}", at)


def ended(at: float, auction: int) -> Event:
    return event(f"auctionEnd{{auctionID{{{auction}}}}}", at)


AUCTION = state("auction{auctionID{1}}", 10, 50)
BIDS = (AUCTION, bid(20, "005"), bid(30, "006", 6))
ITEMS = (item(10, 1, 1), item(11, 1, 2), item(12, 2, 1), ended(20, 1), item(25, 2, 2), ended(40, 2))
BANNED = in_auctions('IF event: bid(auctionID(A), itemID(I), bidderID(B), value(V)) THEN B != "007" END')
ENROLLED = in_auctions(
    "IF event i: bid(auctionID(A), bidderID(B)) "
    "THEN exists = 1 event j: bidderEnrollment(auctionID(A), bidderID(B)) and e(j) <= b(i) END"
)
AVERAGE = "Range 1h Slide 30min: averageTemp(value(avg(V))) <- temp(sensor(s), area(a), value(V))."
TEMPS = tuple(
    event(f'temp{{sensor{{"s"}}, area{{"a"}}, value{{{value}}}}}', at) for at, value in ((10, 20), (4000, 20))
)
IN_SESSION = (
    'items_007(auctionID(A), itemID(I)) <- i: bid(auctionID(A), itemID(I), bidderID("007")) '
    "and s: session(auctionID(A)) and s during i."
)
LONG_BIDS = tuple(
    event(f'bid{{auctionID{{1}}, itemID{{{number}}}, bidderID{{"007"}}}}', 10 * number, 10 * number + 5)
    for number in (1, 2)
)
SESSIONS = tuple(event("session{auctionID{1}}", 10 * number + 1, 10 * number + 2) for number in (1, 2))
FEW = AT_MOST.replace("10000", "4")
#: For each entry what shows it; together they use every law.
CASES = (
    EntryCase("R-01", Q25, BANNED, BIDS),
    EntryCase(
        "R-02",
        Q25,
        ENROLLED,
        (AUCTION, event('bidderEnrollment{auctionID{1}, bidderID{"007"}}', 12), bid(20, "007"), bid(21, "007", 7)),
    ),
    EntryCase(
        "R-03",
        "h(k(K), v(V), w(W)) <- i: p(k(K), v(V)) and j: q(k(K), v(W)).",
        "IF event i: p(k(K), v(V)) and event j: q(k(K)) THEN V > 1 END",
        (event("p{k{1}, v{2}}", 1), event("p{k{2}, v{1}}", 2), event("q{k{1}, v{3}}", 3), event("q{k{1}, v{4}}", 4)),
    ),
    EntryCase("R-04", Q25, BANNED, (*BIDS, bid(60, "007"))),
    EntryCase("R-05", AVERAGE, "IF event: temp(sensor(s), area(a), value(V)) THEN V = 20 END", TEMPS),
    EntryCase(
        "R-06",
        IN_SESSION,
        "IF event i: bid(auctionID(A)) THEN exists = 1 event s: session(auctionID(A)) and s during i END",
        (LONG_BIDS[0], SESSIONS[0]),
    ),
    EntryCase("R-07", Q29, FEW, ITEMS),
    EntryCase("R-08", Q29, ENDED, ITEMS),
    EntryCase(
        "R-09",
        Q29.replace("auctionID(A), number(count(I))", "least(min(V))"),
        "IF event: itemDescription(value(V)) THEN V = 1 END",
        ITEMS,
    ),
    EntryCase("R-10", Q29, f"{FEW}\n{ENDED}", ITEMS),
    EntryCase(
        "R-12",
        "q(x(X), y(Y)) <- p(x(X), y(Y)) and X > 3 and Y > 3.",
        "IF event: p(x(X), y(Y)) and X > 3 THEN Y > 3 END\nIF event: p(x(X), y(Y)) and Y > 3 THEN X > 3 END",
        (event("p{x{4}, y{5}}", 1), event("p{x{1}, y{2}}", 2)),
    ),
    EntryCase("R-13", "q(x(X)) <- p(x(X)).", "IF event: p(x(X)) THEN X > 3 END", (event("p{x{4}}", 1),)),
)


def _shown(derived: Iterable[DerivedEvent]) -> list[str]:
    return sorted(str(one.event) for one in derived)


def _alternatives(case: EntryCase) -> list[RuleProgram]:
    """Returns the rewritten program, and where there is a choice, one for each alternative."""
    whole = case.rewritten
    [rule] = whole.rules
    several = [replace(whole.program, rules=(each,)) for each in rule.alternatives()]
    return [whole.program, *several]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_an_entry_has_the_answers_of_the_plain_rules(case: EntryCase) -> None:
    assert case.satisfies
    expected = _shown(run_by_definition(case.program, case.events).derived)
    assert bool(expected) == (case.entry not in ("R-01", "R-04")), "what cannot be has no answers"
    for program in _alternatives(case):
        assert _shown(run_by_definition(program, case.events).derived) == expected
        assert _shown(run_locally(program, case.events).derived) == expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_an_entry_has_the_same_answers_in_micro_batches(case: EntryCase) -> None:
    expected = sorted(one.event.id for one in run_by_definition(case.program, case.events).derived)
    for program in _alternatives(case):
        stream = MicroBatches(rule_operators(program, buckets=2), 0)
        for batch in random_cuts(sorted(case.events, key=lambda each: each.end), random.Random(case.entry)):
            stream.batch(batch)
        stream.latest = max(each.end for each in case.events) + 100_000 * SECOND
        stream.batch([])
        assert not stream.by_kind.rejected
        assert sorted(one.id for one in stream.by_kind.derived) == expected


@pytest.mark.usefixtures("spark")
def test_all_entries_have_the_same_answers_on_spark() -> None:
    found = answers_side_by_side([(case.rewritten.program, case.events) for case in CASES], "spark")
    expected: Sequence[list[str]] = [_shown(run_by_definition(case.program, case.events).derived) for case in CASES]
    for case, derived, meant in zip(CASES, found, expected, strict=True):
        assert _shown(derived) == meant, case.entry


def test_the_entries_use_every_law_of_the_paper() -> None:
    """R-03: each heuristic is used by an entry. R-11 is `properties/test_semantic_optimizer.py`, and keys of tables,
    of which no entry is, are `properties/constrained_lookups.py`; the others are none of the paper."""
    used = {each.law for case in CASES for rule in case.rewritten.rules for each in rule.rewritings}
    assert used == {*LAWS} - {"lookup merging", "only partner", "refuted absence"}
    assert [case.entry for case in CASES] == [f"R-{number:02}" for number in range(1, 14) if number != 11]
