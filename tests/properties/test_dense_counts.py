"""Counts of which there are far too many, and times before an event in a recording that is complete from some time on:
rules find what the definition does, with many events of few values, many of them at the same time."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from cera.constraints.stream import Happening
from cera.constraints.translation.clause_rules import ByRules
from cera.constraints.translation.layers import verifications
from cera.model.events.occurrence import occurrence
from cera.modules.driving import Driver
from cera.modules.module import Settings
from conformance.constraint_steps import meaning, stepped
from conformance.constraints import event, state
from conformance.violations import first_shown, module_of, recorded
from hypothesis_profiles import examples
from module_runs import run_layers, side_by_side

TIMES = (
    *("WHILE unbounded", "WHILE Range 8 sec", "WHILE Range 8 sec Slide 3 sec", "WHILE state: s(k(K))"),
    *("WHILE from-end[event: b(k(K)), 9 sec]", "WHILE from-end-backward[event: b(k(K)), 9 sec]"),
    *("WHILE from-start[state: s(k(K)), 6 sec]", "WHILE event m: e(k(K))", "WHILE state: s(v(S))"),
)
COUNTS = ("<= 1", "= 1", "!= 1", ">= 2", "!= 2", "(= 0 or >= 3)")
COUNTED = (
    *("event: a(k(K))", "event: a(k(K), v(V))", "event: a(k(K), v(V)) group-by {K}", "event: a(v(V)) group-by {}"),
    *("event: e(k(K))", "state: r(k(K))", "state: s(k(K))"),
)

BEFORE = (
    *(
        "[1970-01-01, b(x)]",
        "[b(x) - 5 sec, b(x)]",
        "[b(x) - 5 sec, e(x)]",
        "[b(x), e(x)]",
        "[b(x) - 9 sec, e(x) - 2 sec]",
    ),
)
HEADS = (
    *("exists >= 1 event: a(k(K))", "exists = 0 event: a(k(K))", "exists = 1 event: b(k(K))", "event: e(k(K))"),
    *("exists >= 2 event: a(k(K), v(V)) group-by {K}", "exists <= 1 event: a(k(K))", "exists != 2 event: a(k(K))"),
)
SINCE = (None, -3, 0, 4, 9)


def dense(choose: random.Random, number: int) -> list[Happening]:
    found: list[Happening] = []
    for _ in range(number):
        at, label, key = choose.randint(0, 24), choose.choice("aaaaaaabbeersr"), choose.choice([1, 1, 1, 1, 2])
        if label in "sr":
            end = choose.choice([None, *(at + choose.randint(0, 14) for _ in range(3))])
            found.append(state(label, at, end, k=key, v=choose.randint(0, 1)))
        else:
            length = choose.choice([0, 3, 6]) if label == "e" else 0
            found.append(event(label, at, at + length, k=key, v=choose.randint(0, 2)))
    return found


def compare(text: str, choose: random.Random, since: int | None = None) -> int:
    """Returns how many violations the local engine finds, which are those of the definition."""
    module = replace(module_of(text), since=None if since is None else since * 1_000_000)
    events = recorded(dense(choose, choose.randint(6, 30)))
    layers = side_by_side(module)
    expected = first_shown(run_layers(layers, events, "reference").derived)
    assert first_shown(run_layers(layers, events, "local").derived) == expected, f"{text}\n{since}\n{events}"
    return len(expected)


@pytest.mark.parametrize(
    "cases", [pytest.param(examples(60), id="short"), pytest.param(3_000, id="long", marks=pytest.mark.long)]
)
def test_counts_that_are_far_too_great_are_what_the_definition_says(cases: int) -> None:
    found = 0
    for seed in range(cases):
        choose = random.Random(seed)
        text = f"{choose.choice(TIMES)} LET IN ANY CASE exists {choose.choice(COUNTS)} {choose.choice(COUNTED)} END END"
        found += compare(text, choose)
    assert found > cases / 4


@pytest.mark.parametrize(
    "cases", [pytest.param(examples(60), id="short"), pytest.param(3_000, id="long", marks=pytest.mark.long)]
)
def test_what_is_counted_before_an_event_is_what_the_definition_says(cases: int) -> None:
    found = 0
    for seed in range(cases):
        choose = random.Random(seed)
        window = choose.choice([f"w: {choose.choice(BEFORE)}", "event w: from-start-backward[x, 5 sec]"])
        window = window.replace("1970-01-01", '"1970-01-01T00:00:04Z"' if choose.random() < 0.5 else '"1970-01-01"')
        body = f"event x: {choose.choice('be')}(k(K)) and {window}"
        text = f"IF {body} THEN while w: {choose.choice(HEADS)} END"
        found += compare(text, choose, choose.choice(SINCE))
    assert found > cases / 4


def test_what_comes_before_an_event_is_verified_by_rules_where_it_is_said_from_when_on_the_recording_is_complete() -> (
    None
):
    text = 'IF event x: b(k(K)) and w: ["1970-01-01", b(x)] THEN while w: exists >= 1 event: a(k(K)) END'
    [(_, found)] = verifications(replace(module_of(text), since=0))
    assert isinstance(found, ByRules)
    [(_, found)] = verifications(module_of(text))
    assert not isinstance(found, ByRules)


@pytest.mark.parametrize(
    "cases", [pytest.param(examples(60), id="short"), pytest.param(3_000, id="long", marks=pytest.mark.long)]
)
def test_event_by_event_each_violation_is_found_once(cases: int) -> None:
    for seed in range(cases):
        choose = random.Random(seed)
        text = f"{choose.choice(TIMES)} LET IN ANY CASE exists {choose.choice(COUNTS)} {choose.choice(COUNTED)} END END"
        events = recorded(dense(choose, choose.randint(6, 30)))
        module, settings = module_of(text), Settings()
        assert stepped(module, events, settings) == meaning(module, events, settings), f"{text}\n{events}"
        driver = Driver(module.processor(settings))
        ordered = sorted(events, key=lambda each: each.end)
        found = [each.result().event.id for one in ordered for each in driver.push([occurrence(one)])]
        assert len(found) == len(set(found)), f"{text}\n{events}"
