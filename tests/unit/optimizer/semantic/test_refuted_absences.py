"""Absences that are refuted for good: what waits is forgotten with what refutes it, which is not kept, and no answer is
lost or won. Each condition of the law stands beside a form without it, which has other answers.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.model.events.event import Event
from cera.model.time.interval import Interval
from cera.modules.driving import Driver
from cera.modules.module import Settings
from cera.modules.rules.module import RuleModule
from cera.optimizer.semantic.refuted_absences import LAW
from cera.rules.rule import RuleProgram
from cera.rules.settlements import RefutingEvent
from cera.testing import event
from properties.local_runs import from_json
from unit.optimizer.semantic.rewriting import laws, program_of, rewritten, rewritten_program, satisfies

UNSOLD = "Range 10sec: h(k(K), v(V)) <- p(k(K), v(V)) and not q(k(K))."
ORDER = "IF event i: p(k(K)) and event j: q(k(K)) THEN e(i) <= e(j) END"
P, Q = "p{{k{{{}}}, v{{{}}}}}", "q{{k{{{}}}}}"


def refuted_by(rules: str, *by: str) -> RuleProgram:
    """Returns a program of one rule whose absence is said to be refuted for good, whether it is or not."""
    program = program_of(rules)
    [rule] = program.rules
    [absence] = rule.branches[0].absences
    return replace(program, rules=(replace(rule, settlements=(RefutingEvent(absence.pattern, absence.window, by),)),))


def run(program: RuleProgram, *events: Event) -> tuple[list[str], list[int]]:
    """Returns the answers, and how many tuples are in state after each event."""
    driver = Driver(RuleModule(program).processor(Settings(max_duration=9_000_000)), 0)
    found, state = [], []
    for each in events:
        found += driver.push([from_json(each)])
        found += driver.advance_to(each.end + 1)
        state.append(driver.counts.in_state)
    return sorted(str(one.result().event) for one in [*found, *driver.close()]), state


def answers(program: RuleProgram, *events: Event) -> list[str]:
    driver = Driver(RuleModule(program).processor(Settings()), 0)
    found = [one for each in events for one in driver.push([from_json(each)])]
    return sorted(str(one.result().event) for one in [*found, *driver.close()])


def test_neither_what_is_refuted_nor_what_refutes_is_kept() -> None:
    found = rewritten_program(UNSOLD, ORDER)
    assert laws(found.rules[0]) == [LAW]
    events = [event(P.format(1, 1), 1), event(P.format(1, 2), 2), event(P.format(2, 3), 3), event(Q.format(1), 4)]
    assert satisfies(events, ORDER)
    plain, kept = run(program_of(UNSOLD), *events)
    assert run(found.program, *events) == (plain, [2, 3, 4, 2])  # with the end that what waits has in common
    assert kept == [1, 2, 3, 4]
    assert len(plain) == 1


def test_what_is_refuted_is_found_among_what_an_event_closes() -> None:
    rule = "Range 10sec: h(k(K), v(V)) <- p(k(K), v(V)) and not q(k(K), v(V))."
    closed = "IF event i: p(k(K)) and event j: r(k(K)) THEN e(i) <= e(j) END"
    both = "IF event i: q(k(K)) and event j: r(k(K)) THEN e(i) <= e(j) END"
    found = rewritten_program(rule, ORDER, closed, both)
    assert laws(found.rules[0]) == ["join introduction", LAW]
    events = [
        *(event(P.format(1, value), value) for value in (1, 2, 3)),
        *(event(f"q{{k{{1}}, v{{{value}}}}}", 3 + value) for value in (1, 3)),
        event("r{k{1}}", 8),
    ]
    assert satisfies(events, ORDER, closed, both)
    plain, _ = run(program_of(rule), *events)
    shown, kept = run(found.program, *events)
    assert shown == plain
    assert len(plain) == 1
    assert kept[2:5] == [4, 3, 2]


@pytest.mark.parametrize(
    "events",
    [
        (event(Q.format(1), 3), event(P.format(1, 1), 3)),  # together
        (event(P.format(1, 1), 9), event(Q.format(1), 9)),  # together, at the end of a window
        (event(P.format(1, 1), 11), event(Q.format(1), 9, 12)),  # it lasts, and lies in no window
        (event(P.format(1, 1), 8), event(Q.format(1), 12)),  # in the next window
    ],
)
def test_an_event_that_is_not_alone_or_lasts_is_kept(events: tuple[Event, ...]) -> None:
    assert satisfies(events, ORDER)
    assert answers(rewritten_program(UNSOLD, ORDER).program, *events) == answers(program_of(UNSOLD), *events)


def test_an_event_at_the_end_of_a_window_refutes_what_waits_for_it() -> None:
    last = replace(event(Q.format(1), 9), interval=Interval(9_999_999, 9_999_999))
    events = event(P.format(1, 1), 1), last
    assert answers(program_of(UNSOLD), *events) == []
    assert answers(rewritten_program(UNSOLD, ORDER).program, *events) == []


def test_windows_may_overlap() -> None:
    rule = UNSOLD.replace("10sec", "10sec Slide 5sec")
    found = rewritten_program(rule, ORDER)
    assert laws(found.rules[0]) == [LAW]
    events = [event(P.format(1, 1), 7), event(P.format(2, 1), 8), event(Q.format(1), 12), event(Q.format(2), 9)]
    events.sort(key=lambda each: each.end)
    assert satisfies(events, ORDER)
    assert answers(found.program, *events) == answers(program_of(rule), *events)
    assert len(answers(program_of(rule), *events)) == 1


def test_an_event_that_matches_in_two_ways_refutes_both() -> None:
    rule = UNSOLD.replace("q(k(K))", "q(k(K), v(V))")
    events = event(P.format(1, 1), 1), event(P.format(1, 2), 2), event("q{k{1}, v{1}, v{2}}", 3)
    assert satisfies(events, ORDER)
    found = rewritten_program(rule, ORDER)
    assert laws(found.rules[0]) == [LAW]
    assert answers(found.program, *events) == answers(program_of(rule), *events) == []


def test_what_other_rules_look_for_is_kept_for_them() -> None:
    rules = f"{UNSOLD} Range 10sec: g(k(K), v(V)) <- r(k(K), v(V)) and not q(k(K))."
    found = rewritten_program(rules, ORDER)
    assert [laws(each) for each in found.rules] == [[LAW], []]
    events = [event(P.format(1, 1), 1), event(Q.format(1), 2), event("r{k{1}, v{3}}", 3), event("r{k{2}, v{3}}", 4)]
    assert answers(found.program, *events) == answers(program_of(rules), *events)
    assert len(answers(program_of(rules), *events)) == 1


#: What refutes comes first, and nothing else waits for it then.
BEFORE = (event(Q.format(1), 1), event(P.format(1, 1), 2))


@pytest.mark.parametrize(
    ("rule", "constraint", "by", "events"),
    [
        # an order in time of what begins, of some of them only, or the other way round
        (
            UNSOLD,
            ORDER.replace("e(i) <= e(j)", "b(i) <= e(j)"),
            "K",
            (event(Q.format(1), 2), event(P.format(1, 1), 1, 3)),
        ),
        (UNSOLD, ORDER.replace("q(k(K))", "q(k(K), v(V))"), "K", BEFORE),
        (UNSOLD, "IF event i: q(k(K)) and event j: p(k(K)) THEN e(i) <= e(j) END", "K", BEFORE),
        # the order is of other values than those of the rule
        (UNSOLD, ORDER.replace("p(k(K)", "p(k(K), v(K)"), "K", (BEFORE[0], event(P.format(1, 2), 2))),
        # an event of the rule that may come later
        (
            "Range 10sec: h(k(K), v(V)) <- p(k(K), v(V)) and r(k(K)) and not q(k(K)).",
            ORDER,
            "K",
            (event(P.format(1, 1), 1), event(Q.format(1), 2), event("r{k{1}}", 3)),
        ),
    ],
)
def test_an_event_before_what_it_refutes_is_kept(
    rule: str, constraint: str, by: str, events: tuple[Event, ...]
) -> None:
    assert LAW not in laws(rewritten(rule, constraint))
    assert satisfies(events, constraint)
    assert answers(refuted_by(rule, by), *events) != answers(program_of(rule), *events)


def test_a_row_that_waits_for_more_than_the_window_may_be_complete_already() -> None:
    rule = (
        "h(k(K), v(V)) <- i: p(k(K), v(V)) and w: from-end[i, 5sec] and u: from-end[i, 9sec] "
        "and while w: not q(k(K)) and while u: not r(k(K))."
    )
    assert LAW not in laws(rewritten(rule, ORDER))
    events = event(P.format(1, 1), 1), event(Q.format(1), 8)
    assert satisfies(events, ORDER)
    program = program_of(rule)
    absence = program.rules[0].branches[0].absences[0]
    refuting = RefutingEvent(absence.pattern, absence.window, ("K",))
    unsound = replace(program, rules=(replace(program.rules[0], settlements=(refuting,)),))
    assert answers(unsound, *events) != answers(program, *events)
