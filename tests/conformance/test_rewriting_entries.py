"""The entries of semantic rewriting (part 1.R of the catalogue) by their ids, and what the errata exclude."""

from __future__ import annotations

from itertools import permutations

from cera.constraints.module import ConstraintModule
from cera.model.matching.patterns import TermPattern
from cera.optimizer.semantic.driver import LAWS, RewrittenRule, knowledge_of, rewrite
from cera.optimizer.semantic.residues import residues
from cera.program import load
from cera.rules.settlements import ClosingEvent, MostMatches, Settlement
from conformance.constraints import clauses_of

BIDS = 'bid(auctionID(A), itemID(I), bidderID("007"), value(V))'
Q25 = f"auction(auctionID(A)): items_007(auctionID(A), itemID(I)) <- {BIDS}."
Q29 = """Range 24h Slide 24h:
  number_of_offered_items(auctionID(A), number(count(I))) <-
    itemDescription(auctionID(A), itemID(I), bidderID(B), value(V))."""
ITEM = "itemDescription(auctionID(A), itemID(I), bidderID(B), value(V))"
AT_MOST = f"WHILE Range 24h Slide 24h LET IN ANY CASE exists <= 10000 event: {ITEM} group-by {{}} END END"
ENDED = f"IF event i: {ITEM} THEN exists = 1 event j: auctionEnd(auctionID(A)) and e(i) <= b(j) END"


def in_auctions(constraint: str) -> str:
    return f"WHILE state: auction(auctionID(A)) LET {constraint} END"


def rewritten(rules: str, *constraints: str) -> RewrittenRule:
    program = load(rules)
    assert not program.errors
    clauses = tuple(clauses_of("\n".join(constraints)))
    [found] = rewrite(program.rules, knowledge_of([ConstraintModule("c", clauses)])).rules
    return found


def laws(found: RewrittenRule) -> list[str]:
    return [each.law for each in found.rewritings]


def closings(settlements: tuple[Settlement, ...]) -> list[tuple[str, tuple[str, ...]]]:
    found: list[tuple[str, tuple[str, ...]]] = []
    for each in settlements:
        assert isinstance(each, ClosingEvent)
        assert isinstance(each.pattern, TermPattern)
        found.append((str(each.pattern.label), each.by))
    return found


def test_R_01_one_constraint_has_a_residue_for_each_substitution_and_is_applied_once() -> None:
    """ERR-91: by the listing one substitution has a residue, and it is applied to the result again and again. A
    contradiction is the result of the whole, wherever it is found."""
    both = "q(x(X), y(Y)) <- i: p(x(X)) and j: p(x(Y)) and X > 3 and Y > 3."
    positive = "IF event: p(x(X)) THEN X > 3 END"
    found = rewritten(both, positive)
    assert found.rule is not None
    assert laws(found) == ["predicate elimination"] * 2
    assert found.rule.branches[0].conditions == ()
    [clause] = clauses_of(positive)
    [branch] = found.original.branches
    assert len(list(residues(branch, [clause]))) == 2
    [left] = found.rule.branches
    assert len(list(residues(left, [clause]))) == 2, "it still applies to the result, for ever"
    second = "q(x(X), y(Y)) <- i: p(x(X)) and j: p(x(Y)) and Y < 3."
    assert rewritten(second, positive).rule is None, "as printed only the first substitution was looked at"
    later = rewritten(
        Q29.replace("value(V)).", "value(V)) and V < 3."), ENDED, "IF event: itemDescription(value(V)) THEN V > 3 END"
    )
    assert (later.rule, list(later.alternatives())) == (None, []), "and not one of a set of alternatives"


def test_R_01_the_result_is_nothing_to_evaluate_the_same_rule_or_a_set_of_rules() -> None:
    contradicted = rewritten(Q25, in_auctions('IF event: bid(bidderID(B)) THEN B != "007" END'))
    assert (contradicted.rule, list(contradicted.alternatives())) == (None, [])
    irrelevant = rewritten(Q25, "IF event: smoke(area(B)) THEN B != 7 END")
    assert (irrelevant.rule, list(irrelevant.alternatives())) == (irrelevant.original, [])
    assert len(list(rewritten(Q29, AT_MOST).alternatives())) == 1


def test_R_02_a_residue_that_helps_nothing_is_not_used() -> None:
    enrolled = (
        "IF event i: bid(auctionID(A), itemID(I), bidderID(B), value(V)) "
        "THEN exists = 1 event j: bidderEnrollment(auctionID(A), bidderID(B)) and e(j) <= b(i) END"
    )
    assert rewritten(Q25, in_auctions(enrolled)).rewritings == ()


def test_R_03_every_heuristic_has_a_law() -> None:
    """Index introduction is none: what is kept of a stream has the indexes that its joins need. Lookup merging is of
    section 10.1, only partner and refuted absence of section 8.1."""
    assert LAWS == (
        "result by contradiction",
        "result by transformation",
        "join elimination",
        "lookup merging",
        "predicate elimination",
        "scan reduction",
        "join introduction",
        "predicate introduction",
        "only partner",
        "refuted absence",
    )


def test_R_04_a_bidder_who_may_not_bid_has_no_bids() -> None:
    banned = "IF event: bid(auctionID(A), itemID(I), bidderID(B), value(V)) THEN B != {} END"
    found = rewritten(Q25, in_auctions(banned.format('"007"')))
    assert found.rule is None
    assert laws(found) == ["result by contradiction"]
    assert rewritten(Q25, in_auctions(banned.format('"008"'))).rewritings == ()


def test_R_04_what_holds_in_other_states_says_nothing() -> None:
    elsewhere = 'WHILE state: rehearsal(auctionID(A)) LET IF event: bid(bidderID(B)) THEN B != "007" END END'
    assert rewritten(Q25, elsewhere).rewritings == ()


def test_R_05_one_temperature_at_the_begin_of_a_window_is_not_its_average() -> None:
    """ERR-93: other temperatures in the window are not excluded."""
    average = "Range 1h Slide 30min: averageTemp(value(avg(V))) <- temp(sensor(s), area(a), value(V))."
    constant = (
        "WHILE w: Range 1h Slide 30min LET IN ANY CASE "
        "exists = 1 event t: temp(sensor(s), area(a), value(20)) and b(t) = b(w) and e(t) = b(w) END END"
    )
    assert rewritten(average, constant).rewritings == ()


def test_R_05_temperatures_that_are_all_the_same_have_that_average() -> None:
    average = "Range 1h Slide 30min: averageTemp(value(avg(V))) <- temp(sensor(s), area(a), value(V))."
    found = rewritten(average, "IF event: temp(sensor(s), area(a), value(V)) THEN V = 20 END")
    assert laws(found) == ["result by transformation"]
    assert found.is_answered


def test_R_06_an_event_that_does_not_define_the_evaluation_time_goes() -> None:
    """What the example would do, were it not for the state: the join and its conditions are eliminated."""
    with_session = f"items_007(auctionID(A), itemID(I)) <- i: {BIDS} and s: session(auctionID(A)) and s during i."
    always = "IF event i: bid(auctionID(A)) THEN exists = 1 event s: session(auctionID(A)) and s during i END"
    found = rewritten(with_session, always)
    assert laws(found) == ["join elimination"]
    assert found.rule is not None
    assert found.rule.branches[0].conditions == ()


def test_R_06_what_defines_the_evaluation_time_stays() -> None:
    always = "IF event i: bid(auctionID(A)) THEN exists = 1 state a: auction(auctionID(A)) and b(a) <= b(i) END"
    assert rewritten(Q25, always).rewritings == ()


def test_R_07_after_ten_thousand_items_a_window_has_no_more() -> None:
    found = rewritten(Q29, AT_MOST)
    assert found.rule is not None
    assert laws(found) == ["predicate introduction"]
    assert found.rule.settlements == (MostMatches(10_000, ()),)
    assert found.rule.branches == found.original.branches  # the residue is no part of what is matched


def test_R_08_the_end_of_an_auction_completes_its_items() -> None:
    found = rewritten(Q29, ENDED)
    assert found.rule is not None
    assert laws(found) == ["join introduction"]
    assert closings(found.rule.settlements) == [("auctionEnd", ("A",))]


def test_R_08_the_end_of_an_auction_completes_nothing_over_all_auctions() -> None:
    """ERR-94: only the group of the auction is complete, and here there is one group of all."""
    all_items = f"Range 24h: offered(number(count(I))) <- {ITEM}."
    assert rewritten(all_items, ENDED).rewritings == ()


def test_R_09_an_answer_that_is_known_is_a_kind_of_its_own() -> None:
    lowest = Q29.replace("auctionID(A), number(count(I))", "least(min(V))")
    assert rewritten(lowest, "IF event: itemDescription(value(V)) THEN V = 1 END").is_answered
    assert not rewritten(Q29, AT_MOST).is_answered


def test_R_09_an_alternative_of_each_kind_has_its_place() -> None:
    found = rewritten(Q29, ENDED)
    assert [each.settlements for each in found.alternatives()] == [found.rule.settlements if found.rule else ()]


def test_R_10_two_residues_give_three_alternatives() -> None:
    found = rewritten(Q29, AT_MOST, ENDED)
    assert found.rule is not None
    assert [len(each.settlements) for each in found.alternatives()] == [1, 1, 2]
    assert len({each.settlements for each in found.alternatives()}) == 3


def test_R_10_alternatives_are_sets_of_residues_and_not_their_orders() -> None:
    """ERR-95: three residues have seven sets, and fifteen orders of these; there are seven alternatives."""
    fewer = f"WHILE Range 24h Slide 24h LET IN ANY CASE exists <= 500 event: {ITEM} group-by {{A}} END END"
    over = ENDED.replace("auctionEnd", "auctionOver")
    found = rewritten(Q29, fewer, ENDED, over)
    assert found.rule is not None
    assert len(found.rule.settlements) == 3
    alternatives = [frozenset(map(repr, each.settlements)) for each in found.alternatives()]
    assert len(alternatives) == len({*alternatives}) == 2**3 - 1
    orders = sum(len(list(permutations(found.rule.settlements, size))) for size in (1, 2, 3))
    assert orders == 15


def test_R_10_a_constraint_that_is_given_twice_gives_no_more() -> None:
    assert len(list(rewritten(Q29, AT_MOST, ENDED, ENDED).alternatives())) == 3


def test_R_12_a_trivial_constraint_justifies_nothing() -> None:
    """Example 32: to drop x from a rule, the constraint must follow from the rest of it (ERR-92)."""
    assert rewritten('q(x("a")) <- p(x("a")).', 'IF event: p(x("a")) THEN event: p(x("a")) END').rewritings == ()
    tested = "q(x(X)) <- p(x(X)) and X > 3."
    assert rewritten(tested, "IF event: p(x(X)) and X > 3 THEN X > 3 END").rewritings == ()
    assert laws(rewritten(tested, "IF event: p(x(X)) THEN X > 3 END")) == ["predicate elimination"]


def test_R_12_two_conditions_do_not_vouch_for_each_other() -> None:
    both = "q(x(X), y(Y)) <- p(x(X), y(Y)) and X > 3 and Y > 3."
    circular = (
        "IF event: p(x(X), y(Y)) and X > 3 THEN Y > 3 END",
        "IF event: p(x(X), y(Y)) and Y > 3 THEN X > 3 END",
    )
    found = rewritten(both, *circular)
    assert found.rule is not None
    assert len(found.rule.branches[0].conditions) == 1


def test_R_13_what_no_heuristic_uses_is_not_wrong_and_changes_nothing() -> None:
    assert rewritten("q(x(X)) <- p(x(X)).", "IF event: p(x(X)) THEN X > 3 END").rewritings == ()
