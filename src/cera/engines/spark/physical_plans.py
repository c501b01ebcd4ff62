"""How a program runs on Spark over recorded events, decided without Spark and without events.

What tables will be there is not known; events are taken for flat terms whose children may have any type, in one table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from cera.engines.local.engine import plan_of
from cera.engines.spark.engine import constructed, queries_states, read_after
from cera.engines.spark.modules.recorded_modules import COUNTS, DETECTIONS, LayerDetections, separated
from cera.engines.spark.plan.batch import Batch
from cera.engines.spark.plan.physical import PhysicalPoint
from cera.engines.spark.plan.scopes import Environment
from cera.engines.spark.plan.states import with_states
from cera.engines.spark.recursion.recursion import Recursion
from cera.engines.spark.tables.event_rows import EVENTS
from cera.engines.spark.tables.event_tables import EventTable, Terms
from cera.engines.spark.tables.outlines import Outline
from cera.engines.spark.values.python_functions import planning
from cera.modules.layering import Layers
from cera.modules.module import Settings
from cera.modules.rules.module import rules_of
from cera.rules.rule import relations_of


@dataclass(frozen=True)
class PhysicalProgram:
    """The points of all modules of rules, in order; how recursive rules run, by their names; what runs in Python."""

    batches: tuple[Batch, ...]
    recursion: Mapping[tuple[str, ...], str]
    in_python: tuple[str, ...]

    @property
    def points(self) -> Iterator[PhysicalPoint]:
        return (point for batch in self.batches for point in batch.points)


def physical_program(layers: Layers, *, max_duration: int | None, timezone: str) -> PhysicalProgram:
    """Returns what runs, over events in one table, with a relation in one table too."""
    with planning():
        return _Outline(layers, max_duration, timezone).program()


@dataclass(frozen=True)
class _Outline:
    layers: Layers
    max_duration: int | None
    timezone: str

    def program(self) -> PhysicalProgram:
        events = EventTable(Outline(EVENTS.names), Terms(flat=True))
        tables: tuple[EventTable, ...] = (events,)
        lookups = {name: (replace(events, label=name),) for name in relations_of(rules_of(self.layers))}
        if queries_states(self.layers):
            tables = with_states(tables, None)
        batches: list[Batch] = []
        recursion: dict[tuple[str, ...], str] = {}
        of_rules: list[str] = []
        of_modules: list[str] = []
        seen = tables
        for layer in self.layers.layers:
            derived: list[EventTable] = []
            rules, others = separated(layer.modules, divides=True)
            longest = self.max_duration if seen is tables else None
            for module in rules:
                environment = Environment(None, module.program.calendars, self.timezone, lookups=lookups)
                cycles = Recursion(module, Settings(self.timezone, longest), ways=recursion)
                plan = plan_of(module.program)
                batch = Batch(plan, environment, seen, None, longest, tables, recursion=cycles)
                batches.append(batch)
                of_rules += environment.fallbacks
                derived += [table for made, table in constructed(batch) if made.recipient is None]
            if others:
                detections = LayerDetections(tuple(others), _detections())
                of_modules += detections.descriptions
                derived += with_states(detections.by_label(read_after(layer, self.layers)), None)
            seen = (*seen, *derived)
        return PhysicalProgram(tuple(batches), recursion, tuple(dict.fromkeys(of_rules + of_modules)))


def _detections() -> EventTable:
    return EventTable(Outline([name for name in DETECTIONS.names if name not in COUNTS]), Terms())
