"""The Spark engine over recorded events: a program as DataFrames, and its answers as a DataFrame or as events.

The layers of a program of several languages are DataFrames one over the other: each is over the events that came in and
the tables of what the layers below it derive.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pyspark.sql import Column, DataFrame, SparkSession

from cera.algebra.operators import Construction
from cera.engines.local.engine import plan_of
from cera.engines.spark.derived_states import derives_states, shown
from cera.engines.spark.lineage import NAMES, Lineage
from cera.engines.spark.modules.recorded_modules import LayerDetections, detections_in, separated
from cera.engines.spark.plan.batch import Batch
from cera.engines.spark.plan.deriving import CAUSES, DERIVATION, LINEAGE, SENT, first_derivation, nothing_derived
from cera.engines.spark.plan.evaluation import constructions
from cera.engines.spark.plan.scopes import Environment
from cera.engines.spark.plan.states import with_states
from cera.engines.spark.plan.undefined_counts import Tally
from cera.engines.spark.reading.relation_tables import relation_tables
from cera.engines.spark.recursion.recursion import Recursion
from cera.engines.spark.session.failures import engine_failure
from cera.engines.spark.session.session import session
from cera.engines.spark.tables.event_rows import event_table, event_tables
from cera.engines.spark.tables.event_tables import EventTable
from cera.engines.spark.tables.relations import column
from cera.engines.spark.tables.term_columns import written_term
from cera.engines.spark.tables.unions import united
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.hashing import hex_id
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.events.answer_limits import RECURSION_LIMIT
from cera.model.events.event import STATES, Event, in_output_order
from cera.model.events.relation_rows import NO_RELATIONS, RelationRows
from cera.model.events.states import ENDING, OPENING, is_internal, state_label, with_endings
from cera.model.time.interval import Time
from cera.modules.answers.answer import Answer
from cera.modules.layering import Layer, Layers
from cera.modules.module import Settings
from cera.modules.rules.module import rules_of
from cera.rules.analysis.unification import head_label

#: Up to so many events of this process are a small recording: about as many as a megabyte has, which a small file has.
_FEW_EVENTS = 10_000


@dataclass(frozen=True)
class Answers:
    """The events that a program derives, as DataFrames: those of its rules, layer by layer, and of its modules."""

    batches: tuple[Batch, ...]
    detected: tuple[LayerDetections, ...] = ()
    #: How rules that depend on each other run, by their names.
    recursion: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    #: The frames of recursions that Spark keeps.
    kept: Sequence[DataFrame] = ()
    #: Recursions that workers run when the answers are computed, for the progress.
    waiting: Sequence[str] = ()
    derives_states: bool = False
    #: An empty table, for a program that can derive nothing: none of its rules is left.
    nothing: EventTable | None = None

    @property
    def batch(self) -> Batch:
        """The batch of a program that has only rules."""
        [only] = self.batches
        return only

    @property
    def spark(self) -> SparkSession:
        return (*self._tables, *self._states)[0].frame.sparkSession

    @property
    def ticks(self) -> list[Event]:
        """The events of absolute timers."""
        return [event for batch in self.batches for event in batch.environment.ticks.values()]

    def derivations(self) -> DataFrame:
        """Returns a row per derivation: id, begin, end, label, term (JSON), derivation, recipient, transport, names.

        `names` are the names of the causes, in their order.
        """
        named = F.map_keys(column(CAUSES)).alias(NAMES)
        return united([_rows(table, _id(), named) for table in (*self._tables, *self._states)])

    def events(self, *, changes: bool = False) -> DataFrame:
        """Returns each derived event once, with the first of its derivations: rule and causes.

        States come after them, once each, or with `changes` their openings and their endings.
        """
        labels = Counter(table.label for table in self._tables)
        frames: list[DataFrame] = []
        several: list[DataFrame] = []
        for table in self._tables:
            if table.once and labels[table.label] == 1 and not labels[None]:
                frames.append(as_derived_events(_rows(table, "h1", "h2", CAUSES)))
            else:
                several.append(_rows(table, "h1", "h2", CAUSES))
        if several:
            frames.append(_first_of(several, "h1", "h2"))
        if self._states:
            states = [_rows(table, "h1", "h2", CAUSES) for table in self._states]
            frames.append(shown(_first_of(states, "h1", "h2", "label", "end"), changes=changes))
        return united(frames)

    def constructed(self) -> Iterator[tuple[Construction, EventTable]]:
        """Yields each construction of the plan with the table of the events that it derives."""
        for batch in self.batches:
            yield from constructed(batch)

    @cached_property
    def _tables(self) -> list[EventTable]:
        """The tables of events, but for those that only serve to compose states."""
        made = [table for construction, table in self.constructed() if not _is_internal(construction)]
        made += [table for one in self.detected for table in one.of_events()]
        return made or ([] if self.nothing is None else [self.nothing])

    @cached_property
    def _states(self) -> list[EventTable]:
        """The tables of openings and endings of states."""
        return [table for one in self.detected for table in one.of_states()]


def _is_internal(construction: Construction) -> bool:
    label = head_label(construction.head)
    return label is not None and is_internal(label)


def _first_of(rows: Sequence[DataFrame], *keys: str) -> DataFrame:
    """Returns derived events with different keys, each with the first of its derivations."""
    others = [name for name in ("begin", "end", "label", "term", *SENT) if name not in keys]
    firsts = [F.first(column(name)).alias(name) for name in others]
    together = united(rows).groupBy(*keys)
    return as_derived_events(together.agg(*firsts, *first_derivation()))


def constructed(batch: Batch) -> Iterator[tuple[Construction, EventTable]]:
    """Yields each construction of a plan with the table of the events that it derives."""
    for point in batch.plan.results:
        [first, *_] = constructions(point.expression)  # all have the head of their rule
        yield from ((first, table) for table in batch.derived[point.name])


def _rows(table: EventTable, *more: str | Column) -> DataFrame:
    """Returns the derivations of a table, with more columns."""
    term = written_term(table).alias("term")
    return table.frame.select("begin", "end", "label", term, *LINEAGE, *more)


def _id() -> Column:
    """Returns the id, of its two halves."""
    return hex_id(column("h1"), column("h2")).alias("id")


def as_derived_events(rows: DataFrame, *more: str) -> DataFrame:
    """Returns the rows as derived events: with the rule, and the ids of causes by their names."""
    rule = column(DERIVATION)["rule"].alias("rule")
    return rows.select(_id(), "begin", "end", "label", *more, "term", rule, CAUSES, *SENT)


def answers(
    layers: Layers,
    tables: tuple[EventTable, ...],
    spark: SparkSession,
    *,
    until: Time | None = None,
    timezone: str = "UTC",
    max_duration: int | None = None,
    tally: Tally | None = None,
    keep: bool = False,
    small: bool = False,
    divides: bool = True,
    tick_limit: int = TICK_LIMIT,
    recursion_limit: int = RECURSION_LIMIT,
    relations: Mapping[str, RelationRows] = NO_RELATIONS,
    tell: Callable[[str], object] = lambda activity: None,
) -> Answers:
    """Returns the DataFrames of a program over tables of events; nothing is computed yet, but for the rounds of
    recursive rules, which `tell` is called with, and for what modules detect in `small` recordings that are kept.

    Rules are DataFrames themselves; other modules run in Python workers, each history in one of them, and so do rules
    of constraints that can be divided, unless all rules shall be DataFrames (`divides` is false).

    With a `tally`, rows in which an expression has no value are counted when the answers are. With `keep`, what modules
    detect is kept by Spark (persisted), so that they run once, whatever reads or sorts it. Where there are few events
    (`small`), recursive rules run in one piece, and what follows a module is planned when that has run. Where all
    events are known to be points of time, `max_duration` need not say it. `relations` are the rows that rules look up.
    """
    if until is not None:
        tables = tuple(replace(table, frame=table.frame.where(column("end") <= until)) for table in tables)
    if max_duration is None and tables and all(table.points for table in tables):
        max_duration = 0
    if not tables:
        tables = (event_table(spark, ()),)
    lookups = relation_tables(spark, relations)
    if queries_states(layers):
        tables = with_states(tables, until)
    batches: list[Batch] = []
    recursion: dict[tuple[str, ...], str] = {}
    kept: list[DataFrame] = []
    waiting: list[str] = []
    found: list[LayerDetections] = []
    seen = tables
    for layer in layers.layers:
        derived: list[EventTable] = []
        rules, others = separated(layer.modules, divides=divides)
        for module in rules:
            environment = Environment(spark, module.program.calendars, timezone, tally=tally, tick_limit=tick_limit)
            environment = replace(environment, lookups=lookups)
            longest = max_duration if seen is tables else None  # the duration of a detected event is not known
            settings = Settings(timezone, longest, tick_limit, until, recursion_limit, relations)
            cycles = Recursion(module, settings, keep, small, tell, ways=recursion, kept=kept, waiting=waiting)
            plan = plan_of(module.program)
            batches.append(Batch(plan, environment, seen, until, longest, tables, recursion=cycles))
            derived += [table for made, table in constructed(batches[-1]) if made.recipient is None]
        if others:
            is_read = layer is not layers.layers[-1]
            is_computed = keep and small and is_read
            own = Tally() if is_computed else tally
            one = detections_in(
                others,
                seen,
                timezone=timezone,
                tally=own,
                stream=tables,
                until=until,
                tick_limit=tick_limit,
                relations=relations,
                max_duration=max_duration if seen is tables else None,
            )
            if is_computed and own is not None:
                one = one.computed(own)
                if tally is not None:
                    tally.add(own.rows, own.left_out)
            found.append(one.persisted() if keep and not is_computed else one)
            if is_read:
                derived += with_states(found[-1].by_label(read_after(layer, layers)), until)
        seen = (*seen, *derived)
    derives = any(batch.plan.results for batch in batches) or found
    nothing = None if derives else nothing_derived(event_table(spark, ()))
    return Answers(tuple(batches), tuple(found), recursion, kept, waiting, derives_states(layers), nothing)


def read_after(layer: Layer, layers: Layers) -> frozenset[str | None]:
    """Returns the labels that the layers after one read; of a state both, since its opening knows how long it holds."""
    after = layers.layers[layers.layers.index(layer) + 1 :]
    read = {label for each in after for module in each.modules for label in module.reads}
    states = {state for label in read if label is not None and (state := state_label(label)) is not None}
    return frozenset(read | {prefix + state for state in states for prefix in (OPENING, ENDING)})


def queries_states(layers: Layers) -> bool:
    """Returns whether some module reads states."""
    return any(label is not None and label.startswith(STATES) for module in layers.modules for label in module.reads)


def run(layers: Layers, events: Iterable[Event], settings: Settings) -> Answer:
    """Returns the answers over events of this process, as events with all their derivations."""
    base = with_endings(events)
    with engine_failure():
        return _run(layers, base, settings)


def _run(layers: Layers, base: Sequence[Event], settings: Settings) -> Answer:
    spark = session()
    tables = event_tables(spark, base)
    tally = Tally()
    small = len(base) <= _FEW_EVENTS
    found = answers(
        layers,
        tables,
        spark,
        until=settings.until,
        timezone=settings.timezone,
        max_duration=settings.max_duration,
        tally=tally,
        keep=True,
        small=small,
        tick_limit=settings.ticks,
        recursion_limit=settings.recursion_limit,
        relations=settings.relations,
    )
    derivations = found.derivations()
    if small:  # else as many tasks as there are rules, of which each reads the plans of them all
        derivations = derivations.coalesce(1)
    rows = derivations.collect()
    tally.fetched(derivations)
    for frame in (*(one.table.frame for one in found.detected), *found.kept):
        frame.unpersist()
    clocks = [clock for module in layers.modules for clock in module.clocks]
    lineage = Lineage(rules_of(layers), [*base, *found.ticks], clocks)
    return Answer(tuple(in_output_order(lineage.derived(rows))), tally.rows, tally.left_out)
