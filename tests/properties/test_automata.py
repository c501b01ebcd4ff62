"""Random automata: the processor and the definitions, with restarts, and in micro-batches."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import pytest

from cera.automata.direct import FINISHED, TAKEN, TIMED, DirectSteps, Outcome
from cera.automata.module import VIOLATION, AutomatonModule
from cera.errors import MatchLimitError
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.occurrence import occurrence
from cera.model.time.interval import Interval
from cera.modules.detection import merged
from cera.modules.driving import Driver
from cera.modules.module import Settings
from cera.testing import SECOND
from hypothesis_profiles import examples
from properties.automata_cases import calm_automaton, random_automaton, random_events

Told = list[tuple[Event, list[tuple[str, list[tuple[str, str]]]]]]


def told(found: Sequence[DerivedEvent]) -> Told:
    """The events with the ids of their causes: after a restart no more is known of these."""
    return [
        (one.event, [(way.rule, [(name, cause.id) for name, cause in way.causes.items()]) for way in one.derivations])
        for one in merged(found)
    ]


def case(seed: int) -> tuple[AutomatonModule, list[Event], random.Random]:
    chance = random.Random(seed)
    automaton = random_automaton(chance, keyed=chance.random() < 0.7)
    events = random_events(chance, automaton, chance.randint(3, 9))
    module = AutomatonModule(automaton, expects_all=chance.random() < 0.2, run_limit=300)
    return replace(module, possible=chance.random() < 0.7, marks_violated=chance.random() < 0.5), events, chance


def calm_case(seed: int) -> tuple[AutomatonModule, list[Event], random.Random]:
    """A case in which most events are the only ones at their time, with one thing to do."""
    chance = random.Random(seed)
    automaton = calm_automaton(chance)
    states: Literal["all", "root"] = chance.choice(("all", "all", "root"))
    module = AutomatonModule(automaton, states=states, run_limit=300, possible=chance.random() < 0.3)
    return module, accepted_events(chance, module, chance.randint(5, 20)), chance


def accepted_events(chance: random.Random, module: AutomatonModule, count: int) -> list[Event]:
    """Events at different times, most of which are accepted by the instance that they concern."""
    found: list[Event] = []
    for number in range(count):
        for _ in range(6):
            made = random_events(chance, module.automaton, 1 if number < 2 else 3)[-1]  # the first two enter
            at = (2 * number + chance.randint(0, 1)) * SECOND // 2
            event = replace(made, interval=Interval(at, at))
            driver = Driver(module.processor(Settings()), 0)
            reports = [*driver.push(map(occurrence, [*found, event])), *driver.advance_to(at)]
            if not any(one.label == VIOLATION and one.end == at for one in reports):
                break
        found.append(event)
    return found


def processed(module: AutomatonModule, events: Sequence[Event], chance: random.Random) -> tuple[Told, int]:
    """What the processor reports, which is saved and started again now and then."""
    driver = Driver(module.processor(Settings()), 0)
    found = []
    for event in sorted(events, key=lambda each: each.end):
        if chance.random() < 0.3:
            saved = driver.snapshot()
            driver = Driver(module.processor(Settings()), 0)
            driver.resume(saved)
        found += driver.push([occurrence(event)])
    found += driver.close()
    return told([one.result() for one in found]), driver.counts.left_out


@pytest.mark.parametrize(
    "automata", [pytest.param(examples(150), id="short"), pytest.param(3_000, id="long", marks=pytest.mark.long)]
)
def test_what_is_taken_without_exploring_is_what_the_definitions_say(
    automata: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    directly: Counter[int | None] = Counter()
    take = DirectSteps.take

    def counted(self: DirectSteps, *given: Any) -> Outcome | None:
        taken = take(self, *given)
        directly[taken] += 1
        return taken

    monkeypatch.setattr(DirectSteps, "take", counted)
    for seed in range(automata):
        module, events, chance = calm_case(seed)
        expected = module.definition(Settings()).answer(events, None)
        found, left_out = processed(module, events, chance)
        assert found == told(expected.derived), f"seed {seed}"
        assert left_out == expected.left_out, f"seed {seed}"
    assert directly[TAKEN] + directly[TIMED] + directly[FINISHED] > automata


@pytest.mark.parametrize(
    "automata", [pytest.param(examples(1_000), id="short"), pytest.param(10_000, id="long", marks=pytest.mark.long)]
)
def test_the_processor_reports_what_the_definitions_say(automata: int) -> None:
    reported: Counter[str] = Counter()
    for seed in range(automata):
        module, events, chance = case(seed)
        try:
            expected = module.definition(Settings()).answer(events, None)
        except MatchLimitError:
            reported["limit"] += 1
            continue
        found, left_out = processed(module, events, chance)
        assert found == told(expected.derived), f"seed {seed}"
        assert left_out == expected.left_out, f"seed {seed}"
        reported.update(
            "state" if one.event.label.startswith("state:") else one.event.label for one in expected.derived
        )
    assert reported["state"] > automata
    assert reported["violation"] > automata // 4
    assert reported["overdue"] > automata // 20
    assert reported["possible"] > automata // 50
    assert reported["past"] or automata < 1_000
    assert reported["limit"] < automata // 20


@pytest.mark.parametrize(
    "automata", [pytest.param(examples(1_000), id="short"), pytest.param(5_000, id="long", marks=pytest.mark.long)]
)
def test_the_runs_behind_violations_are_those_of_the_definitions(automata: int) -> None:
    """Of events that end at one time the order may be another one, so there are none."""
    violated = 0
    for seed in range(automata):
        module, events, chance = case(seed)
        module = replace(module, traced=True)
        events = list({each.end: each for each in events}.values())
        try:
            expected = module.definition(Settings()).answer(events, None)
        except MatchLimitError:
            continue
        found, _ = processed(module, events, chance)
        assert found == told(expected.derived), f"seed {seed}"
        violated += sum(one.event.label == "violation" for one in expected.derived)
    assert violated > automata // 4
