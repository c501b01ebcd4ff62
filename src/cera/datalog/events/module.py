"""A Datalog_1S program as a module: its processor and its definition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cera.datalog.modules import EventModule
from cera.model.tags import tagged
from cera.modules.module import Settings

if TYPE_CHECKING:
    from cera.datalog.events.definition import HistoryDefinition
    from cera.datalog.events.processor import FactProcessor


@tagged("EventModule")
@dataclass(frozen=True)
class DatalogModule(EventModule):
    """A Datalog_1S program over the events that it monitors."""

    def processor(self, settings: Settings) -> FactProcessor:
        from cera.datalog.events.processor import FactProcessor  # many modules are only checked

        return FactProcessor(self, timezone=settings.timezone)

    def definition(self, settings: Settings) -> HistoryDefinition:
        from cera.datalog.events.definition import HistoryDefinition  # few runs need it

        return HistoryDefinition(self, settings.timezone)
