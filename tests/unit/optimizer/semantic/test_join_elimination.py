"""Joins that constraints make superfluous, beside forms that are nearly the same and not sound: there the join stays,
and without it an answer would change, on a stream that satisfies the constraint.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cera.diagnostics import Source
from cera.model.events.event import Event
from cera.program import load
from cera.rules.rule import RuleProgram
from cera.testing import event
from unit.optimizer.semantic.rewriting import answers, laws, program_of, rewritten, satisfies

DURING = "h(k(K), v(V)) <- i: p(k(K), v(V)) and j: q(k(K)) and b(i) <= b(j) and e(j) <= e(i)."
THERE = "IF event i: p(k(K)) THEN exists >= 1 event j: q(k(K)) and b(i) <= b(j) and e(j) <= e(i) END"
COUNTED = "Range 1h: h(k(K), n(count(V))) <- i: p(k(K), v(V)) and j: q(k(K)) and b(i) <= b(j) and e(j) <= e(i)."


def p(key: int, value: int, begin: int, end: int) -> Event:
    return event(f"p{{k{{{key}}}, v{{{value}}}}}", begin, end)


def q(key: int, at: int) -> Event:
    return event(f"q{{k{{{key}}}, v{{{at}}}}}", at)


def without_join(rules: str) -> RuleProgram:
    """Returns a program without the event j and all that is said of it, whether that is right or not."""
    program = program_of(rules)
    [rule] = program.rules
    [branch] = rule.branches
    left = replace(
        branch,
        events=tuple(each for each in branch.events if each.identifier != "j"),
        conditions=(),
        windows=tuple(replace(each, over=("i",)) for each in branch.windows),  # type: ignore[type-var]
        gathered=tuple(each for each in branch.gathered if each != "j"),
    )
    return replace(program, rules=(replace(rule, branches=(left,)),))


def test_an_event_that_is_always_there_is_not_looked_for() -> None:
    found = rewritten(DURING, THERE)
    assert laws(found) == ["join elimination"]
    assert found.rule is not None
    assert [query.identifier for query in found.rule.branches[0].events] == ["i"]
    assert found.rule.branches[0].conditions == ()


def test_what_must_hold_of_others_because_of_the_event_is_kept() -> None:
    rule = "h(k(K)) <- f: r(k(K)) and j: q(k(K)) and i: p(k(K)) and f before j and j before i."
    between = (
        "IF event f: r(k(K)) and event i: p(k(K)) and f before i "
        "THEN event j: q(k(K)) and f before j and j before i END"
    )
    found = rewritten(rule, between)
    assert laws(found) == ["join elimination"]
    assert found.rule is not None
    assert len(found.rule.branches[0].conditions) == 1  # f before i


def test_under_an_aggregate_exactly_one_is_not_looked_for() -> None:
    assert laws(rewritten(COUNTED, THERE.replace(">= 1", "= 1"))) == ["join elimination"]


@pytest.mark.parametrize(
    ("rule", "constraint", "stream"),
    [
        pytest.param(DURING, THERE.replace("p(k(K))", "p(k(K), v(1))"), [p(1, 2, 0, 9)], id="of some only"),
        pytest.param(DURING, THERE.replace("q(k(K))", "q(k(L))"), [p(1, 2, 0, 9), q(2, 3)], id="with another value"),
        pytest.param(DURING, "IF event: p(k(K)) THEN exists <= 1 event: q(k(K)) END", [p(1, 2, 0, 9)], id="or none"),
        pytest.param(
            DURING,
            "IF event i: p(k(K)) THEN exists >= 1 event j: q(k(K)) and b(i) <= b(j) END",
            [p(1, 2, 0, 9), q(1, 20)],
            id="at another time",
        ),
        pytest.param(
            DURING,
            "IF event i: p(k(K)) THEN exists = 1 event: q(k(K), v(V)) group-by {V} END",
            [p(1, 2, 0, 9)],
            id="one for each value, of which there may be none",
        ),
        pytest.param(
            DURING.replace("q(k(K))", "q(k(K), v(W))").replace("e(j) <= e(i)", "e(j) <= e(i) and W > 5"),
            THERE,
            [p(1, 2, 0, 9), q(1, 3)],
            id="a condition on its values",
        ),
        pytest.param(
            "h(k(K)) <- i: p(k(K)) and j: q(k(K)).",
            "IF event i: p(k(K)) THEN exists >= 1 event j: q(k(K)) END",
            [p(1, 2, 0, 9), q(1, 20)],
            id="outside of the hull",
        ),
        pytest.param(
            DURING,
            "WHILE state s: open(k(K)) LET IF event i: p(k(K)) THEN exists >= 1 event j: q(k(K)) END END",
            [p(1, 2, 0, 9)],
            id="in states only",
        ),
        pytest.param(COUNTED, THERE, [p(1, 2, 0, 9), q(1, 3), q(1, 4)], id="several, which are counted"),
        pytest.param(
            COUNTED,
            "IF event i: p(k(K)) THEN exists = 1 event j: q(k(K), v(3)) and b(i) <= b(j) and e(j) <= e(i) END",
            [p(1, 2, 0, 9), q(1, 3), q(1, 4)],
            id="one of those that are counted",
        ),
    ],
)
def test_an_event_that_need_not_be_there_is_looked_for(rule: str, constraint: str, stream: list[Event]) -> None:
    assert laws(rewritten(rule, constraint)) == []
    assert satisfies(stream, constraint)
    assert answers(without_join(rule), *stream) != answers(program_of(rule), *stream)


def test_two_events_do_not_vouch_for_each_other() -> None:
    """ERR-92: each follows from the other, and one of them stays."""
    inside = "b(f) <= b({0}) and e({0}) <= e(f)"
    rule = f"h(k(K)) <- f: r(k(K)) and i: p(k(K)) and j: q(k(K)) and {inside.format('i')} and {inside.format('j')}."
    other = (
        f"IF event f: r(k(K)) and event i: p(k(K)) and {inside.format('i')} "
        f"THEN event j: q(k(K)) and {inside.format('j')} END"
    )
    both = (other, other.replace("p(", "x(").replace("q(", "p(").replace("x(", "q("))
    found = rewritten(rule, *both)
    assert laws(found) == ["join elimination"]
    assert found.rule is not None
    assert len(found.rule.branches[0].events) == 2


def test_a_trivial_constraint_justifies_nothing() -> None:
    """Example 32 (R-12): that there is an event if there is one."""
    rule = "h(k(K)) <- i: p(k(K)) and j: p(k(K)) and b(i) <= b(j) and e(j) <= e(i)."
    single = "h(k(K)) <- i: p(k(K))."
    trivial = "IF event i: p(k(K)) THEN event j: p(k(K)) END"
    assert laws(rewritten(single, trivial)) == []
    assert laws(rewritten(rule, trivial)) == []  # it says nothing of the time


TABLE = """relation items(id, price) from "items.csv"
unbounded: offered(item(I)) <- bid(item(I)) and items(id(I)).
"""
LISTED = "relation items(id, price)\nIF event: bid(item(I)) THEN items(id(I)) END"


def test_a_row_that_is_always_there_is_not_looked_up() -> None:
    """Queries that combine database and stream (10.1): a foreign key."""
    assert laws(rewritten(TABLE, LISTED)) == ["join elimination"]
    priced = TABLE.replace("items(id(I))", "items(id(I), price(P))")
    assert laws(rewritten(priced, LISTED)) == []  # it need not have a price
    with_price = LISTED.replace("items(id(I))", "items(id(I), price(P))")
    assert laws(rewritten(priced, with_price)) == ["join elimination"]
    shown = priced.replace("offered(item(I))", "offered(item(I), price(P))")
    assert laws(rewritten(shown, with_price)) == []


def test_rows_that_are_read_again_may_be_others() -> None:
    refreshed = TABLE.replace('"items.csv"', '"items.csv" refresh 1h')
    assert laws(rewritten(refreshed, LISTED)) == []
    elsewhere = LISTED.replace("price)", 'price) from "others.csv"')
    assert laws(rewritten(TABLE, elsewhere)) == []


def test_one_path_in_two_folders_is_not_the_same_rows(tmp_path: Path) -> None:
    """A path is relative to the file that has it."""
    told = LISTED.replace("price)", 'price) from "items.csv"')
    rules, there, elsewhere = tmp_path / "a.slog", Source(str(tmp_path / "c.escl"), told), Source("b/c.escl", told)
    for constraints, expected in ((there, ["join elimination"]), (elsewhere, [])):
        [found] = load(Source(str(rules), TABLE), constraints=constraints).rewritten.rules
        assert laws(found) == expected
