"""Rules about events in states: answers are early, and rows are forgotten, where only events are waited for. Beside the
forms that laws take stand those that they do not, and a stream on which one of these would change an answer.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.modules.driving import Driver
from cera.modules.module import Settings
from cera.modules.rules.module import RuleModule
from cera.rules.rule import RuleProgram
from cera.rules.settlements import ClosingEvent
from cera.testing import SECOND, event, state
from unit.optimizer.semantic.rewriting import program_of, rewritten, rewritten_program

IN_STATE = "unbounded: h(k(K)) <- state s: o(k(K)) and while s: i: p(k(K))"
QUIET = f"{IN_STATE} and w: from-end[i, 1h] and while w: not r(k(K))."
PAIRS = f"{IN_STATE} and j: r(k(K))."
LAST_R = "IF event i: r(k(K)) and event j: q(k(K)) THEN e(i) <= e(j) END"
LAST_P = "IF event i: p(k(K)) and event j: q(k(K)) THEN e(i) <= e(j) END"


def closings(rule: str, *constraints: str) -> list[tuple[bool, bool]]:
    """Returns whether the closing events of a rule settle its answers, and whether it forgets with them."""
    subjects = [each.subject for each in rewritten(rule, *constraints).rewritings]
    return [(each.settles, each.forgets) for each in subjects if isinstance(each, ClosingEvent)]


def known(program: RuleProgram, *events: Event) -> list[tuple[str, int]]:
    """Returns the answers, each with the second in which it is known."""
    driver = Driver(RuleModule(program).processor(Settings()), 0)
    found = [one for each in events for one in driver.push([occurrence(each)])]
    results = [one.result() for one in [*found, *driver.close()]]
    return sorted((str(one.event), one.known // SECOND) for one in results)


def test_an_absence_after_an_event_in_a_state_is_known_with_the_event_that_comes_last() -> None:
    assert closings(QUIET, LAST_R) == [(True, False)]
    events = (state("o{k{1}}", 0), event("p{k{1}}", 5), event("q{k{1}}", 9))
    [(plain, at)] = known(program_of(QUIET), *events)
    assert at == 5 + 3_600
    assert known(rewritten_program(QUIET, LAST_R).program, *events) == [(plain, 9)]


def test_what_is_joined_in_a_state_is_forgotten_before_the_state_ends() -> None:
    assert closings(PAIRS, LAST_R, LAST_P) == [(False, True)]
    program = rewritten_program(PAIRS, LAST_R, LAST_P).program
    driver = Driver(RuleModule(program).processor(Settings()), 0)
    driver.push([occurrence(each) for each in (state("o{k{1}}", 0), event("p{k{1}}", 5), event("x{}", 6))])
    before = driver.counts.in_state
    driver.push([occurrence(each) for each in (event("q{k{1}}", 7), event("x{}", 8))])
    assert driver.counts.in_state < before


@pytest.mark.parametrize(
    "rule",
    [
        # the state may open later
        PAIRS.replace("while s: i", "i"),
        # the state may end before the window does, or go on
        f"{IN_STATE} and w: extend[s, 1sec] and while w: not r(k(K)).",
        "unbounded: h(k(K)) <- state s: o(k(K)) and while s: not r(k(K)) and e(s) - b(s) < 1 h.",
        # it has to hold in the window, too, of which more may come
        "Range 1h: h(k(K), n(count(V))) <- state s: o(k(K)) and while s: r(k(K), v(V)).",
    ],
)
def test_what_a_state_can_still_change_is_waited_for(rule: str) -> None:
    assert closings(rule, LAST_R, LAST_P) == []


def test_events_beside_a_state_that_opens_later_would_be_missing() -> None:
    rule = PAIRS.replace("while s: i", "i")
    program = program_of(rule)
    pattern = program_of("x(k(K)) <- q(k(K)).").rules[0].branches[0].events[0].pattern
    forgetting = ClosingEvent(pattern, ("K",), settles=False, forgets=True)
    unsound = replace(program, rules=(replace(program.rules[0], settlements=(forgetting,)),))
    events = (event("p{k{1}}", 1), event("r{k{1}}", 2), event("q{k{1}}", 3), state("o{k{1}}", 5, 6))
    assert len(known(program, *events)) == 1
    assert known(unsound, *events) == []
