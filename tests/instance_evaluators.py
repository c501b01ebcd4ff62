"""All that evaluates modules of complex event types, as parameters of tests."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from random import Random

from cera.instances.events.module import EventTypeModule
from cera.instances.events.processor import InstanceProcessor, InstanceState
from cera.model.events.event import DerivedEvent, Event, in_output_order
from cera.model.events.occurrence import Occurrence, occurrence
from cera.model.time.interval import Time
from cera.modules.answers.answer import Answer
from cera.modules.driving import Driver
from module_runs import as_read, meaning, run_layers, side_by_side

Evaluator = Callable[[EventTypeModule, Sequence[Event]], Answer]


def step_by_step(module: EventTypeModule, events: Sequence[Event]) -> Answer:
    """By the processor, time by time."""
    return _driven(module, events, lambda processor, state: state)


def interrupted(module: EventTypeModule, events: Sequence[Event]) -> Answer:
    """By the processor that is stopped and goes on from its saved state now and then."""
    random = Random(len(events))

    def saved(processor: InstanceProcessor, state: InstanceState) -> InstanceState:
        if random.random() < 0.5:
            return state
        if random.random() < 0.5:
            processor.trim(state)
        return processor.unpack(pickle.loads(pickle.dumps(processor.pack(state))))

    return _driven(module, events, saved)


def _driven(
    module: EventTypeModule,
    events: Sequence[Event],
    between: Callable[[InstanceProcessor, InstanceState], InstanceState],
) -> Answer:
    processor = InstanceProcessor(module)
    state = processor.start()
    derived: list[DerivedEvent] = []

    def step(now: Time, several: list[Occurrence]) -> None:
        nonlocal state
        derived.extend(each.result() for each in processor.step(state, now, several))
        state = between(processor, state)

    for now, several in _by_time(events):
        while (wakeup := processor.next_wakeup(state)) is not None and wakeup < now:
            step(wakeup, [])
        step(now, several)
    processor.close(state)
    while (wakeup := processor.next_wakeup(state)) is not None:
        step(wakeup, [])
    return Answer(tuple(in_output_order(derived)), processor.evaluator.undefined, state.left_out)


def _by_time(events: Sequence[Event]) -> Iterator[tuple[Time, list[Occurrence]]]:
    ordered = sorted(dict.fromkeys(events), key=lambda event: event.end)
    for now, several in groupby(ordered, key=lambda event: event.end):
        yield now, [occurrence(each) for each in several]


def _engine(name: str) -> Evaluator:
    """A whole engine, with nothing but the module."""

    def evaluate(module: EventTypeModule, events: Sequence[Event]) -> Answer:
        return run_layers(side_by_side(module), events, name)

    return evaluate


def flowing(module: EventTypeModule, events: Sequence[Event]) -> Answer:
    """The local engine over events in the order of time, each of which is answered when the next one comes."""
    ordered = sorted(events, key=lambda event: event.end)
    return run_layers(side_by_side(module), ordered, "local", max_delay=0)


def read(module: EventTypeModule, events: Sequence[Event]) -> Answer:
    """The processor over events as readers make them, some at a time, with snapshots in between."""
    random = Random(len(events))
    processor = InstanceProcessor(module)
    driver = Driver(processor, max_delay=0)
    derived: list[DerivedEvent] = []
    waiting = [as_read(event) for event in sorted(dict.fromkeys(events), key=lambda event: event.end)]
    while waiting:
        size = random.choice((1, 3, len(waiting)))
        derived += [each.result() for each in driver.push(waiting[:size])]
        waiting = waiting[size:]
        if random.random() < 0.3:
            snapshot = driver.snapshot()
            driver = Driver(processor, max_delay=0)
            driver.resume(pickle.loads(pickle.dumps(snapshot)))
    derived += [each.result() for each in driver.close()]
    return Answer(tuple(in_output_order(derived)), driver.counts.undefined, driver.counts.left_out)


#: By name: `definitions` is the slow one that all others are held to.
EVALUATORS: dict[str, Evaluator] = {
    "definitions": meaning,
    "processor": step_by_step,
    "interrupted": interrupted,
    "reference": _engine("reference"),
    "local": _engine("local"),
    "flowing": flowing,
    "read": read,
}
