"""Conditions that are introduced, beside forms that are nearly the same and not sound, or of no use."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.algebra.unbounded_state import check_state
from cera.explain.plan import NOTATION
from cera.model.expressions.expression import Comparison, Literal, Variable
from cera.testing import event
from unit.optimizer.semantic.rewriting import answers, laws, program_of, rewritten, rewritten_program, satisfies

JOINED = "h(k(K), v(V)) <- i: p(k(K), v(V)) and j: q(k(K))."
HIGH = "IF event: p(k(K), v(V)) and event: q(k(K)) THEN V > 5 END"


def test_a_condition_on_one_event_is_tested_before_the_join() -> None:
    assert laws(rewritten(JOINED, HIGH)) == ["scan reduction"]


def test_a_bound_on_two_times_makes_the_state_bounded() -> None:
    soon = "IF event i: p(k(K)) and event j: q(k(K)) THEN e(i) <= b(j) and {i, j} within 1 h END"
    found = rewritten_program(JOINED, soon)
    assert [laws(each) for each in found.rules] == [["scan reduction", "scan reduction"]]
    assert list(check_state(program_of(JOINED)))
    assert not list(check_state(found.program))


@pytest.mark.parametrize(
    "constraint",
    [
        "IF event: p(k(K), v(V)) and event: r(k(K)) THEN V > 5 END",  # of others
        "IF event: p(k(K), v(V)) and event: q(k(L)) and K < L THEN V > 5 END",  # only if
        "WHILE state: s(k(K)) LET IF event: p(k(K), v(V)) and event: q(k(K)) THEN V > 5 END END",
    ],
)
def test_a_condition_that_need_not_hold_in_a_match_is_not_added(constraint: str) -> None:
    assert laws(rewritten(JOINED, constraint)) == []
    stream = [event("p{k{1}, v{2}}", 1), event("q{k{1}}", 2)]
    program = program_of(JOINED)
    [rule] = program.rules
    [branch] = rule.branches
    filtered = replace(branch, conditions=(Comparison(">", Variable("V"), Literal(5)),))
    wrong = replace(program, rules=(replace(rule, branches=(filtered,)),))
    assert satisfies(stream, constraint)
    assert answers(wrong, *stream) != answers(program, *stream)


@pytest.mark.parametrize(
    ("rule", "constraint"),
    [
        (JOINED, "IF event: p(v(V)) THEN V > 5 END"),  # every p satisfies it
        ("h(k(K), v(V)) <- p(k(K), v(V)).", "IF event: p(v(V)) THEN V > 5 END"),
        (JOINED.replace("q(k(K))", "q(k(K)) and V > 7"), HIGH),  # it is tested already
        (JOINED, "IF event: p(k(K), v(V)) and event: q(k(K), v(W)) THEN V > W END"),
        (JOINED + " ", "IF event i: p(k(K)) and event j: q(k(K)) THEN e(i) != e(j) END"),  # no bound
    ],
)
def test_a_condition_that_sorts_nothing_out_is_not_added(rule: str, constraint: str) -> None:
    assert laws(rewritten(rule, constraint)) == []


BOTH = "h(k(K)) <- i: p(k(K), v(V)) and j: q(k(K), v(W)) and LIMIT."
RISING = "IF event: p(k(K), v(V)) and event: q(k(K), v(W)) THEN V OP W END"


@pytest.mark.parametrize(
    ("limit", "operator", "expected"),
    [
        ("W < 5", "<=", "V < 5"),
        ("W <= 5", "<", "V <= 5"),
        ("5 >= W", "<=", "V <= 5"),
        ("W = 5", "<=", "V <= 5"),
        ("W = 5", "=", "V = 5"),
        ("W = 5", "!=", "V != 5"),
        ("V > 5", "<=", "W > 5"),
        ("V >= 5", "<", "W >= 5"),
        ('W = "x"', "=", 'V = "x"'),
    ],
)
def test_a_bound_of_the_rule_is_passed_on_to_what_a_constraint_compares(
    limit: str, operator: str, expected: str
) -> None:
    found = rewritten(BOTH.replace("LIMIT", limit), RISING.replace("OP", operator))
    [change] = [each.subject for each in found.rewritings]
    assert isinstance(change, Comparison)
    shown = NOTATION.condition(change).replace("_V#", "V").replace("_W#", "W")
    assert shown == expected.replace("<=", "≤").replace(">=", "≥").replace("!=", "≠")


@pytest.mark.parametrize(
    ("limit", "operator"),
    [
        ("W > 5", "<="),
        ("V < 5", "<="),
        ("W != 5", "<="),
        ("W < 5", "!="),
        ("W < 5", ">"),
        ("W < K", "<="),
    ],
)
def test_a_bound_on_the_other_side_is_not_passed_on(limit: str, operator: str) -> None:
    constraint, rule = RISING.replace("OP", operator), BOTH.replace("LIMIT", limit)
    assert laws(rewritten(rule, constraint)) == []


def test_a_bound_that_is_passed_on_the_wrong_way_loses_answers() -> None:
    """V <= W and W > 5 says nothing of V: a rule with V > 5 as well would not have this answer."""
    stream = [event("p{k{1}, v{2}}", 1), event("q{k{1}, v{7}}", 2)]
    assert satisfies(stream, RISING.replace("OP", "<="))
    right, wrong = BOTH.replace("LIMIT", "W > 5"), BOTH.replace("LIMIT", "W > 5 and V > 5")
    assert answers(program_of(wrong), *stream) != answers(program_of(right), *stream)


def test_a_condition_that_sorts_events_out_is_not_eliminated() -> None:
    """It always holds in a match; without it, more events would be kept for the join."""
    assert laws(rewritten(JOINED.replace("q(k(K))", "q(k(K)) and V > 3"), HIGH)) == ["scan reduction"]
    assert laws(rewritten(JOINED.replace("q(k(K))", "q(k(K)) and V > 5"), HIGH)) == []


def test_rows_of_a_table_and_events_are_one_query() -> None:
    """10.1: what is said of an event and a row rewrites a rule that looks the row up."""
    priced = """relation items(id, price) from "items.csv"
    unbounded: paid(item(I), value(V)) <- bid(item(I), value(V)) and items(id(I), price(P)) and V >= P."""
    fair = "relation items(id, price)\nIF event: bid(item(I), value(V)) and items(id(I), price(P)) THEN V >= P END"
    assert laws(rewritten(priced, fair)) == ["predicate elimination"]
    contrary = priced.replace("V >= P", "V < P")
    assert laws(rewritten(contrary, fair)) == ["result by contradiction"]
    key = "relation items(id, price)\nIF items(id(I), price(P)) and items(id(I), price(Q)) THEN P = Q END"
    twice = priced.replace("V >= P", "items(id(I), price(Q)) and P != Q")
    assert laws(rewritten(twice, key)) == ["result by contradiction"]
