"""Answers that are known but for their times, beside forms that are nearly the same and not sound."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.model.events.event import Event
from cera.model.time.interval import Interval
from cera.rules.settlements import FirstMatch
from cera.testing import event
from unit.optimizer.semantic.rewriting import answers, laws, program_of, rewritten, rewritten_program, satisfies

AVERAGE = "Range 1h Slide 30min: average(area(A), value(avg(V))) <- temp(area(A), value(V))."
CONSTANT = "IF event: temp(value(V)) THEN V = 20 END"
#: Temperatures of which some are 20, one in each half hour.
VALUES = ((20, 0), (26, 200), (20, 1900), (20, 3700))
STREAM = [event(f"temp{{area{{1}}, value{{{value}}}}}", at) for value, at in VALUES]


def test_the_first_match_decides_an_average_of_equal_values() -> None:
    found = rewritten(AVERAGE, CONSTANT)
    assert laws(found) == ["result by transformation"]
    assert found.rule is not None
    assert found.rule.settlements == (FirstMatch(("A",)),)
    assert not found.is_answered
    assert rewritten(AVERAGE.replace("area(A), value(avg", "value(avg"), CONSTANT).is_answered


def test_later_events_give_no_second_answer_and_are_not_kept() -> None:
    events = [event("temp{area{1}, value{20}}", at) for at in range(100, 7000, 100)]
    program = rewritten_program(AVERAGE, CONSTANT).program
    assert answers(program, *events) == answers(program_of(AVERAGE), *events)


def test_an_answer_that_several_values_give_is_not_given_with_the_first_match_of_each() -> None:
    rule = "Range 10sec: average(parity(A mod 2), value(avg(V))) <- temp(area(A), value(V))."
    found = rewritten(rule, CONSTANT)
    assert laws(found) == []
    events = [event("temp{area{1}, value{20}}", 1), event("temp{area{3}, value{20}}", 2)]
    plain = program_of(rule)
    assert len(answers(plain, *events)) == 1
    [first] = plain.rules
    relying = replace(plain, rules=(replace(first, settlements=(FirstMatch(("A",)),)),))
    assert len(answers(relying, *events)) == 2


def test_an_event_at_the_very_end_of_a_window_gives_no_second_answer() -> None:
    rule = "Range 10sec: average(value(avg(V))) <- temp(value(V))."
    program = rewritten_program(rule, CONSTANT).program
    events = [event("temp{value{20}}", 1), Event(event("temp{value{20}}", 9).term, Interval(9_999_999, 9_999_999))]
    assert answers(program, *events) == answers(program_of(rule), *events) != []


@pytest.mark.parametrize(
    ("rule", "constraint"),
    [
        pytest.param(AVERAGE, "IF event: temp(area(2), value(V)) THEN V = 20 END", id="elsewhere"),
        pytest.param(AVERAGE, "IF event: temp(value(V)) THEN V >= 20 END", id="at least"),
        pytest.param(AVERAGE, "IF event: temp(value(V)) THEN V = 20 or V = 26 END", id="one or the other"),
        pytest.param(
            AVERAGE,
            "WHILE Range 30min LET IN ANY CASE exists >= 1 event: temp(area(1), value(20)) group-by {} END END",
            id="one of them",
        ),
    ],
)
def test_values_that_may_differ_are_waited_for(rule: str, constraint: str) -> None:
    """ERR-93 is the last one."""
    assert "result by transformation" not in laws(rewritten(rule, constraint))
    assert satisfies(STREAM, constraint)
    program = program_of(rule)
    [one] = program.rules
    wrong = replace(program, rules=(replace(one, settlements=(FirstMatch(("A",)),)),))
    assert answers(wrong, *STREAM) != answers(program, *STREAM)


@pytest.mark.parametrize("aggregate", ["sum(V)", "count(V)"])
def test_what_depends_on_the_number_of_values_is_waited_for(aggregate: str) -> None:
    assert laws(rewritten(AVERAGE.replace("avg(V)", aggregate), CONSTANT)) == []


def test_an_average_of_fractions_need_not_be_one_of_them() -> None:
    """Three times 0.1 makes 0.30000000000000004."""
    assert laws(rewritten(AVERAGE, "IF event: temp(value(V)) THEN V = 0.1 END")) == []
    least = AVERAGE.replace("avg(V)", "min(V)")
    assert laws(rewritten(least, "IF event: temp(value(V)) THEN V = 0.1 END")) == ["result by transformation"]


def test_answers_that_two_rules_give_are_transformed_and_not_early() -> None:
    twice = AVERAGE + "\naverage(area(A), value(V)) <- mean(area(A), value(V))."
    [average, _] = rewritten_program(twice, CONSTANT).rules
    assert laws(average) == ["result by transformation"]
    assert average.rule is not None
    assert average.rule.settlements == ()
