"""Event types as a module: their processor and their definition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cera.instances.types import InstanceModule
from cera.model.tags import tagged
from cera.modules.module import Settings

if TYPE_CHECKING:
    from cera.instances.events.definition import TypeDefinition
    from cera.instances.events.processor import InstanceProcessor


@tagged("InstanceModule")
@dataclass(frozen=True)
class EventTypeModule(InstanceModule):
    """Event types over the events that it monitors."""

    def processor(self, settings: Settings) -> InstanceProcessor:
        from cera.instances.events.processor import InstanceProcessor  # many modules are only checked

        return InstanceProcessor(self, timezone=settings.timezone, tick_limit=settings.ticks)

    def definition(self, settings: Settings) -> TypeDefinition:
        from cera.instances.events.definition import TypeDefinition  # few runs need it

        return TypeDefinition(self, settings.timezone, settings.until, settings.ticks)
