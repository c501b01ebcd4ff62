"""Modules over recorded events: Python workers go through sorted histories, stage by stage.

    events that modules monitor ─▶ divided by histories and bucket ─▶ sorted by time ─▶ detections

All modules of a layer share one such pass.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    ArrayType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

from cera.engines.spark.division.buckets import group_modules
from cera.engines.spark.division.divided_rules import DividedRules, divided
from cera.engines.spark.division.operators import BUCKETS
from cera.engines.spark.modules.module_rows import (
    NOTHING,
    EventDivider,
    HistoryDetector,
    Shares,
    TimerLimits,
)
from cera.engines.spark.plan.deriving import CAUSES, DERIVATION, SENT
from cera.engines.spark.plan.timers import stream_begins, stream_ends
from cera.engines.spark.plan.undefined_counts import Tally
from cera.engines.spark.tables.event_rows import EVENTS
from cera.engines.spark.tables.event_tables import EventTable, Terms
from cera.engines.spark.tables.relations import column
from cera.engines.spark.tables.term_columns import term_column
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.events.event import STATES
from cera.model.events.relation_rows import NO_RELATIONS, ReadRows, RelationRows
from cera.model.events.states import is_internal, state_label
from cera.model.time.interval import Time
from cera.modules.module import Module, Settings, known
from cera.modules.rules.module import RuleModule

_CAUSE = StructType(
    [
        StructField("name", StringType()),
        StructField("end", LongType()),
        StructField("begin", LongType()),
        StructField("id", StringType()),
    ]
)
COUNTS = ("undefined", "left out")

#: The rows of detections: one for each derivation of an event, and rows without an event that only count.
DETECTIONS = StructType(
    [
        *EVENTS.fields,
        StructField(
            DERIVATION,
            StructType(
                [
                    StructField("rank", IntegerType()),
                    StructField("rule", StringType()),
                    StructField("causes", ArrayType(_CAUSE)),
                ]
            ),
        ),
        StructField(CAUSES, MapType(StringType(), StringType())),
        *(StructField(name, StringType()) for name in SENT),
        *(StructField(name, LongType()) for name in COUNTS),
    ]
)

#: Enough that a slow task does not hold up the others.
_TASKS_PER_CORE = 2

_SHARE, _BUCKET = "share", "bucket"
PLACED = StructType(
    [
        StructField(_SHARE, IntegerType()),
        StructField(_BUCKET, IntegerType()),
        StructField("end", LongType()),
        StructField("begin", LongType()),
        StructField("h1", LongType()),
        StructField("h2", LongType()),
        StructField("term", StringType()),
    ]
)


@dataclass(frozen=True)
class LayerDetections:
    """The detections of the modules of a layer, as a table with the columns of derived events."""

    modules: tuple[Module, ...]
    table: EventTable

    def by_label(self, read: Collection[str | None]) -> tuple[EventTable, ...]:
        """Returns a table for each label that is read, so that a layer above reads only the labels that it queries, and
        one for all states, whose openings and endings belong together."""
        labels = [label for label in self._labels if label in read or None in read]
        states = [label for label in labels if state_label(label) is not None]
        frames = [(label, self._with(label)) for label in labels if label not in states]
        tables = [replace(self.table, frame=frame, label=label) for label, frame in frames]
        return (*tables, *([replace(self.table, frame=self._with(*states), prefix=STATES)] if states else ()))

    def _with(self, *labels: str) -> DataFrame:
        return self.table.frame.where(column("label").isin(*labels))

    def of_events(self) -> Iterator[EventTable]:
        """Yields the table without openings and endings of states, and without what no output shows; none if there is
        nothing else."""
        hidden = [*self._state_labels, *(label for label in self._labels if is_internal(label))]
        if not hidden:
            yield self.table
        elif len(hidden) < len(self._labels):
            yield replace(self.table, frame=self.table.frame.where(~column("label").isin(*hidden)))

    def of_states(self) -> Iterator[EventTable]:
        """Yields the table of openings and endings of states; none if there are none."""
        if self._state_labels:
            yield replace(self.table, frame=self._with(*self._state_labels))

    @property
    def descriptions(self) -> list[str]:
        """What runs in Python, for an explanation."""
        return [each.description if isinstance(each, DividedRules) else f"module {each.name}" for each in self.modules]

    @property
    def _labels(self) -> list[str]:
        return known(label for module in self.modules for label in module.derives)

    @property
    def _state_labels(self) -> list[str]:
        return [label for label in self._labels if state_label(label) is not None]

    def computed(self, own: Tally) -> LayerDetections:
        """Returns the same, computed now, so that what is planned after it does not have its plan inside. `own` counts
        what its rows have, which no later query does."""
        frame = self.table.frame
        rows = frame.sparkSession.createDataFrame(frame.toArrow(), frame.schema)
        own.fetched(frame)
        return replace(self, table=replace(self.table, frame=rows))

    def persisted(self) -> LayerDetections:
        """Returns the same, persisted by Spark when it is first computed."""
        return replace(self, table=replace(self.table, frame=self.table.frame.persist(StorageLevel.MEMORY_AND_DISK)))


def separated(modules: Iterable[Module], *, divides: bool) -> tuple[list[RuleModule], list[Module]]:
    """Returns the modules of a layer that are DataFrames, and those that run in workers: rules that can be divided
    are among these if it `divides`."""
    rules: list[RuleModule] = []
    others: list[Module] = []
    for module in modules:
        if not isinstance(module, RuleModule):
            others.append(module)
            continue
        parts, rest = divided(module) if divides else ([], module)
        others += parts
        rules += [rest] if rest.rules or not parts else []
    return rules, others


def detections_in(
    modules: Sequence[Module],
    tables: Sequence[EventTable],
    *,
    timezone: str,
    tally: Tally | None = None,
    buckets: int = BUCKETS,
    stream: tuple[EventTable, ...] = (),
    until: Time | None = None,
    tick_limit: int = TICK_LIMIT,
    relations: Mapping[str, RelationRows] = NO_RELATIONS,
    max_duration: int | None = None,
) -> LayerDetections:
    """Returns the detections of modules in tables of events; nothing is computed yet.

    Where there are timers, the end of `stream` is computed first: they tick as long as it lasts, or until a time. So is
    its begin for modules that depend on it. No event is longer than `max_duration`, if that is given.
    """
    found = tuple(modules)
    limits = TimerLimits(until, until)
    ends_count = any(module.clocks or module.depends_on_extent for module in found)
    if ends_count and until is None and (ends := stream_ends(stream)) is not None:
        limits = replace(limits, end=ends[1])
    begin_counts = any(module.depends_on_extent and module.starts_with_any_event for module in found)
    begins = stream_begins(stream, until) if begin_counts else ()
    labels = known(label for module in found for label in module.reads)
    read = [table for table in tables if table.label is None or table.label in labels] or tables[:1]
    events = reduce(DataFrame.unionByName, [_written(table, labels) for table in read])
    shares = group_modules(found)
    if any(module.partition is not None for module in found):
        placed = events.select("end", "begin", "h1", "h2", "term").mapInArrow(EventDivider(shares, buckets), PLACED)
    else:
        placed = events.select(F.explode(_readers(shares)).alias(_SHARE), F.lit(0).alias(_BUCKET), *PLACED.names[2:])
    if begins:
        placed = placed.union(_first_steps(placed.sparkSession, shares, begins[0]))
    work = sum(1 if module.partition is None else buckets for module, *_ in shares)
    tasks = tasks_for(placed.sparkSession, work)
    parts = placed.repartitionById(tasks, column(_SHARE) + column(_BUCKET)).sortWithinPartitions(
        _SHARE, _BUCKET, "end", "h1", "h2"
    )
    looked_up = frozenset[str]().union(*(module.looks_up for module in found))
    read_rows = {name: ReadRows(rows.rows) for name, rows in relations.items() if name in looked_up}
    settings = Settings(timezone, max_duration, tick_limit, until, relations=read_rows, begins=begins)
    detector = HistoryDetector(shares, settings, to_arrow_schema(DETECTIONS), limits)
    rows = parts.select(*PLACED.names).mapInArrow(detector, DETECTIONS)
    if tally is not None:
        rows = tally.watch_sums(rows, *map(column, COUNTS))
    return LayerDetections(found, EventTable(rows.where(column("label").isNotNull()).drop(*COUNTS), Terms()))


def _first_steps(spark: SparkSession, shares: Shares, first: tuple[Time, Time]) -> DataFrame:
    """Returns a row for each module that starts with any event: one that it does not read, when the recording begins.
    So it is asked also where nothing happens of what it reads."""
    starting = [
        number
        for number, (module, *_) in enumerate(shares)
        if module.starts_with_any_event and module.partition is None
    ]
    return spark.createDataFrame([(number, 0, *first, 0, 0, NOTHING) for number in starting], PLACED)


def tasks_for(spark: SparkSession, work: int) -> int:
    """Returns how many tasks run over so many parts: not more than there is work for, since each has a cost."""
    most = int(spark.conf.get("spark.sql.shuffle.partitions") or 1)
    return max(1, min(work, most, _TASKS_PER_CORE * spark.sparkContext.defaultParallelism))


def _written(table: EventTable, labels: Sequence[str]) -> DataFrame:
    """Returns the events with one of the labels, with terms as JSON."""
    monitored = table.frame if table.label in labels else table.frame.where(column("label").isin(*labels))
    return monitored.select("end", "begin", "h1", "h2", "label", term_column(table)["json"].alias("term"))


def _readers(shares: Shares) -> Column:
    """Returns the numbers of the shares that monitor the label of an event."""
    labels = [known(module.reads) for module, *_ in shares]
    own = [F.when(column("label").isin(*each), F.lit(number)) for number, each in enumerate(labels)]
    return F.array_compact(F.array(*own))
