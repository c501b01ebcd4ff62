"""Random event types on random histories: the processor detects what the definitions say.

Whole answers are compared: events, causes, undefined results. The two share how events are recognised and cut into
stages, how conditions are decided, and how instances become events; an error there shows in `conformance` alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from cera.instances.events.feed_source import FeedSource
from cera.instances.events.module import EventTypeModule
from cera.model.events.event import Event
from hypothesis_profiles import examples
from instance_evaluators import EVALUATORS
from module_runs import meaning
from properties.meta_model_programs import (
    flat_module,
    practical_module,
    random_history,
    random_module,
    sequence_module,
    tower_module,
)

#: What is held to the definitions.
HELD = {name: EVALUATORS[name] for name in ("processor", "interrupted", "local", "flowing", "read")}


def compare(seed: int) -> int:
    """In how many of three histories of a random module something is detected."""
    random = Random(seed)
    module = random_module(random)
    return sum(_agree(seed, module, random_history(random, module)) for _ in range(3))


def compare_practical(seed: int) -> int:
    """Whether something is detected in a longer history of a module as people write them."""
    random = Random(seed)
    module = practical_module(random)
    return _agree(seed, module, random_history(random, module, 40))


def compare_flat(seed: int) -> int:
    """In how many of four histories of a type with any modes something is detected."""
    random = Random(seed)
    module = flat_module(random)
    return sum(_agree(seed, module, random_history(random, module, 9)) for _ in range(4))


def compare_tower(seed: int) -> int:
    """In how many of four histories of types over each other something is detected."""
    random = Random(seed)
    module = tower_module(random)
    return sum(_agree(seed, module, random_history(random, module, 9)) for _ in range(4))


def compare_sequences(seed: int) -> int:
    """In how many of four histories of sequences with keys something is detected."""
    random = Random(seed)
    module = sequence_module(random)
    return sum(_agree(seed, module, random_history(random, module, 12)) for _ in range(4))


def _agree(seed: int, module: EventTypeModule, events: Sequence[Event]) -> bool:
    expected = meaning(module, events)
    for name, evaluate in HELD.items():
        if evaluate(module, events) != expected:
            pytest.fail(_story(seed, name, module, events))
    return bool(expected.derived)


def _story(seed: int, name: str, module: EventTypeModule, events: Sequence[Event]) -> str:
    """The difference on a history from which no event can be left out."""
    evaluate = HELD[name]

    def differs(some: Sequence[Event]) -> bool:
        return evaluate(module, some) != meaning(module, some)

    smallest = sorted(events, key=lambda event: event.output_key)
    while smaller := [rest for i in range(len(smallest)) if differs(rest := smallest[:i] + smallest[i + 1 :])]:
        smallest = smaller[0]
    expected, found = meaning(module, smallest), evaluate(module, smallest)
    parts = [f"seed {seed}: {name}", *map(str, module.types), f"partition {module.partition}", *map(str, smallest)]
    parts += ["definitions:", *(str(each.event) for each in expected.derived), str(expected.undefined)]
    parts += [f"{name}:", *(str(each.event) for each in found.derived), str(found.undefined)]
    return "\n".join(parts)


def test_random_types_detect_what_the_definitions_say() -> None:
    assert sum(compare(seed) for seed in range(examples(200))) >= examples(200)


def test_contexts_detect_what_the_definitions_say_in_longer_histories() -> None:
    assert sum(compare_practical(seed) for seed in range(examples(100))) >= examples(60)


def test_any_modes_of_a_flat_type_detect_what_the_definitions_say() -> None:
    assert sum(compare_flat(seed) for seed in range(examples(300))) > examples(400)


def test_types_over_each_other_detect_what_the_definitions_say() -> None:
    assert sum(compare_tower(seed) for seed in range(examples(150))) > examples(300)


def test_sequences_with_keys_detect_what_the_definitions_say() -> None:
    assert sum(compare_sequences(seed) for seed in range(examples(150))) > examples(150)


def test_sequences_are_written_out_for_each_label(monkeypatch: pytest.MonkeyPatch) -> None:
    sources: list[str] = []
    taken = 0
    feed = FeedSource.feed

    def counted(*arguments: Any) -> Any:
        made = feed(*arguments)
        sources.append(made.source)  # type: ignore[attr-defined]  # the writer adds it

        def run(*step: Any) -> Any:
            nonlocal taken
            taken += 1
            return made(*step)

        return run

    monkeypatch.setattr(FeedSource, "feed", counted)
    assert sum(compare_sequences(seed) for seed in range(5_000, 5_015)) > 5
    assert taken > 50, taken
    for written in ("queue = members", ".append((stage,", "members.insert(", "= bound", "begin, end = ", "n1 = ["):
        assert any(written in source for source in sources), written


@pytest.mark.long
def test_thousands_of_types_over_each_other_detect_what_the_definitions_say() -> None:
    assert sum(compare_tower(seed) for seed in range(10_000, 14_000)) > 8_000


@pytest.mark.long
def test_thousands_of_sequences_with_keys_detect_what_the_definitions_say() -> None:
    assert sum(compare_sequences(seed) for seed in range(10_000, 14_000)) > 4_000


@pytest.mark.long
@pytest.mark.parametrize("start", range(10_000, 20_000, 2_000))
def test_any_modes_of_thousands_of_flat_types_detect_what_the_definitions_say(start: int) -> None:
    assert sum(compare_flat(seed) for seed in range(start, start + 2_000)) > 2_500


@pytest.mark.long
def test_contexts_detect_what_the_definitions_say_in_a_thousand_longer_histories() -> None:
    assert sum(compare_practical(seed) for seed in range(10_000, 11_000)) > 600


@pytest.mark.long
@pytest.mark.parametrize("start", range(10_000, 20_000, 1_000))
def test_thousands_of_random_types_detect_what_the_definitions_say(start: int) -> None:
    assert sum(compare(seed) for seed in range(start, start + 1_000)) > 1_400
