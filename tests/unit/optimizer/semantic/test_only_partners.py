"""Events of which there is one at most for what they are joined with: the rows that have met it are forgotten, and no
pair is lost. Each condition of the law stands beside a form without it, which loses one.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.model.events.event import Event
from cera.modules.driving import Driver
from cera.modules.module import Settings
from cera.modules.rules.module import RuleModule
from cera.optimizer.semantic.only_partners import LAW
from cera.rules.rule import RuleProgram
from cera.rules.settlements import OnlyPartner
from cera.testing import event
from properties.local_runs import from_json
from unit.optimizer.semantic.rewriting import laws, program_of, rewritten, rewritten_program, satisfies

JOINED = "Range 10sec: h(k(K), v(V), w(W)) <- i: p(k(K), v(V)) and j: q(k(K), v(W))."
ONCE = "WHILE Range 10sec LET IN ANY CASE exists <= 1 event: q(k(K)) group-by {K} END END"
P, Q = "p{{k{{{}}}, v{{{}}}}}", "q{{k{{{}}}, v{{{}}}}}"


def relying(rules: str, partner: OnlyPartner) -> RuleProgram:
    program = program_of(rules)
    [rule] = program.rules
    return replace(program, rules=(replace(rule, settlements=(partner,)),))


def answers(program: RuleProgram, *events: Event) -> list[str]:
    driver = Driver(RuleModule(program).processor(Settings()), 0)
    found = [one for each in events for one in driver.push([from_json(each)])]
    return sorted(str(one.result().event) for one in [*found, *driver.close()])


def state_after(program: RuleProgram, *events: Event) -> int:
    driver = Driver(RuleModule(program).processor(Settings(max_duration=0)), 0)
    for each in events:
        driver.push([from_json(each)])
    driver.advance_to(events[-1].end + 1)
    return driver.counts.in_state


def test_what_has_met_the_only_event_that_it_can_meet_is_forgotten() -> None:
    found = rewritten_program(JOINED, ONCE)
    assert [each.rule.settlements for each in found.rules if each.rule] == [(OnlyPartner("j", ("K",)),)]
    events = [event(P.format(1, 1), 1), event(P.format(1, 2), 2), event(P.format(2, 3), 3), event(Q.format(1, 4), 4)]
    assert state_after(program_of(JOINED), *events) == 4
    assert state_after(found.program, *events) == 2
    more = [*events, event(P.format(1, 5), 5), event(Q.format(2, 6), 6), event(Q.format(1, 7), 12)]
    assert satisfies(more, ONCE)
    assert answers(found.program, *more) == answers(program_of(JOINED), *more)


@pytest.mark.parametrize(
    "events",
    [
        (event(Q.format(1, 1), 3), event(P.format(1, 2), 3)),  # together: the other one has still to meet it
        (event(P.format(1, 1), 11), event(Q.format(1, 2), 9, 12), event(Q.format(1, 3), 13)),  # one is in no window
    ],
)
def test_an_event_that_is_not_alone_or_lasts_takes_nothing(events: tuple[Event, ...]) -> None:
    assert satisfies(events, ONCE)
    expected = answers(program_of(JOINED), *events)
    assert expected
    assert answers(relying(JOINED, OnlyPartner("j", ("K",))), *events) == expected


def test_an_event_that_matches_in_two_ways_meets_all_in_both() -> None:
    events = event(P.format(1, 1), 1), event("q{k{1}, v{2}, v{3}}", 2)
    assert satisfies(events, ONCE)
    found = rewritten_program(JOINED, ONCE)
    assert answers(found.program, *events) == answers(program_of(JOINED), *events)
    assert len(answers(found.program, *events)) == 2


def test_windows_may_overlap() -> None:
    rule, once = (each.replace("10sec", "10sec Slide 5sec") for each in (JOINED, ONCE))
    found = rewritten_program(rule, once)
    assert laws(found.rules[0]) == [LAW]
    events = [event(P.format(1, 1), 7), event(Q.format(1, 2), 8), event(P.format(1, 3), 9), event(Q.format(1, 4), 18)]
    assert satisfies(events, once)
    assert answers(found.program, *events) == answers(program_of(rule), *events)


TWICE = (event(P.format(1, 1), 8), event(Q.format(1, 2), 9), event(Q.format(1, 3), 12))
AGAIN = (event(P.format(1, 1), 1), event(Q.format(1, 2), 2), event(Q.format(1, 3), 3))


@pytest.mark.parametrize(
    ("rule", "constraint", "events"),
    [
        # windows that are longer than those of the constraint
        (JOINED.replace("10sec", "20sec"), ONCE, TWICE),
        # windows that overlap, beside such that do not
        (JOINED.replace("10sec", "10sec Slide 5sec"), ONCE, TWICE),
        # one for each value of a variable that is not joined
        (JOINED, ONCE.replace("q(k(K)) group-by {K}", "q(k(K), v(V)) group-by {K, V}"), AGAIN),
        # two of them
        (JOINED, ONCE.replace("<= 1", "<= 2"), AGAIN),
        # some of them only
        (JOINED, ONCE.replace("q(k(K))", "q(k(K), u(U))"), AGAIN),
        # in no window
        (JOINED.replace("Range 10sec", "unbounded"), ONCE, TWICE),
    ],
)
def test_an_event_that_may_not_be_the_only_one_takes_nothing(
    rule: str, constraint: str, events: tuple[Event, ...]
) -> None:
    assert LAW not in laws(rewritten(rule, constraint))
    assert satisfies(events, constraint)
    assert answers(relying(rule, OnlyPartner("j", ("K",))), *events) != answers(program_of(rule), *events)
