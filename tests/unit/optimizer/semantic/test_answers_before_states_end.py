"""Answers over all of a state that constraints make certain before it ends: they are given then, with an end that is
not known, and again when the state has ended; what they needed is forgotten."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cera.diagnostics import Source
from cera.engines.local.processor import RuleProcessor
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.occurrence import occurrence
from cera.model.events.states import early_answer_of, early_id, is_early_answer
from cera.modules.driving import Driver
from cera.modules.module import Settings
from cera.program import Program, load
from cera.rules.early_states import early_state
from cera.testing import event, seconds, state
from module_runs import run_by_definition
from properties.streaming_runs import MicroBatches

COUNTED = "state s: o(k(K)): h(k(K), n(count(V))) <- p(k(K), v(V))."
ABSENT = "unbounded: h(k(K)) <- state s: o(k(K)) and while s: not p(k(K))."
ORDER = "IF event i: p(k(K)) and event j: q(k(K)) THEN e(i) <= e(j) END"

OPENED = state("o{k{1}}", 0, 100)
#: Time has passed what it follows.
LATER = event("other", 51)
MANY = [OPENED, *(event(f"p{{k{{1}}, v{{{number}}}}}", number) for number in range(1, 41)), event("q{k{1}}", 50), LATER]


def program(rules: str, constraints: str = ORDER) -> Program:
    return load(Source("a.slog", rules), constraints=Source("c.escl", constraints))


def driver_of(rules: str, constraints: str = ORDER) -> Driver:
    [module] = program(rules, constraints).layers.modules
    processor = module.processor(Settings(max_duration=seconds(0)))
    assert isinstance(processor, RuleProcessor)
    return Driver(processor, 0)


def pushed(driver: Driver, events: Sequence[Event]) -> list[DerivedEvent]:
    return [one.result() for each in events for one in driver.push([occurrence(each)])]


def meant(rules: str, events: Sequence[Event]) -> list[str]:
    return sorted(str(one.event) for one in run_by_definition(load(Source("a.slog", rules)).rules, events).derived)


def test_an_answer_is_given_with_the_closing_event_and_again_when_the_state_has_ended() -> None:
    driver = driver_of(COUNTED)
    [early] = pushed(driver, MANY)
    answer = early_answer_of(early.event)
    assert answer is not None
    assert (str(answer), answer.begin, early.event.end) == ("h{k{1}, n{40}}", 0, seconds(50))
    [ended] = pushed(driver, [event("other", 101)])
    assert str(ended.event) == str(event("h{k{1}, n{40}}", 0, 100))
    assert ended.completes == (answer.id,) == (early_id(answer.term, 0, OPENED.id),)
    assert ended.derivations[0].causes["s"].id == OPENED.id
    assert [str(ended.event)] == meant(COUNTED, MANY)


def test_only_what_completes_the_answer_is_kept() -> None:
    plain, constrained = driver_of(COUNTED, "IF event: z(v(V)) THEN V > 0 END"), driver_of(COUNTED)
    pushed(plain, MANY)
    pushed(constrained, MANY)
    assert plain.counts.in_state > 40
    assert constrained.counts.in_state < 5
    pushed(constrained, [event("other", 101)])
    assert constrained.counts.in_state <= 1


def test_an_absence_is_certain_before_the_state_ends() -> None:
    driver = driver_of(ABSENT)
    assert [str(early_answer_of(one.event)) for one in pushed(driver, [OPENED, event("q{k{1}}", 50), LATER])] == [
        "h{k{1}}"
    ]
    refuted = driver_of(ABSENT)
    assert pushed(refuted, [OPENED, event("p{k{1}, v{1}}", 20), event("q{k{1}}", 50), event("other", 101)]) == []


def test_what_ends_with_the_closing_event_counts() -> None:
    together = [OPENED, event("q{k{1}}", 50), event("p{k{1}, v{1}}", 50), event("other", 101)]
    driver = driver_of(COUNTED)
    found = [one for one in driver.push(list(map(occurrence, together))) if not is_early_answer(one.label)]
    assert [str(one.result().event) for one in found] == meant(COUNTED, together) != []


def test_a_state_that_opens_after_the_closing_event_has_an_answer_of_its_own() -> None:
    events = [OPENED, event("q{k{1}}", 50), state("o{k{1}}", 60, 80), event("other", 101)]
    found = pushed(driver_of(ABSENT), events)
    assert [is_early_answer(one.event.label) for one in found] == [True, False, False]
    assert sorted(str(one.event) for one in found[1:]) == meant(ABSENT, events)


def test_an_answer_that_is_certain_is_kept_when_the_state_is_saved() -> None:
    driver = driver_of(COUNTED)
    pushed(driver, MANY)
    saved, other = driver.snapshot(), driver_of(COUNTED)
    other.resume(saved)
    [ended] = pushed(other, [event("other", 101)])
    assert [str(ended.event)] == meant(COUNTED, MANY)


def test_answers_of_two_states_that_are_one_event_complete_both() -> None:
    rule = "unbounded: h() <- state s: o(k(K)) and while s: not p(k(1))."
    closed = "IF event i: p(k(1)) and event j: q(k(1)) THEN e(i) <= e(j) END"
    found = pushed(driver_of(rule, closed), [OPENED, state("o{k{2}}", 0, 100), event("q{k{1}}", 5), event("z", 101)])
    assert [is_early_answer(one.event.label) for one in found] == [True, True, False]
    names = [answer.id for one in found[:2] if (answer := early_answer_of(one.event)) is not None]
    assert list(found[2].completes) == sorted(names)


@pytest.mark.parametrize(
    "rule",
    [
        "unbounded: h(k(K), e(seconds(e(s)))) <- state s: o(k(K)) and while s: not p(k(K)).",  # shows the end
        "unbounded: h(k(K)) <- state s: o(k(K)) and while s: not p(k(K)) and e(s) - b(s) < 1 h.",
        "unbounded: h(k(K)) <- state s: o(k(K)) and w: extend[s, 1 h] and while w: not p(k(K)).",
        "unbounded: h(k(K)) <- state s: o(k(K)) and i: r(k(K)) and while s: not p(k(K)).",  # r may come after s
    ],
)
def test_an_answer_that_depends_on_the_end_of_a_state_waits_for_it(rule: str) -> None:
    [one] = load(Source("a.slog", rule)).rules.rules
    assert early_state(one) is None
    found = pushed(driver_of(rule), [OPENED, event("q{k{1}}", 50), LATER])
    assert found == []


def test_rules_above_see_an_answer_when_its_state_has_ended() -> None:
    above = f"{COUNTED}\nunbounded: above(k(K), n(N)) <- h(k(K), n(N))."
    driver = driver_of(above)
    assert [one.event.label for one in pushed(driver, MANY)] == ["internal:early:h"]
    found = pushed(driver, [event("other", 101)])
    assert sorted(str(one.event) for one in found) == meant(above, MANY)


def test_what_an_answer_needs_is_kept_where_it_may_not_be_early() -> None:
    """Two rules derive it, so that none is given early; forgotten without that, it would be missing in the end."""
    two = f"{COUNTED}\nunbounded: h(k(K), n(N)) <- z(k(K), v(N))."
    driver = driver_of(two)
    assert pushed(driver, MANY) == []
    assert sorted(str(one.event) for one in pushed(driver, [event("other", 101)])) == meant(two, MANY) != []


def test_on_a_stream_an_answer_is_a_result_when_it_is_certain_and_when_its_state_has_ended() -> None:
    from cera.engines.spark.division.operators import operators

    layers = program(COUNTED).layers
    stream = MicroBatches(operators(layers, max_duration=0, buckets=3), max_delay=0)
    stream.batch(MANY)
    stream.batch([event("other", 60)])
    assert [one.label for one in stream.by_kind.derived] == ["internal:early:h"]
    stream.batch([event("other", 102)])
    stream.batch([event("other", 103)])
    [early, ended] = stream.by_kind.derived
    assert (ended.label, ended.end) == ("h", seconds(100))
    assert ended.completes is not None
    assert early.end == seconds(50)
