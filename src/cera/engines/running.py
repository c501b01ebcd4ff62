"""The engines by name, and how each answers a program over recorded events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from cera.engines.local import engine as local
from cera.engines.reference import engine as reference
from cera.errors import UsageError
from cera.model.events.event import Event
from cera.model.time.interval import Time
from cera.modules.answers.answer import Answer
from cera.modules.layering import Layers
from cera.modules.module import RECURSION_LIMIT, Settings


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

    @property
    def settings(self) -> Settings:
        """What modules need of it."""
        return Settings(self.timezone, self.max_duration, self.tick_limit, self.until, self.recursion_limit)


def _reference(layers: Layers, events: Iterable[Event], options: RunOptions) -> Answer:
    return reference.run(layers, events, options.settings)


def _local(layers: Layers, events: Iterable[Event], options: RunOptions) -> Answer:
    return local.run(layers, events, options.settings, max_delay=options.max_delay)


def _spark(layers: Layers, events: Iterable[Event], options: RunOptions) -> Answer:
    from cera.engines.spark import engine as spark  # starts nothing, but is heavy and needs the extra `spark`

    return spark.run(layers, events, options.settings)


ENGINES: Mapping[str, Callable[[Layers, Iterable[Event], RunOptions], Answer]] = MappingProxyType(
    {"spark": _spark, "local": _local, "reference": _reference}
)


def run_layers(layers: Layers, events: Iterable[Event], engine: str, options: RunOptions) -> Answer:
    """Returns the answers of a program over recorded events."""
    if engine not in ENGINES:
        raise UsageError(f"there is no engine '{engine}'; there are: auto, {', '.join(ENGINES)}")
    return ENGINES[engine](layers, events, options)
