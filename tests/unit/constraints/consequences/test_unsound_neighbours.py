"""What does not follow, though it nearly does: each with a recording that violates the clause, and no premise."""

from __future__ import annotations

import pytest

from cera.constraints.consequences.implication import follows
from cera.constraints.stream import Happening
from conformance.constraints import by_definition, clauses_of, event, state

PAIR = "IF event i: a() and event j: b() and {} THEN {} END"

CASES: dict[str, tuple[list[str], str, list[Happening], float | None]] = {
    "a time that has not passed says nothing": (
        ["IF event i: a(v(V)) and event t: from-end[i, 5 sec] THEN while t: event: b() or V > 3 END"],
        "IF event i: a(v(V)) and event t: from-end[i, 5 sec] THEN event: b() or V > 3 END",
        [event("a", 10, v=1)],
        12,
    ),
    "a number that can still be reached is not refuted": (
        [
            "IF event i: a() and event t: from-end[i, 5 sec] THEN while t: exists (<= 2 or >= 10) event: b() END",
            "IF event i: a() and event t: from-end[i, 5 sec] THEN while t: exists <= 5 event: b() END",
        ],
        "IF event i: a() and event t: from-end[i, 5 sec] THEN while t: exists <= 2 event: b() END",
        [event("a", 0), event("b", 1), event("b", 2), event("b", 3)],
        3,
    ),
    "a group that does not occur has no count": (
        ["IF event: a() THEN exists >= 2 event: b(v(U)) END"],
        "IF event: a() THEN exists >= 2 event: b(v(1)) END",
        [event("a", 0)],
        None,
    ),
    "either of two may be the first": (
        [],
        PAIR.format("{i, j} apart-by min 3 sec", "i before j"),
        [event("b", 0), event("a", 5)],
        None,
    ),
    "a gap that is too long need not be much longer": (
        [],
        PAIR.format("{i, j} within max 4 sec", "{i, j} apart-by max 3 sec"),
        [event("a", 0), event("b", 4)],
        None,
    ),
    "a state is before what happens when it ends": (
        [],
        "IF state s: s() and event j: b() and s before j THEN e(s) < b(j) END",
        [state("s", 0, 5), event("b", 5)],
        None,
    ),
    "what holds in a state need not hold elsewhere": (
        ["IF state s: s() and while s: event: a(v(V)) THEN V > 3 END"],
        "IF state s: s() and event: a(v(V)) THEN V > 3 END",
        [state("s", 0, 5), event("a", 7, v=1)],
        None,
    ),
    "a group whose variables have values may be empty": (
        ["IF exists <= 1 event: a(k(K)) THEN event: b(k(K)) END"],
        "IF event: c(k(K)) and exists <= 1 event: a(k(K)) THEN event: b(k(K)) END",
        [event("c", 0, k=1)],
        None,
    ),
    "fewer are not enough": (
        ["IF event: c(k(K)) and exists >= 2 event: a(k(K)) THEN event: b(k(K)) END"],
        "IF event: c(k(K)) and exists >= 1 event: a(k(K)) THEN event: b(k(K)) END",
        [event("c", 0, k=1), event("a", 1, k=1)],
        None,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_neighbour_does_not_follow(case: str) -> None:
    premises, text, happenings, until = CASES[case]
    [clause] = clauses_of(text)
    known = [each for premise in premises for each in clauses_of(premise)]
    assert all(not by_definition(each, happenings, until=until).violations for each in premises)
    assert by_definition(text, happenings, until=until).violations
    assert not follows(clause, known)
