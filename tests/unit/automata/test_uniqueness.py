"""Unique values of enter transitions: filtered within a key, and a violation across keys."""

from __future__ import annotations

import random

import pytest

from cera.automata.module import AutomatonModule
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.occurrence import occurrence
from cera.modules.driving import Driver
from cera.modules.layering import layered
from cera.modules.module import Settings
from cera.testing import SECOND
from conformance.automata import happens, module
from hypothesis_profiles import examples
from module_runs import run_layers
from properties.test_automata import case, told


def text(memory: str = "", key: str = "O*", number: str = "unique N*") -> str:
    return f"""automaton Order(id(O)) {{ start Open; end Done;
      enter -> Open: ordered(id({key}), invoice({number}{memory})); Open -> Done: closed(id(O)); }}"""


def ordered(seconds: float, id_: int, invoice: int) -> Event:
    return happens("ordered", seconds, id=id_, invoice=invoice)


def violated(made: AutomatonModule, events: list[Event]) -> list[tuple[float, list[str]]]:
    """When values were used again, and the ids of the two events; the engines agree about it."""
    layers, problems = layered([made, *made.uniqueness])
    assert not problems
    reference, local = (run_layers(layers, events, engine) for engine in ("reference", "local"))
    assert told(local.derived) == told(reference.derived)
    found = [one for one in local.derived if one.event.label == "violation"]
    return [(one.event.end / SECOND, [each.id for each in one.derivations[0].causes.values()]) for one in found]


def test_a_value_that_an_instance_with_another_key_has_is_a_violation() -> None:
    events = [ordered(0, 1, 7), ordered(1, 2, 8), ordered(2, 3, 7)]
    assert violated(module(text()), events) == [(2, [events[2].id, events[0].id])]


def test_within_a_key_the_event_is_not_taken_and_that_is_no_violation() -> None:
    assert violated(module(text()), [ordered(0, 1, 7), happens("closed", 1, id=1), ordered(2, 1, 7)]) == []


def test_after_its_time_a_value_may_come_again() -> None:
    made = module(text(" for 10 s"))
    assert [time for time, _ in violated(made, [ordered(0, 1, 7), ordered(10, 2, 7)])] == [10]
    assert violated(made, [ordered(0, 1, 7), ordered(10.5, 2, 7)]) == []


@pytest.mark.parametrize("made", [text(key="unique O*", number="N*"), text(number="N*")])
def test_the_key_itself_needs_no_module_of_its_own(made: str) -> None:
    assert module(made).uniqueness == ()


def test_the_processor_finds_what_the_definition_says() -> None:
    """The claims are those of random automata."""
    found = 0
    for seed in range(examples(600)):
        made, events, chance = case(seed)
        if not made.uniqueness:
            continue
        [unique] = made.uniqueness
        claims = [one.event for one in made.definition(Settings()).answer(events, None).derived]
        claims = [event for event in claims if event.label == unique.label]
        expected = unique.definition(Settings()).answer(claims, None).derived
        driver = Driver(unique.processor(Settings()), 0)
        reports: list[DerivedEvent] = []
        for event in sorted(claims, key=lambda each: each.end):
            if chance.random() < 0.3:
                saved = driver.snapshot()
                driver = Driver(unique.processor(Settings()), 0)
                driver.resume(saved)
            reports += [one.result() for one in driver.push([occurrence(event)])]
        reports += [one.result() for one in driver.close()]
        assert told(reports) == told(expected), f"seed {seed}"
        found += len(expected)
    assert found


def test_claims_that_do_not_count_any_more_are_forgotten() -> None:
    made = module(text(" for 10 s"))
    [unique] = made.uniqueness
    events = [ordered(seconds, seconds, seconds) for seconds in range(100)]
    random.Random(1).shuffle(events)
    claims = [one.event for one in made.definition(Settings()).answer(events, None).derived]
    driver = Driver(unique.processor(Settings()), 0)
    for event in sorted((each for each in claims if each.label == unique.label), key=lambda each: each.end):
        driver.push([occurrence(event)])
    assert driver.counts.in_state <= 11
