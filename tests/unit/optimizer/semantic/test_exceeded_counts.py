"""A rule whose matches have more events than a constraint counts has no answers (R-04); its neighbours have some."""

from __future__ import annotations

import pytest

from cera.model.events.event import Event
from cera.optimizer.semantic.contradiction import LAW
from cera.testing import event
from unit.optimizer.semantic.rewriting import answers, laws, program_of, rewritten, satisfies

PAIR = "pair(k(K)) <- i: p(k(K)) and j: q(k(K)) and {i, j} within 1 min."
TWICE = "twice(k(K)) <- i: p(k(K)) and j: p(k(K)) and i before j."
BOTH = "both(k(K)) <- i: p(k(K)) and j: p(k(L)) and i before j and K = L."


@pytest.mark.parametrize(
    ("rule", "constraint"),
    [
        (PAIR, "IN ANY CASE exists = 0 event: p(k(K))"),
        (PAIR, "IN ANY CASE not event: q(k(K))"),
        (PAIR, "IF event: p(k(K)) THEN not event: q(k(K))"),
        (PAIR, "IF event: p(k(K)) THEN exists = 0 event: q(k(L)) group-by {L}"),
        (PAIR, "IF event: p(k(K)) THEN not event: q(k(K)) or K != K"),
        (PAIR, "IF event: p(k(K)) THEN not event: q(k(K)) or exists <= 0 event: p(k(K))"),
        (TWICE, "IN ANY CASE exists <= 1 event: p(k(K)) group-by {K}"),
        (TWICE, "IN ANY CASE exists = 1 event: p(k(K)) group-by {}"),
        (BOTH, "IN ANY CASE exists <= 1 event: p(k(K)) group-by {}"),
    ],
)
def test_a_rule_with_more_events_than_there_can_be_has_no_answers(rule: str, constraint: str) -> None:
    found = rewritten(rule, f"CONSTRAINT c: {constraint} END")
    assert found.rule is None
    assert laws(found) == [LAW]


P, Q = "p{{k{{{}}}}}", "q{{k{{{}}}}}"
#: An event p and one q with the same key, in time; two events p with the same key, one after the other, or at once.
TOGETHER = (event(P.format(1), 1), event(Q.format(1), 2))
AFTER = (event(P.format(1), 1), event(P.format(1), 4000))
ALONE = (event(P.format(1), 1),)


@pytest.mark.parametrize(
    ("rule", "constraint", "events"),
    [
        # a window of an hour has one, and the rule's two lie in two of them
        (TWICE, "WHILE Range 1h LET IN ANY CASE exists <= 1 event: p(k(K)) group-by {K} END END", AFTER),
        # both identifiers can stand for one event
        ("any(k(K)) <- i: p(k(K)) and j: p(k(K)).", "IN ANY CASE exists <= 1 event: p(k(K)) group-by {K} END", ALONE),
        # so many are allowed
        (TWICE, "IN ANY CASE exists <= 2 event: p(k(K)) group-by {K} END", AFTER),
        (TWICE, "IN ANY CASE exists (= 0 or >= 2) event: p(k(K)) group-by {K} END", AFTER),
        # of another key, of a group that the two are not of, or where another alternative holds
        (PAIR, "IF event: p(k(K)) THEN not event: q(k(7)) END", TOGETHER),
        (
            "two(k(K)) <- i: p(k(K)) and j: p(k(L)) and i before j.",
            "IN ANY CASE exists <= 1 event: p(k(K)) group-by {K} END",
            (event(P.format(1), 1), event(P.format(2), 4)),
        ),
        (PAIR, "IF event: p(k(K)) THEN not event: q(k(K)) or K = 1 END", TOGETHER),
        # the L of the one alternative is not that of the other: r has 2
        (
            "pair(k(K)) <- i: p(k(K)) and j: q(k(1)) and {i, j} within 1 min.",
            "IF event: p(k(K)) THEN not event: q(k(L)) or event: r(k(L)) and L != 1 END",
            (event(P.format(1), 1), event(Q.format(1), 2), event("r{k{1}}", 3), event("r{k{2}}", 3)),
        ),
    ],
)
def test_a_rule_whose_events_may_be_there_keeps_its_answers(
    rule: str, constraint: str, events: tuple[Event, ...]
) -> None:
    """ERR-88 is among them: substitutions may map two literals to one event, which is then one and not two."""
    assert satisfies(events, constraint)
    assert answers(program_of(rule), *events)
    assert rewritten(rule, constraint).rewritings == ()
