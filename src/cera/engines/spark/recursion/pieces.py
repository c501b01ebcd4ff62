"""A recursion in Python workers: the local engine over the events with one key, or over all of them in one piece.

events that the rules query ─▶ divided by key ─▶ sorted by time ─▶ the events that the rules derive
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema

from cera.engines.spark.division.operators import Operator
from cera.engines.spark.modules.module_rows import TimerLimits
from cera.engines.spark.modules.recorded_modules import COUNTS, DETECTIONS, PLACED, tasks_for
from cera.engines.spark.plan.deriving import DERIVATION
from cera.engines.spark.plan.evaluation import Evaluation
from cera.engines.spark.plan.timers import stream_ends
from cera.engines.spark.recursion.layouts import DERIVED_COLUMNS, EVENT_COLUMNS, Layout
from cera.engines.spark.recursion.piece_rows import DIVIDED, KeyDivider, RecursionDetector
from cera.engines.spark.tables.event_tables import EventTable, Terms
from cera.engines.spark.tables.outlines import Outline
from cera.engines.spark.tables.relations import column, component
from cera.engines.spark.tables.term_columns import term_column
from cera.engines.spark.tables.unions import united
from cera.modules.module import Settings
from cera.modules.rules.module import RuleModule
from cera.rules.analysis.unification import head_label

_EVENT = ("end", "begin", "h1", "h2", "term")


@dataclass(frozen=True)
class PieceInput:
    """The events that the rules of a cycle query: incoming ones, and those of the rules below."""

    module: RuleModule
    tables: tuple[EventTable, ...]

    @property
    def labels(self) -> list[str] | None:
        """The labels of these events; None if they may have any, or timers begin with any."""
        if None in self.module.reads or self.module.starts_with_any_event:
            return None
        return sorted(label for label in self.module.reads if label is not None)

    def events(self) -> DataFrame:
        """Returns the events with their terms as JSON."""
        found = [self._written(table) for table in self._read()]
        return united(found)

    def has_divided(self, operator: Operator) -> bool:
        """Returns whether an event belongs to several buckets. Only events that are not flat are looked at."""
        odd = [table for table in self._read() if isinstance(table.content, Terms) and table.content.flat is not True]
        if not odd or any(isinstance(table.frame, Outline) for table in odd):
            return False
        rows = [self._written(table, column("fields").isNull()) for table in odd]
        placed = united(rows).mapInArrow(KeyDivider(operator), PLACED)
        return not placed.where(column("bucket") == DIVIDED).isEmpty()

    def _read(self) -> Sequence[EventTable]:
        labels = self.labels
        read = [table for table in self.tables if labels is None or table.label is None or table.label in labels]
        return read or self.tables[:1]

    def _written(self, table: EventTable, *conditions: Column) -> DataFrame:
        labels = self.labels
        frame = table.frame
        if labels is not None and table.label not in labels:
            frame = frame.where(column("label").isin(*labels))
        for condition in conditions:
            frame = frame.where(condition)
        return frame.select("end", "begin", "h1", "h2", term_column(table)["json"].alias("term"))


def in_pieces(
    given: PieceInput,
    operator: Operator | None,
    evaluation: Evaluation,
    settings: Settings,
    layouts: Mapping[str, Layout | None],
    kept: list[DataFrame] | None,
) -> dict[str, tuple[EventTable, ...]]:
    """Returns the events of each rule of a cycle; nothing is computed yet.

    Without an `operator` to divide them, all events are together. Events with a layout come in its columns. What is
    derived is persisted if it can be noted in `kept`.
    """
    module, environment = given.module, evaluation.environment
    events = given.events().select(*_EVENT)
    if operator is None:
        placed = events.select(F.lit(0).alias("share"), F.lit(0).alias("bucket"), *_EVENT)
    else:
        placed = events.mapInArrow(KeyDivider(operator), PLACED)
    tasks = tasks_for(placed.sparkSession, 1 if operator is None else operator.buckets)
    parts = placed.repartitionById(tasks, column("bucket")).sortWithinPartitions("bucket", "end", "h1", "h2")
    limits = TimerLimits(evaluation.until, evaluation.until)
    if module.starts_with_any_event and evaluation.until is None:
        ends = stream_ends(evaluation.recorded)
        limits = TimerLimits(None if ends is None else ends[1])
    rows_identity = secrets.token_hex(8) if settings.relations else ""
    detector = RecursionDetector(((module,),), settings, to_arrow_schema(DETECTIONS), limits, rows_identity)
    rows = parts.select(*PLACED.names).mapInArrow(detector, DETECTIONS)
    if kept is not None:
        rows = rows.persist(StorageLevel.MEMORY_AND_DISK)
        kept.append(rows)
    if environment.tally is not None:
        rows = environment.tally.watch_sums(rows, *map(column, COUNTS))
    rows = rows.where(column("label").isNotNull()).drop(*COUNTS)
    return {rule.name: (_table(rows, rule.name, head_label(rule.head), layouts[rule.name]),) for rule in module.rules}


def outlined_events(module: RuleModule, layouts: Mapping[str, Layout | None]) -> dict[str, tuple[EventTable, ...]]:
    """Returns the tables of what the rules of a cycle derive, without rows."""
    names = [name for name in DETECTIONS.names if name not in COUNTS]
    found: dict[str, tuple[EventTable, ...]] = {}
    for rule in module.rules:
        layout = layouts[rule.name]
        table = EventTable(Outline(names), Terms(), head_label(rule.head)) if layout is None else layout.outline()
        found[rule.name] = (table,)
    return found


def _table(rows: DataFrame, rule: str, label: str | None, layout: Layout | None) -> EventTable:
    own = rows.where(column(DERIVATION)["rule"] == rule)
    if layout is None:
        return EventTable(own, Terms(), label)
    fields = column("fields")
    children = [
        fields[name][kind].alias(component(name, kind)) for name, kinds in layout.children.items() for kind in kinds
    ]
    return layout.table(own.select(*EVENT_COLUMNS, *children, *DERIVED_COLUMNS))
