"""Random event types on streams against the local engine, cut into random micro-batches, without Spark.

Several modules see one stream. Events come in disorder within the delay; between two batches the state is bytes. The
stream ends with an event that nothing reads, late enough that everything else is decided; timers tick until then.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from module_runs import run_layers, side_by_side

pytest.importorskip("pyspark")
from cera.engines.spark.division.operators import operators
from cera.instances.events.module import EventTypeModule
from cera.model.events.event import Event
from cera.testing import SECOND, event
from hypothesis_profiles import examples
from properties.local_runs import DELAYS, disordered
from properties.meta_model_programs import is_light, practical_module, random_history, random_module
from properties.streaming_runs import MicroBatches, random_cuts
from properties.test_epl_streaming import Told, found
from properties.test_spark import told_once


def named(module: EventTypeModule, name: str) -> EventTypeModule:
    """The module under another name."""
    outputs = tuple(replace(each, rule=f"{name}.{each.predicate}") for each in module.outputs)
    return replace(module, name=name, outputs=outputs)


def random_modules(random: Random, count: int, *, light: bool = False) -> list[EventTypeModule]:
    """Of all kinds; only such as go through longer histories in no time, if they are to be light."""
    found: list[EventTypeModule] = []
    while len(found) < count:
        module = random_module(random) if random.random() < 0.7 else practical_module(random)
        if not light or is_light(module):
            found.append(named(module, f"M{len(found)}"))
    return found


def stream_of(random: Random, modules: list[EventTypeModule], most: int) -> list[Event]:
    """In the order of time, and not too short; the modules of a program have it in common."""
    events: list[Event] = []
    while 2 * len(events) < most:
        events = random_history(random, random.choice(modules), most)
    return sorted(events, key=lambda event: event.end)


def compare(seed: int) -> int:
    """How many events modules detect, in random micro-batches the same as the local engine."""
    random = Random(seed)
    light = random.random() < 0.5
    modules = random_modules(random, 3, light=light)
    events = stream_of(random, modules, 30 if light else 11)
    delay = random.choice(DELAYS)
    layers = side_by_side(*modules)
    stream = MicroBatches(operators(layers, buckets=random.choice((1, 2, 7))), delay)
    last = event("the-end", (events[-1].end + delay) / SECOND + random.choice((1, 2.5, 7)))
    for batch in [*random_cuts(disordered(events, delay, random), random), [last], []]:
        stream.batch(batch)
    assert not stream.by_kind.late
    answer = run_layers(layers, [*events, last], "local", until=stream.watermark * 1000 - 1)
    assert told(found(stream)) == told_once(answer.derived), f"seed {seed}"
    counts = [(state.undefined, state.without_key) for state in stream.by_kind.states]
    assert [sum(each) for each in zip(*counts, strict=True)] == [answer.undefined, answer.left_out], f"seed {seed}"
    return len(answer.derived)


def told(found: Told) -> list[tuple[str, str, dict[str, str]]]:
    return sorted((id_, rule, causes) for id_, (_, rule, causes) in found.items())


def test_event_types_in_random_micro_batches_detect_what_the_local_engine_does() -> None:
    assert sum(map(compare, range(examples(100)))) > examples(400)


@pytest.mark.long
def test_many_event_types_in_random_micro_batches_detect_what_the_local_engine_does() -> None:
    assert sum(map(compare, range(1_000, 3_000))) > 10_000
