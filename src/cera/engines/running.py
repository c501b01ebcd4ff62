"""The engines by name, and how each answers a program over recorded events.

`ENGINES` answer rules alone; `run_layers` answers programs of several languages, `CHAINING` says how.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from cera.datalog.events import definition as whole_histories
from cera.engines.layers.layering import Layers
from cera.engines.layers.modules import Module
from cera.engines.layers.processor import LayersProcessor
from cera.engines.layers.running import run_layer_by_layer
from cera.engines.local import engine as local
from cera.engines.reference import engine as reference
from cera.engines.reference.fixpoint import RECURSION_LIMIT
from cera.errors import UsageError
from cera.instances.events import definition as definitions
from cera.instances.types import InstanceModule
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.events.event import Event
from cera.model.time.interval import Interval, Time
from cera.modules.answers.answer import Answer
from cera.rules.rule import RuleProgram


@dataclass(frozen=True)
class RunOptions:
    """How a program is answered over recorded events. Durations are microseconds.

    With `max_delay`, events that come later than that behind the latest one are late and do not count.
    `max_duration` is what the source promises: no event lasts longer. A timer may tick `tick_limit` times between
    two events; None is the limit of the engine.
    """

    until: Time | None = None
    timezone: str = "UTC"
    max_delay: int | None = None
    max_duration: int | None = None
    recursion_limit: int = RECURSION_LIMIT
    tick_limit: int | None = None


def _reference(program: RuleProgram, events: Iterable[Event], options: RunOptions) -> Answer:
    return reference.run(
        program,
        events,
        until=options.until,
        timezone=options.timezone,
        recursion_limit=options.recursion_limit,
        tick_limit=options.tick_limit,
    )


def _local(program: RuleProgram, events: Iterable[Event], options: RunOptions) -> Answer:
    return local.run(
        program,
        events,
        until=options.until,
        timezone=options.timezone,
        max_delay=options.max_delay,
        max_duration=options.max_duration,
        tick_limit=options.tick_limit or TICK_LIMIT,
    )


def _spark(program: RuleProgram, events: Iterable[Event], options: RunOptions) -> Answer:
    return _on_spark(program, events, options)


ENGINES: Mapping[str, Callable[[RuleProgram, Iterable[Event], RunOptions], Answer]] = MappingProxyType(
    {"spark": _spark, "local": _local, "reference": _reference}
)


def _on_spark(program: RuleProgram | Layers, events: Iterable[Event], options: RunOptions) -> Answer:
    from cera.engines.spark import engine as spark  # starts nothing, but is heavy and needs the extra `spark`

    return spark.run(
        program,
        events,
        until=options.until,
        timezone=options.timezone,
        max_duration=options.max_duration,
        tick_limit=options.tick_limit or TICK_LIMIT,
    )


def _chained_reference(layers: Layers, events: Iterable[Event], options: RunOptions) -> Answer:
    """Absolute timers tick while the recording lasts, in every layer."""
    base = [event for event in events if options.until is None or event.end <= options.until]
    ends = [event.end for event in base]
    extent = Interval(min(ends), max(ends) if options.until is None else options.until) if ends else None

    def rules(program: RuleProgram, seen: Sequence[Event]) -> Answer:
        return reference.run(
            program,
            seen,
            until=options.until,
            timezone=options.timezone,
            extent=extent,
            recursion_limit=options.recursion_limit,
            tick_limit=options.tick_limit,
        )

    def module(found: Module, seen: Sequence[Event]) -> Answer:
        if isinstance(found, InstanceModule):
            return definitions.run(
                found,
                seen,
                timezone=options.timezone,
                until=options.until,
                end=extent and extent.end,
                tick_limit=options.tick_limit or TICK_LIMIT,
            )
        return whole_histories.run(found, seen, timezone=options.timezone)

    return run_layer_by_layer(layers, base, rules, module)


def _chained_local(layers: Layers, events: Iterable[Event], options: RunOptions) -> Answer:
    processor = LayersProcessor(layers, max_duration=options.max_duration, timezone=options.timezone)
    limit = options.tick_limit or TICK_LIMIT
    return local.drive(processor, events, until=options.until, max_delay=options.max_delay, tick_limit=limit)


def _chained_spark(layers: Layers, events: Iterable[Event], options: RunOptions) -> Answer:
    return _on_spark(layers, events, options)


CHAINING: Mapping[str, Callable[[Layers, Iterable[Event], RunOptions], Answer]] = MappingProxyType(
    {"spark": _chained_spark, "local": _chained_local, "reference": _chained_reference}
)


def run_layers(layers: Layers, events: Iterable[Event], engine: str, options: RunOptions) -> Answer:
    """The answers of a program in whatever languages over recorded events."""
    if engine not in ENGINES:
        raise UsageError(f"there is no engine '{engine}'; there are: auto, {', '.join(ENGINES)}")
    match layers.layers:
        case (only,) if only.rules is not None and not only.modules:
            return ENGINES[engine](only.rules, events, options)
        case _:
            return CHAINING[engine](layers, events, options)
