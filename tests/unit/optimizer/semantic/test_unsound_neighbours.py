"""Each law beside a form that is nearly the same and not sound: the law does not take it, and if it did, an answer
would change. The streams satisfy the constraints.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.rules.rule import RuleProgram
from cera.rules.settlements import ClosingEvent, MostMatches
from cera.testing import event
from unit.optimizer.semantic.rewriting import answers, program_of, rewritten

COUNTED = "Range 1h: n(k(K), number(count(V))) <- p(k(K), v(V))."
QUIET = "quiet(k(K)) <- j: q(k(K)) and w: from-end[j, 10sec] and while w: not p(k(K))."


def with_settlement(rules: str, settlement: ClosingEvent | MostMatches) -> RuleProgram:
    program = program_of(rules)
    [rule] = program.rules
    return replace(program, rules=(replace(rule, settlements=(settlement,)),))


def closing(*by: str) -> ClosingEvent:
    return ClosingEvent(program_of("x(k(K)) <- q(k(K)).").rules[0].branches[0].events[0].pattern, by)


P, Q = "p{{k{{{}}}, v{{{}}}}}", "q{{k{{{}}}}}"
#: An event p comes after one q with its key.
AFTER = (event(P.format(1, 1), 1), event(Q.format(1), 2), event(P.format(1, 2), 3))


@pytest.mark.parametrize(
    "constraint",
    [
        "IF event i: p(k(K)) THEN exists >= 1 event j: q(k(K)) and e(i) <= b(j) END",  # there may be a later one
        "WHILE state: s(k(K)) LET IF event i: p(k(K)) and event j: q(k(K)) THEN i before j END END",  # in states only
        "IF event i: p(k(K), v(V)) and event j: q(k(K)) and V < 2 THEN i before j END",  # some only
        "IF event i: p(k(K)) and event j: q(k(K)) THEN b(i) <= b(j) END",  # it may end later
        "IF event i: p(k(K)) and event j: q(k(K)) THEN i before j or j before i END",
    ],
)
def test_an_event_that_need_not_be_the_last_closes_nothing(constraint: str) -> None:
    assert rewritten(COUNTED, constraint).rewritings == ()
    plain = answers(program_of(COUNTED), *AFTER)
    assert answers(with_settlement(COUNTED, closing("K")), *AFTER) != plain


def test_an_event_of_one_value_does_not_close_a_group_of_all_values() -> None:
    """ERR-94."""
    rule = "Range 1h: n(number(count(V))) <- p(k(K), v(V))."
    assert rewritten(rule, "IF event i: p(k(K)) and event j: q(k(K)) THEN i before j END").rewritings == ()
    events = (event(P.format(1, 1), 1), event(Q.format(1), 2), event(P.format(2, 2), 3))
    assert answers(with_settlement(rule, closing()), *events) != answers(program_of(rule), *events)


def test_an_answer_that_does_not_show_the_value_may_have_another_reason_that_is_open() -> None:
    rule = "h(v(V)) <- i: p(k(K), v(V)) and w: from-end[i, 5sec] and while w: not s(k(K))."
    constraint = "IF event i: s(k(K)) and event j: q(k(K)) THEN e(i) <= e(j) END"
    assert rewritten(rule, constraint).rewritings == ()
    events = (event(P.format(1, 3), 1), event(P.format(2, 3), 1), event(Q.format(1), 2), event(Q.format(2), 3))
    assert len(answers(program_of(rule), *events)) == 1
    assert len(answers(with_settlement(rule, closing("K")), *events)) == 2, "one answer, given twice"


def test_what_is_remembered_is_needed_as_long_as_one_of_the_events_may_come() -> None:
    rule = "h(k(K)) <- i: p(k(K), v(V)) and j: s(k(K))."
    first = "IF event i: p(k(K)) and event j: q(k(K)) THEN e(i) <= e(j) END"
    second = "IF event i: s(k(K)) and event j: q(k(K)) THEN e(i) <= e(j) END"
    assert rewritten(rule, first).rewritings == ()
    [rewriting] = rewritten(rule, f"{first} and {second}").rewritings
    assert isinstance(rewriting.subject, ClosingEvent)
    assert (rewriting.subject.settles, rewriting.subject.forgets) == (False, True)
    late = (event(P.format(1, 3), 1), event(Q.format(1), 2), event("s{k{1}}", 3))  # satisfies the first
    forgetting = replace(closing("K"), settles=False, forgets=True)
    assert answers(program_of(rule), *late) != answers(with_settlement(rule, forgetting), *late)


COLLECTED = "n(k(K)) <- i: s(k(K)) and w: from-end[i, 10sec] and while w: not p(k(K))."


def test_what_windows_ahead_hold_is_forgotten_with_the_rows_that_look_into_them() -> None:
    """More events may come that open windows, in which nothing of before lies."""
    constraint = "IF event i: p(k(K)) and event j: q(k(K)) THEN e(i) <= e(j) END"
    [rewriting] = rewritten(COLLECTED, constraint).rewritings
    assert isinstance(rewriting.subject, ClosingEvent)
    assert (rewriting.subject.settles, rewriting.subject.forgets) == (True, True)
    again = (event("s{k{1}}", 1), event(P.format(1, 3), 2), event(Q.format(1), 3), event("s{k{1}}", 0, 5))
    assert len(answers(program_of(COLLECTED), *again)) == 1
    found = answers(with_settlement(COLLECTED, rewriting.subject), *again)
    assert found == answers(program_of(COLLECTED), *again)


@pytest.mark.parametrize("timer", ["extend[i, 10sec]", "extend-begin[i, 10sec]", "shift-forward[i, 2sec]"])
def test_what_windows_hold_that_begin_before_is_needed_by_events_that_come_later(timer: str) -> None:
    rule = COLLECTED.replace("from-end[i, 10sec]", timer)
    constraint = "IF event i: p(k(K)) and event j: q(k(K)) THEN e(i) <= e(j) END"
    assert not any(
        isinstance(each.subject, ClosingEvent) and each.subject.forgets
        for each in rewritten(rule, constraint).rewritings
    )
    late = (event(P.format(1, 3), 2), event(Q.format(1), 3), event("s{k{1}}", 0, 5), event("tick{1}", 60))
    forgetting = replace(closing("K"), forgets=True)
    assert answers(with_settlement(rule, forgetting), *late) != answers(program_of(rule), *late)


def test_an_absence_at_the_very_time_of_the_last_event_is_waited_for() -> None:
    """What ends with the last event may lie in the window that begins there."""
    loose = rewritten(QUIET, "IF event i: p(k(K)) and event j: q(k(K)) THEN e(i) <= e(j) END")
    assert all(each.law != "predicate elimination" for each in loose.rewritings)
    strict = rewritten(QUIET, "IF event i: p(k(K)) and event j: q(k(K)) THEN i before j END")
    assert [each.law for each in strict.rewritings] == ["predicate elimination"]
    together = (event(Q.format(1), 2), event(P.format(1, 1), 2), event("tick{1}", 60))
    assert answers(program_of(QUIET), *together) == []
    assert strict.rule is not None
    assert answers(replace(program_of(QUIET), rules=(strict.rule,)), *together) != []


def test_the_absence_of_any_value_is_not_that_of_one() -> None:
    """ERR-86: the value that only the absence has may be another one than that of the last event."""
    rule = "quiet(k(K)) <- j: q(k(K)) and w: from-end[j, 10sec] and while w: not p(k(X))."
    assert rewritten(rule, "IF event i: p(k(K)) and event j: q(k(K)) THEN i before j END").rewritings == ()


@pytest.mark.parametrize(
    "constraint",
    [
        "WHILE Range 1h LET IN ANY CASE exists <= 1 event: p(k(K), v(V)) group-by {K, V} END END",  # one for each value
        "WHILE Range 30min LET IN ANY CASE exists <= 1 event: p(k(K)) group-by {K} END END",  # two in an hour
        "WHILE Range 1h LET IN ANY CASE exists <= 1 event: p(k(K), v(1)) group-by {K} END END",  # of some only
        "WHILE Range 1h LET IN ANY CASE exists (= 1 or >= 3) event: p(k(K)) group-by {K} END END",
    ],
)
def test_a_bound_on_something_else_completes_no_group(constraint: str) -> None:
    found = rewritten(COUNTED, constraint)
    assert found.rule is not None
    assert MostMatches(1, ("K",)) not in found.rule.settlements
    events = (event(P.format(1, 1), 1), event(P.format(1, 2), 2), event(P.format(1, 3), 3))
    plain = answers(program_of(COUNTED), *events)
    assert answers(with_settlement(COUNTED, MostMatches(1, ("K",))), *events) != plain


def test_an_event_that_matches_twice_is_counted_once() -> None:
    found = rewritten(COUNTED, "WHILE Range 1h LET IN ANY CASE exists <= 2 event: p(k(K)) group-by {K} END END")
    assert found.rule is not None
    events = (event("p{k{1}, v{1}, v{2}}", 1), event("p{k{1}, v{3}}", 2))
    plain = program_of(COUNTED)
    assert answers(replace(plain, rules=(found.rule,)), *events) == answers(plain, *events)
