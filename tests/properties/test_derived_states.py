"""Rules that derive states: their meaning against the reference, and every engine against that.

`derived_states.meaning` finds errors of the lowering and of the definition, the reference errors of the processor. All
kinds of ends, rules that share a label, states of states, disorder, cuts and restarts are among the random programs.
"""

from __future__ import annotations

import random

import pytest

import cera
from cera.engines.local.state_bytes import dump, restore
from cera.engines.spark.division.operators import operators
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.occurrence import occurrence
from cera.model.events.states import OPEN, is_internal, is_opening, state_of
from cera.model.terms.term import Term
from cera.modules.driving import Driver
from cera.modules.layered_processor import program_processor
from cera.modules.layering import Layers
from cera.modules.module import Settings
from hypothesis_profiles import examples
from module_runs import run_layers
from properties.derived_states import meaning, some_events, some_rules, text_of
from properties.local_runs import DELAYS, disordered
from properties.streaming_runs import MicroBatches, random_cuts

LONG = pytest.mark.long


def case(seed: int) -> tuple[str, Layers, list[Event], random.Random]:
    chance = random.Random(seed)
    rules, events = some_rules(chance), some_events(chance)
    text = text_of(rules)
    program = cera.load(text)
    assert not [d for d in program.diagnostics if d.severity == "error"], f"{text}{program.diagnostics}"
    return text, program.layers, events, chance


@pytest.mark.parametrize(
    "programs", [pytest.param(examples(300), id="short"), pytest.param(5_000, id="long", marks=LONG)]
)
def test_the_reference_derives_the_states_that_the_design_demands(programs: int) -> None:
    derived = 0
    for seed in range(programs):
        text, layers, events, _ = case(seed)
        rules = some_rules(random.Random(seed))
        found = run_layers(layers, events, "reference")
        expected = meaning(rules, events)
        assert _states(found.derived) == expected, f"seed {seed}\n{text}{_shown(events)}"
        derived += len(expected)
    assert derived * 2 > programs


@pytest.mark.parametrize(
    "programs", [pytest.param(examples(300), id="short"), pytest.param(5_000, id="long", marks=LONG)]
)
def test_the_local_engine_agrees_with_disorder_cuts_and_restarts(programs: int) -> None:
    for seed in range(programs):
        text, layers, events, chance = case(seed)
        expected = list(run_layers(layers, events, "reference", changes=True).derived)
        delay = chance.choice(DELAYS)
        found = _locally(layers, disordered(events, delay, chance), delay, chance)
        assert with_ways(found) == with_ways(expected), f"seed {seed}\n{text}{_shown(events)}"


@pytest.mark.parametrize(
    "programs", [pytest.param(examples(120), id="short"), pytest.param(2_000, id="long", marks=LONG)]
)
def test_a_stream_in_micro_batches_opens_and_ends_the_same_states(programs: int) -> None:
    for seed in range(programs):
        text, layers, events, chance = case(seed)
        delay = chance.choice(DELAYS)
        stream = MicroBatches(operators(layers, buckets=chance.choice((1, 2, 7))), delay)
        for batch in random_cuts(disordered(events, delay, chance), chance):
            stream.batch(batch)
        decided = stream.watermark * 1000
        stream.batch([])
        decided = stream.watermark * 1000
        expected = run_layers(layers, events, "reference", changes=True).derived
        wanted = {(one.event.id, one.event.label, one.event.end) for one in expected if one.event.end < decided}
        found = {(one.id, one.label, one.end) for one in stream.by_kind.derived}
        assert found == wanted, f"seed {seed}\n{text}{_shown(events)}"


def _locally(layers: Layers, events: list[Event], delay: int, chance: random.Random) -> list[DerivedEvent]:
    """Runs with cuts and restarts: the state is written as bytes, and read again."""
    processor = program_processor(layers, Settings())
    driver = Driver(processor, delay)
    found = []
    for at, event in enumerate(events):
        if chance.random() < 0.2:
            snapshot = restore(dump(driver.snapshot()))
            driver = Driver(program_processor(layers, Settings()), delay)
            driver.resume(snapshot)
        if chance.random() < 0.2:
            found += driver.advance_to(min(later.end for later in events[at:]) - 1)
        found += driver.push([occurrence(event)])
    found += driver.close()
    return [one.result() for one in found if not is_internal(one.label)]


def with_ways(derived: list[DerivedEvent]) -> set[object]:
    return {(one.event.id, one.event.label, one.event.begin, one.event.end, _ways(one)) for one in derived}


def _ways(derived: DerivedEvent) -> tuple[object, ...]:
    return tuple((way.rule, tuple((n, cause.id) for n, cause in way.causes.items())) for way in derived.derivations)


def _states(derived: tuple[DerivedEvent, ...]) -> set[tuple[Term, int, int]]:
    found = [state_of(one.event) for one in derived]
    return {(each.term, each.begin, OPEN if each.end is None else each.end) for each in found if each is not None}


def _shown(events: list[Event]) -> str:
    return "\n".join(
        f"{each.term} {each.interval} {each.qualifier if is_opening(each.label) else ''}" for each in events
    )
