"""The entries of chapter 12 by their ids: constraints that follow from automata and from rules (E-35 to E-40)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cera.automata.automaton import Automaton
from cera.constraints.cardinalities.laws import projected
from cera.constraints.clause import Clause
from cera.constraints.consequences.implication import implies, is_trivial
from cera.constraints.derivation.automata import of_automaton
from cera.constraints.derivation.derived import SUPPOSITIONS, DerivedConstraint, supposed
from cera.constraints.derivation.determinism import is_deterministic
from cera.constraints.derivation.paths import ways_of
from cera.constraints.derivation.rules import of_rules
from cera.constraints.kinds import named
from cera.constraints.names import Names
from cera.constraints.normalisation import normalise
from cera.constraints.queries import Literal
from cera.constraints.semantics import violations
from cera.constraints.stream import Extent, Happening, Stream, happenings_of
from cera.constraints.subsumption.conjunctive import of_body
from cera.constraints.subsumption.subsumption import subsumptions, values_as_expressions
from cera.languages.escl.printer import print_set
from cera.model.events.event import Event
from cera.model.expressions.expression import Comparison
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from cera.modules.module import Settings
from cera.program import load
from conformance import automata
from conformance.constraints import SECOND, clauses_of, event, state

LISTINGS = Path(__file__).parents[1] / "languages" / "escl" / "ok"

#: Figure 6.1 with the attributes that Listing 7.1 names.
FIGURE_6_1 = automata.AUCTION
for _label in ("bid", "hammerBeat", "sell"):
    FIGURE_6_1 = FIGURE_6_1.replace(
        f"{_label}(auctionID(A), itemID(I))", f"{_label}(auctionID(A), itemID(I), bidderID(B*), value(V*))"
    )
FIGURE_6_1 = FIGURE_6_1.replace("itemID(unique I*))", "itemID(unique I*), bidderID(B*), value(V*))")

COUNTING = """auction(auctionID(A)):
  bidNumber(auctionID(A), itemID(I), number(count(A, I))) <-
    bid(auctionID(A), itemID(I), bidderID(B), value(V))."""
PROFITABLE = """auction(auctionID(A)):
  profitablySoldItem(auctionID(A), itemID(I)) <-
    itemDescription(auctionID(A), itemID(I), bidderID(B1), value(V1)) and
    sell(auctionID(A), itemID(I), bidderID(B2), value(V2)) and V2 > 2 * V1."""


def figure() -> Automaton:
    return automata.module(FIGURE_6_1).automaton


def clauses(found: Iterable[DerivedConstraint]) -> list[Clause]:
    return [clause for each in found for clause in normalise(named([each.constraints])[0]).clauses]


def listed(name: str) -> list[Clause]:
    return clauses_of((LISTINGS / f"listing_{name}.escl").read_text())


def texts(found: Iterable[DerivedConstraint]) -> list[str]:
    shown = (" ".join(print_set(each.constraints).split()) for each in found)
    return [text.replace("( ", "(").replace(" )", ")") for text in shown]


def follows(derived: Clause, clause: Clause) -> bool:
    """Returns whether a clause follows from a derived one, whose body subsumes its own."""
    if not isinstance(derived.head[0][0], Literal | Comparison):
        return False
    for match in subsumptions(of_body(derived.body), of_body(clause.body)):
        names = Names(match.identifiers, values_as_expressions(match.values))
        if implies(replace(derived, head=((names.part(derived.head[0][0]),),), body=clause.body), clause):
            return True
    return False


def satisfied(found: Iterable[DerivedConstraint], happenings: list[Happening]) -> bool:
    ordered = tuple(sorted(happenings, key=lambda each: (each.end, each.begin, each.term.key)))
    return not violations(clauses(found), Stream(ordered, Extent(-SECOND, 100 * SECOND, -SECOND))).violations


# Rules


def test_e35_the_number_of_bids() -> None:
    found = of_rules(load(COUNTING).rules)
    [each] = found
    [text] = texts(found)
    assert text == (
        "WHILE state: auction(auctionID(A)) LET IF "
        "exists = K event: bid(auctionID(A), itemID(I), bidderID(B), value(V)) group-by {A, I} and K >= 1 "
        "THEN exists = 1 event: bidNumber(auctionID(A), itemID(I), number(N)) and N = K END END"
    )
    assert each.because == "rule bidNumber: it counts bid"
    assert each.supposing == {"flat", "single"}
    bids = [event("bid", at, auctionID=1, itemID="i", bidderID="b", value=at) for at in (2, 3)]
    auction = [state("auction", 0, 10, auctionID=1)]
    assert satisfied(found, [*auction, *bids, event("bidNumber", 0, 10, auctionID=1, itemID="i", number=2)])
    assert not satisfied(found, [*auction, *bids])
    assert not satisfied(found, [*auction, *bids, event("bidNumber", 0, 10, auctionID=1, itemID="i", number=3)])
    # ERR-69: of none there is no number
    assert satisfied(found, auction)


def test_e35_numbers_in_windows_and_what_is_not_a_number() -> None:
    hourly = "Range 1h: readings(area(A), number(count(V))) <- temp(area(A), value(V))."
    [number, once] = texts(of_rules(load(hourly).rules))
    assert number == (
        "WHILE Range 1 hour LET IF exists = K event: temp(area(A), value(V)) group-by {A} and K >= 1 "
        "THEN exists = 1 event: readings(area(A), number(N)) and N = K END END"
    )
    assert (
        once
        == "WHILE Range 1 hour LET IN ANY CASE exists <= 1 event: readings(area(A), number(R1)) group-by {A} END END"
    )
    average = "Range 1h: mean(area(A), value(avg(V))) <- temp(area(A), value(V))."
    assert len(of_rules(load(average).rules)) == 1, "only that there is one"
    conditional = "Range 1h: hot(area(A), number(count(V))) <- temp(area(A), value(V)) and V > 30."
    assert len(of_rules(load(conditional).rules)) == 1, "those that pass are fewer"


# Automata


def test_e36_the_facts_of_listing_7_1_come_out_of_figure_6_1() -> None:
    found = clauses(of_automaton(figure()))
    facts = [clause for clause in listed("7_1") if len(clause.body) == 1]
    assert len(facts) == 10
    for clause in facts:
        assert is_trivial(clause) or any(implies(each, clause) for each in found), clause


def test_e36_numbers_on_all_ways_through_an_item_offer() -> None:
    told = texts(of_automaton(figure()))
    counts = {text.split("exists ")[1].split(" END")[0] for text in told if "itemOffer" in text and "IF" not in text}
    atom = "(auctionID(A), itemID(I), bidderID(B), value(V)) group-by {A, I}"
    assert {
        f"(= 0 or >= 3) event: hammerBeat{atom}",
        f"<= 1 event: sell{atom}",
        "= 1 state: I0(auctionID(A), itemID(I)) group-by {A, I}",
        "<= 1 state: I4(auctionID(A), itemID(I)) group-by {A, I}",
        "= 1 state: I5(auctionID(A), itemID(I)) group-by {A, I}",
    } <= counts
    assert not any(" event: bid(" in text for text in counts), "any number of them says nothing"


def test_e37_the_first_bid_of_listing_7_1() -> None:
    found = clauses(of_automaton(figure()))
    causes = [clause for clause in listed("7_1") if len(clause.body) > 1]
    assert len(causes) == 6
    for clause in causes:
        assert any(follows(each, clause) for each in found), clause


def test_e38_the_order_of_listing_7_2() -> None:
    found = clauses(of_automaton(figure()))
    for clause in listed("7_2"):
        assert any(implies(each, clause) for each in found), clause


def test_e38_strongly_connected_states_have_no_order() -> None:
    structure = automata.module(FIGURE_6_1).structure
    ways = ways_of(structure, ("Auction", "ItemOffer"))
    inside = {path[-1]: {each[-1] for each in ways.reachable(path)} for path in ways.visited}
    loop = {"I1", "I2", "I3"}
    assert all(inside[name] == loop | {"I4", "I5"} for name in loop)
    assert inside["I0"] == loop | {"I4", "I5"}
    assert (inside["I4"], inside["I5"]) == ({"I5"}, set())
    told = texts(of_automaton(figure()))
    assert not any("I2" in text and "I1" in text and "before" in text for text in told)
    assert sum("i before j" in text and "itemOffer" in text for text in told) == 5 + 3 + 3 + 1


def test_e39_the_dependencies_of_listing_7_5() -> None:
    found = clauses(of_automaton(figure()))
    for clause in listed("7_5"):
        assert any(follows(each, clause) for each in found), clause
    told = texts(of_automaton(figure()))
    assert any("enrollment(auctionID(A2), enrollID(E))" in text and "A2 = A3" in text for text in told)


@pytest.mark.parametrize("number", range(3))
def test_e36_what_breaks_without_a_supposition_says_so(number: int) -> None:
    """An event at the time at which a state ends lies in it, and no instance has seen it."""
    [count] = [e for e in of_automaton(figure()) if "ItemOffer: hammerBeat" in e.because and "after" not in e.because]
    assert count.supposing == {"points", "distinct", "unique"}
    item: dict[str, Any] = {"auctionID": 1, "itemID": "i"}
    offer = state("itemOffer", 0, 50, **item)
    together = event("hammerBeat", 50, **item, bidderID="b", value=number)
    assert satisfied([count], [offer])
    assert not satisfied([count], [offer, together]), "which the automaton accepts together with the next description"
    assert count not in supposed([count], ["points", "unique"])
    assert count in supposed([count], SUPPOSITIONS)


def test_nothing_follows_from_an_automaton_with_choices() -> None:
    beat = "hammerBeat(auctionID(A), itemID(I), bidderID(B*), value(V*)) and e(this) - e(last) >= 40 sec;"
    choice = FIGURE_6_1.replace("    I4 -> I5", f"    I1 -> I3: {beat}\n    I4 -> I5")
    found = automata.module(choice).automaton
    assert not is_deterministic(found)
    assert of_automaton(found) == []


def test_nothing_follows_where_names_may_be_given_twice() -> None:
    found = automata.module(FIGURE_6_1.replace("unique I*", "I*")).automaton
    assert not any("itemOffer" in text for text in texts(of_automaton(found)))


# Propagation


def known(*constraints: str) -> list[Clause]:
    return clauses_of("\nand\n".join(constraints))


_SALE = "event i: itemDescription(auctionID(A), itemID(I)) and event j: sell(auctionID(A), itemID(I))"
_DESCRIBED_FIRST = f"IF {_SALE} THEN i before j END"
_ITEM_OF_ONE_AUCTION = (
    "IF event: itemDescription(auctionID(A1), itemID(I)) and event: sell(auctionID(A2), itemID(I)) THEN A1 = A2 END"
)


def test_e40_what_precedes_the_description_precedes_the_profitable_sale() -> None:
    started = "IF event i: start(auctionID(A)) and event j: itemDescription(auctionID(A)) THEN i before j END"
    found = of_rules(load(PROFITABLE).rules, known(_DESCRIBED_FIRST, started))
    assert texts(found) == [
        "IF event x: start(auctionID(A)) and event h: profitablySoldItem(auctionID(A), itemID(I)) THEN x before h END"
    ]
    # without the order of description and sale it does not follow
    assert of_rules(load(PROFITABLE).rules, known(started)) == []


def test_e40_what_follows_the_sale_follows_the_profitable_sale() -> None:
    paid = "IF event i: sell(itemID(I)) and event j: paid(itemID(I)) THEN i before j END"
    found = of_rules(load(PROFITABLE).rules, known(_DESCRIBED_FIRST, paid))
    assert texts(found) == [
        "IF event x: paid(itemID(I)) and event h: profitablySoldItem(auctionID(A), itemID(I)) THEN h before x END"
    ]


def test_e40_the_functional_dependency_carries_over() -> None:
    found = of_rules(load(PROFITABLE).rules, known(_ITEM_OF_ONE_AUCTION))
    [text] = texts(found)
    assert text == (
        "IF event: profitablySoldItem(itemID(X), auctionID(Y)) and event: profitablySoldItem(itemID(X), auctionID(Z)) "
        "THEN Y = Z END"
    )


_CAUSED = """WHILE state: auction(auctionID(A)) LET
  IF event: bid(auctionID(A), itemID(I))
  THEN exists = 1 event: itemDescription(auctionID(A), itemID(I), bidderID(B1), value(V1)) group-by {A, I} and
       exists >= 1 event: sell(auctionID(A), itemID(I), bidderID(B2), value(V2)) group-by {A, I} END
END"""


def test_e40_causes_are_blocked_by_a_condition() -> None:
    assert of_rules(load(PROFITABLE).rules, known(_CAUSED)) == []


def test_e40_without_the_condition_what_causes_description_and_sale_causes_the_answer() -> None:
    plain = PROFITABLE.replace(" and V2 > 2 * V1", "")
    [text] = texts(of_rules(load(plain).rules, known(_CAUSED)))
    assert text == (
        "IF state s: auction(auctionID(A)) and while s: event: bid(auctionID(A), itemID(I)) "
        "THEN while s: exists >= 1 event: profitablySoldItem(auctionID(A), itemID(I)) group-by {A, I} END"
    )
    # what is there of one and of the other need not have the same value
    joined = plain.replace("bidderID(B2)", "bidderID(B1)")
    assert of_rules(load(joined).rules, known(_CAUSED)) == []
    absent = f"{plain.rstrip().rstrip('.')} and not fraud(itemID(I))."
    assert of_rules(load(absent).rules, known(_CAUSED)) == []


# Laws of ways, and their unsound neighbours

_AGAIN = """automaton Job(k(K)) {
  start A;
  B;
  end C;
  enter -> A: z(k(unique K*));
  A -> B: a(k(K));
  B -> A: now - e(last) >= 0 sec;
  A -> C: c(k(K));
}"""


def test_a_state_that_is_left_and_entered_at_one_time_is_one_state() -> None:
    module = automata.module(_AGAIN)
    assert is_deterministic(module.automaton)
    events = [automata_event("z", 0), automata_event("a", 1), automata_event("c", 2)]
    states = [each.event for each in module.definition(Settings()).answer(events, None).derived]
    seen = happenings_of([*events, *states])
    assert [each.term.label for each in seen if each.kind == "state"].count("A") == 1
    found = of_automaton(module.automaton)
    stream = Stream(seen, Extent(0, 10 * SECOND, 0))
    assert not violations(clauses(found), stream).violations
    # the visits on the way are two, and a constraint on them would be violated
    ways = ways_of(module.structure, ("Job",))
    start = ("Job", "A")
    visits = {step.number: (1,) for step in ways.steps if step.after == start}
    after_a = ways.numbers(lambda at: int(at == start), visits, lambda step: step.before == start)
    assert 1 in after_a, "by way of C"
    looped = ways.numbers(lambda at: int(at == start), visits, lambda step: step.after == ("Job", "B"))
    assert 1 not in looped
    assert 1 in projected(looped)


def automata_event(label: str, at: int) -> Event:
    return Event(Term(label, [Term("k", [1])]), Interval(at * SECOND, at * SECOND))


def test_an_event_that_lasts_may_begin_before_the_state_that_accepts_it() -> None:
    module = automata.module(_AGAIN)
    [count] = [each for each in of_automaton(module.automaton) if "on all ways of Job: c" in each.because]
    assert "points" in count.supposing
    events = [automata_event("z", 5), Event(Term("c", [Term("k", [1])]), Interval(SECOND, 8 * SECOND))]
    states = [each.event for each in module.definition(Settings()).answer(events, None).derived]
    stream = Stream(happenings_of([*events, *states]), Extent(0, 10 * SECOND, 0))
    assert violations(clauses([count]), stream).violations, "it is accepted, and does not lie in the state"
