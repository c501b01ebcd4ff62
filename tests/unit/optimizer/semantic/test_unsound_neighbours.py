"""Each law beside a form that is nearly the same and not sound: the law does not take it, and if it did, an answer
would change. The streams satisfy the constraints.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.model.events.event import Event
from cera.rules.rule import RuleProgram
from cera.rules.settlements import ClosingEvent, MostMatches
from cera.testing import event
from unit.optimizer.semantic.rewriting import answers, laws, program_of, rewritten, rewritten_program, satisfies

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


@pytest.mark.parametrize(
    "head",
    ["h(x(K * 0), number(count(V)))", "h(x(K - K), number(count(V)))", "h(x(K mod 1), number(count(V)))"],
)
def test_an_answer_that_shows_a_value_in_arithmetic_may_have_another_one_that_is_open(head: str) -> None:
    """Both groups give one answer: it would be given with each of them."""
    rule = f"Range 10sec: {head} <- p(k(K), v(V))."
    constraints = (
        "IF event i: p(k(K)) and event j: q(k(K)) THEN e(i) <= e(j) END",
        "WHILE Range 10sec LET IN ANY CASE exists <= 1 event: p(k(K)) group-by {K} END END",
    )
    events = (event(P.format(1, 1), 1), event(Q.format(1), 2), event(P.format(2, 1), 3), event(Q.format(2), 4))
    assert satisfies(events, *constraints)
    assert rewritten(rule, *constraints).rewritings == ()
    assert len(answers(program_of(rule), *events)) == 1
    for settlement in (closing("K"), MostMatches(1, ("K",))):
        assert len(answers(with_settlement(rule, settlement), *events)) == 2


def test_an_answer_that_shows_values_in_no_order_may_have_them_the_other_way_round() -> None:
    rule = """DETECT pair{ k{var K}, k{var L} }
    ON and { event i: p{{ k{var K} }}, event j: r{{ k{var L} }}, event w: from-end[j, 10 sec],
             while w: not s{{ k{var K} }} } where { i before j } END"""
    order = "IF event i: s(k(K)) and event j: q(k(K)) THEN e(i) <= e(j) END"
    assert rewritten(rule, order).rewritings == ()
    both = [event(f"{label}{{k{{{key}}}}}", at) for label, at in (("p", 1), ("r", 2)) for key in (1, 2)]
    events = (*both, event(Q.format(1), 3), event(Q.format(2), 4))
    assert satisfies(events, order)
    plain = answers(program_of(rule), *events)
    assert len(answers(with_settlement(rule, closing("K")), *events)) > len(plain) == len({*plain})


@pytest.mark.parametrize(
    ("body", "events"),
    [
        # the windows of two events that begin together end together, but each has its row when it ends
        (
            "i: p(k(K)) and w: from-start[i, 10sec]",
            (event("p{k{1}}", 1, 2), event(Q.format(1), 3), event("p{k{1}}", 1, 4)),
        ),
        # what comes after the event whose window is waited for makes another row of the same answer
        (
            "i: p(k(K)) and j: r(k(K)) and w: from-end[j, 10sec]",
            (event("p{k{1}}", 1, 2), event("r{k{1}}", 3), event(Q.format(1), 3), event("p{k{1}}", 1, 4)),
        ),
    ],
)
def test_an_answer_of_which_another_row_may_come_is_not_settled(body: str, events: tuple[Event, ...]) -> None:
    rule = f"h(k(K)) <- {body} and while w: not s(k(K))."
    order = "IF event i: s(k(K)) and event j: q(k(K)) THEN e(i) <= e(j) END"
    assert satisfies(events, order)
    found = rewritten(rule, order)
    assert found.rule is not None
    assert not any(isinstance(each, ClosingEvent) and each.settles for each in found.rule.settlements)
    assert len(answers(program_of(rule), *events)) == 1
    assert len(answers(with_settlement(rule, closing("K")), *events)) == 2


def test_an_answer_of_which_all_rows_have_come_is_settled() -> None:
    """Either they come together, or nothing that the rule asks for comes after the closing event."""
    order = "IF event i: s(k(K)) and event j: q(k(K)) THEN e(i) <= e(j) END"
    together = "h(k(K)) <- i: p(k(K)) and j: r(k(K)) and i before j and w: from-end[j, 10sec] and while w: not s(k(K))."
    apart = together.replace("i before j and ", "")
    assert laws(rewritten(together, order)) == ["join introduction"]
    assert rewritten(apart, order).rewritings == ()
    all_over = [order.replace("s(k(K))", f"{label}(k(K))") for label in "prs"]
    [rewriting] = rewritten(apart, *all_over).rewritings
    assert isinstance(rewriting.subject, ClosingEvent)
    assert rewriting.subject.settles


@pytest.mark.parametrize(
    "rules",
    [
        # the rule's own answers
        "Range 10sec: h(k(K), number(count(V))) <- p(k(K), v(V)).",
        # what is derived from them
        "Range 10sec: n(k(K), number(count(V))) <- p(k(K), v(V)).\nunbounded: h(k(K)) <- n(k(K)).",
    ],
)
def test_what_depends_on_the_answers_of_a_rule_does_not_close_them(rules: str) -> None:
    """The rule would have to be answered before its own answers."""
    order = "IF event i: p(k(K)) and event j: h(k(K)) THEN e(i) <= e(j) END"
    found = rewritten_program(rules, order)
    assert found.rules[0].rewritings == ()
    events = (event(P.format(1, 1), 1), event(P.format(1, 2), 3), event("tick{1}", 60))
    assert answers(found.program, *events) == answers(program_of(rules), *events) != []


def test_two_rules_do_not_close_each_other() -> None:
    rules = """Range 10sec: n(k(K), number(count(V))) <- p(k(K), v(V)).
Range 10sec: m(k(K), number(count(V))) <- r(k(K), v(V))."""
    orders = [f"IF event i: {a}(k(K)) and event j: {b}(k(K)) THEN e(i) <= e(j) END" for a, b in ("pm", "rn")]
    found = rewritten_program(rules, *orders)
    assert sorted(laws(each) for each in found.rules) == [[], ["join introduction"]]
    events = (event(P.format(1, 1), 1), event("r{k{1}, v{1}}", 2), event("tick{1}", 60))
    assert satisfies((*events, event("n{k{1}}", 9), event("m{k{1}}", 9)), *orders)
    assert answers(found.program, *events) == answers(program_of(rules), *events)


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


def test_what_several_windows_look_into_is_not_forgotten() -> None:
    rule = COLLECTED[:-1] + " and x: from-end[i, 5sec] and while x: not p(k(K))."
    [rewriting] = rewritten(rule, "IF event i: p(k(K)) and event j: q(k(K)) THEN e(i) <= e(j) END").rewritings
    assert isinstance(rewriting.subject, ClosingEvent)
    assert rewriting.subject.forgets
    events = (event("s{k{1}}", 1), event(P.format(2, 3), 2), event(Q.format(1), 3), event("s{k{2}}", 4))
    found = answers(with_settlement(rule, rewriting.subject), *events)
    assert found == answers(program_of(rule), *events) != []


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
