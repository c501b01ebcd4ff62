"""Random constraints of every construct over random streams: what is verified step by step is what the definition
says of the whole recording, with ids and causes, and what it says of a time depends on nothing that comes later."""

from __future__ import annotations

import random

import pytest

from cera.constraints import verifier
from cera.model.events.event import Event
from cera.modules.module import Settings
from conformance.constraint_steps import meaning, stepped
from conformance.constraints import SECOND
from hypothesis_profiles import examples
from properties.constraint_cases import ROWS, events_of, longest, random_module, random_stream

_STREAMS = 3


@pytest.mark.parametrize("seed", range(4))
def test_step_by_step_is_found_what_the_definition_says(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed % 2:  # what is not needed is forgotten at once
        monkeypatch.setattr(verifier, "SWEEP_FROM", 0)
        monkeypatch.setattr(verifier, "SWEEP_GROWTH", 0)
    choose = random.Random(seed)
    for _ in range(examples(40)):
        text, module = random_module(choose)
        for number in range(_STREAMS):
            events = events_of(random_stream(choose), choose)
            until = choose.choice([None, None, choose.randint(1, 24) * SECOND])
            settings = Settings(relations=ROWS, until=until, max_duration=longest(events) if number else None)
            expected = meaning(module, events, settings)
            assert stepped(module, events, settings) == expected, _case(text, events)
            assert stepped(module, events, settings, saved=True) == expected, _case(text, events)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_certain_does_not_depend_on_what_comes_later(seed: int) -> None:
    choose = random.Random(seed)
    for _ in range(examples(40)):
        text, module = random_module(choose)
        for _ in range(_STREAMS):
            events = events_of(random_stream(choose), choose)
            until = min(choose.randint(1, 24) * SECOND, max(event.end for event in events) - 1)
            whole = meaning(module, events, Settings(relations=ROWS))
            early = meaning(module, events, Settings(relations=ROWS, until=until))
            # at the end itself all of time is judged
            assert {each for each in early if each[0] < until} == {each for each in whole if each[0] < until}, _case(
                text, events
            )


def _case(text: str, events: list[Event]) -> str:
    return "\n".join([text, *(f"{event.begin / SECOND} {event.end / SECOND} {event.term}" for event in events)])
