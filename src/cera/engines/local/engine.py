"""The local engine over a recorded stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cera.algebra.translation import translate
from cera.engines.answer import Answer
from cera.engines.local.heads import Derived
from cera.engines.local.host import Host
from cera.engines.local.occurrence import Occurrence, occurrence
from cera.engines.local.processor import Processor
from cera.model.events import Event, in_output_order
from cera.model.interval import Time
from cera.rules.rule import RuleProgram


def run(
    program: RuleProgram,
    events: Iterable[Event],
    *,
    until: Time | None = None,
    timezone: str = "UTC",
    max_delay: int | None = None,
    max_duration: int | None = None,
    late: Callable[[Occurrence], object] = lambda occurrence: None,
) -> Answer:
    """The answers of a program over a complete stream, event by event."""
    processor = Processor(translate(program), max_duration=max_duration, timezone=timezone)
    host = Host(processor, max_delay, late)
    derived: list[Derived] = []
    for event in events:
        if until is None or event.end <= until:
            derived += host.push(occurrence(event))
    derived += host.close() if until is None else host.advance_to(until)
    return Answer(tuple(in_output_order(d.result() for d in derived)), processor.evaluator.undefined)
