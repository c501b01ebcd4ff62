"""What lies between others, what has nothing in common, and which relations of times go together."""

from __future__ import annotations

import random
from itertools import product

import pytest

from cera.constraints.consequences.implication import is_trivial
from cera.model.time.allen import RELATIONS
from cera.model.time.interval import Interval
from conformance.constraints import clauses_of, diagnostics_of, event, judged

PAIR = "IF event i: a() and event j: b() and {} THEN {} END"


def codes(text: str) -> list[str]:
    return [each.code for each in diagnostics_of(text) if each.code not in ("EC406", "EC410", "EC501")]


@pytest.mark.parametrize(
    "said",
    [
        "{i} apart-by min 1h",
        "{i} apart-by exact 5 sec",
        "{i} apart-by no event: c()",
        "{i} apart-by min 3 event: c()",
        "{i} apart-by max 10 m",
    ],
)
def test_one_event_has_no_neighbours_so_that_nothing_is_said(said: str) -> None:
    assert codes(f"IF event i: a() THEN {said} END") == ["EC402"]


@pytest.mark.parametrize(
    "said",
    [
        "{i, j} apart-by (no event: c() and min 1 event: c())",
        "{i, j} apart-by no event: c() and {i, j} apart-by min 1 event: c()",
        "{i, j} apart-by max 1 event: c() and {j, i} apart-by min 2 event: c()",
        "{i, j} apart-by min 1 and max 0 event: c()",
        "{i, j} apart-by min 1 event: c() and i during j",
    ],
)
def test_numbers_between_events_that_cannot_be_are_found(said: str) -> None:
    assert codes(PAIR.format("1 < 2", said)) == ["EC403"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("{i, j} apart-by no event: c()", "{i, j} apart-by max 2 event: c()"),
        ("{i, j} apart-by min 3 event: c(k(1))", "{i, j} apart-by min 2 event: c()"),
        ("{i, j} apart-by min 1 event: c()", "e(i) <= b(j) or e(j) <= b(i)"),
        ("i overlaps j", "{i, j} apart-by no event: c()"),
        ("i during j", "{i, j} apart-by max 2 event: c()"),
        ("i before j", "while intersection{i, j}: not event: c()"),
        ("i before j", "while union{i, j}: exists <= 3 event: c()"),
    ],
)
def test_what_follows_for_what_lies_between_is_found(given: str, said: str) -> None:
    assert codes(PAIR.format(given, said)) == ["EC402"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("{i, j} apart-by no event: c(k(1))", "{i, j} apart-by no event: c()"),
        ("{i, j} apart-by max 2 event: c()", "{i, j} apart-by max 1 event: c()"),
        ("i meets j", "while intersection{i, j}: not event: c()"),
    ],
)
def test_what_need_not_be_is_not_said_to_be_so(given: str, said: str) -> None:
    assert codes(PAIR.format(given, said)) == []


def test_of_three_events_each_number_between_neighbours_is_as_it_is_said() -> None:
    three = "IF event i: a() and event j: b() and event k: d() and {} THEN {} END"
    between = "{{i, j, k}} apart-by {} event: c()"
    assert codes(three.format("1 < 2", f"{between.format('no')} and {between.format('min 1')}")) == ["EC403"]
    assert codes(three.format(between.format("max 1"), between.format("(no or exact 1)"))) == []


def test_a_time_in_two_that_have_nothing_in_common_is_impossible() -> None:
    """A condition that demands something in such a time forbids what its body says."""
    assert codes(PAIR.format("i before j", "while intersection{i, j}: event: c()")) == ["EC409"]
    assert codes(PAIR.format("i before j and while intersection{i, j}: state: s()", "event: c()")) == ["EC402"]


# Allen's relations


def _possible(one: str, two: str, three: str) -> bool:
    points = range(5)
    times = [Interval(x, y) for x in points for y in points if x < y]
    return any(
        RELATIONS[one](i, j) and RELATIONS[two](j, k) and RELATIONS[three](i, k) for i, j, k in product(times, repeat=3)
    )


def test_which_relations_of_three_events_go_together_is_known() -> None:
    """A sample of the table of compositions, with events that last, by trying out all short times."""
    choose = random.Random(7)
    lasting = " and ".join(f"b({each}) < e({each})" for each in "ijk")
    names = list(RELATIONS)
    for _ in range(60):
        one, two, three = (choose.choice(names) for _ in range(3))
        body = f"event i: a() and event j: b() and event k: c() and {lasting}"
        text = f"IF {body} and i {one} j and j {two} k and i {three} k THEN event: d() END"
        assert all(map(is_trivial, clauses_of(text))) == (not _possible(one, two, three)), (one, two, three)


@pytest.mark.parametrize("relation", list(RELATIONS))
def test_which_relations_an_event_in_the_time_of_another_one_can_have_is_known(relation: str) -> None:
    text = f"IF event i: a() and while i: event j: b() and b(j) < e(j) and j {relation} i THEN event: d() END"
    inside = relation in ("during", "starts", "finishes", "equals")
    assert all(map(is_trivial, clauses_of(text))) == (not inside)


def test_what_lies_between_is_counted_over_variables_that_the_head_has_for_itself() -> None:
    body = "event i: a() and event j: a() and i before j and {i, j} apart-by min 1 event: b(v(U))"
    text = f"IF {body} THEN event u: b(v(U)) and U > 3 END"
    [clause] = clauses_of(text)
    assert len(clause.head[0]) == 2
    found = judged(text, [event("a", 0), event("b", 1, v=2), event("a", 2)]).violations
    assert [each.expected for each in found] == ["U > 3"]
