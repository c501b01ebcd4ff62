"""A recursion as rounds of DataFrames: each derives what follows from the events that the one before added.

What a round derives is a local checkpoint, so that the plan of the next one does not have this one's inside, and as
many tables are read in the last round as in the first. A round costs a few jobs of Spark, whatever little it adds;
a recursion that goes on for long is better off in one piece, where a round costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F

from cera.algebra.operators import Matching, walk
from cera.algebra.plan import references
from cera.engines.spark.plan.deriving import DERIVATION
from cera.engines.spark.plan.evaluation import Evaluation, constructions
from cera.engines.spark.plan.undefined_counts import Tally
from cera.engines.spark.recursion.layouts import EVENT_COLUMNS, Layout, layout_of
from cera.engines.spark.recursion.ranking import ranked
from cera.engines.spark.recursion.round_plan import Body, Part, PartMatching, RoundPlan
from cera.engines.spark.tables.event_tables import EventTable
from cera.engines.spark.tables.relations import column, component
from cera.model.events.answer_limits import WAYS_PER_EVENT, dense_recursion, endless_recursion, wrapping_recursion
from cera.model.terms.term import MAX_SIZE
from cera.rules.analysis.unification import query_label

#: After so many rounds a recursion starts again in one piece.
MOST_ROUNDS = 100

#: So many frames are read one by one, before they become one.
_MOST_FRAMES = 8

_ID = ["h1", "h2"]
_NUMBER = "number"


@dataclass
class RoundEvaluation(Evaluation):
    """The expressions of a round, over what is known of the events of the recursion: `old` ones and `new` ones."""

    cycle: tuple[str, ...] = ()
    old: dict[str, EventTable] = field(default_factory=dict)
    new: dict[str, EventTable] = field(default_factory=dict)

    def matched(self, matching: Matching) -> Sequence[EventTable]:
        if not isinstance(matching, PartMatching):
            return super().matched(matching)
        names = [reference.name for reference in references(matching.source)]
        inside = [name for name in names if name in self.cycle]
        outside = [*self.stream, *(table for name in names if name not in self.cycle for table in self.derived[name])]
        old = [self.old[name] for name in inside if name in self.old]
        new = [self.new[name] for name in inside if name in self.new]
        match matching.part:
            case Part.NONE:
                return outside
            case Part.NEW:
                return new
            case Part.OLD:
                return [*outside, *old]
            case Part.ALL:
                return [*outside, *old, *new]

    def may_have_rows(self, body: Body) -> bool:
        """Returns whether all queries of a body for events of the recursion have tables to look into."""
        parts = (part for each in (body.construction, *(p.expression for p in body.points)) for part in walk(each))
        queries = [part for part in parts if isinstance(part, PartMatching)]
        return all(any(t.can_have(query_label(query.pattern)) for t in self.matched(query)) for query in queries)

    def body_events(self, body: Body) -> EventTable:
        """Returns the events that a body derives."""
        for point in body.points:
            self.relations[point.name] = self.relation(point.expression)
        return self.events(body.construction)


def layouts_of(evaluation: RoundEvaluation, plan: RoundPlan) -> dict[str, Layout | None]:
    """Returns the columns of the events of each rule; None for events that columns cannot hold."""
    found: dict[str, Layout | None] = {}
    known: dict[str, Layout] = {}
    while True:
        del evaluation.physical[:]
        for rule in plan.cycle:
            found[rule] = layout_of([evaluation.body_events(body) for body in plan.whole[rule]])
        flat = {rule: layout for rule, layout in found.items() if layout is not None}
        if len(flat) < len(found):
            return dict.fromkeys(plan.cycle)
        wider = {rule: layout if rule not in known else known[rule].joined(layout) for rule, layout in flat.items()}
        if wider == known:
            return dict(known)
        known = wider
        evaluation.old = {rule: layout.empty(evaluation.environment.session) for rule, layout in known.items()}


@dataclass
class Frames:
    """Rows that come round by round."""

    parts: list[DataFrame] = field(default_factory=list)

    def add(self, frame: DataFrame) -> None:
        self.parts.append(frame)
        if len(self.parts) > _MOST_FRAMES:
            tasks = self.parts[0].sparkSession.sparkContext.defaultParallelism
            self.parts = [self.whole.coalesce(tasks).localCheckpoint()]

    @property
    def whole(self) -> DataFrame:
        return reduce(DataFrame.union, self.parts)


@dataclass
class Rounds:
    """The rounds of a recursion. Events of one label may be derived by several of its rules; each is new only once."""

    evaluation: RoundEvaluation
    plan: RoundPlan
    layouts: Mapping[str, Layout]
    limit: int
    ways: dict[str, Frames] = field(default_factory=dict)
    events: dict[str, Frames] = field(default_factory=dict)
    derived: int = 0
    derivations: int = 0
    undefined: int = 0
    begun: bool = False

    def next(self) -> bool:
        """Goes one round; returns whether it was the last, which has added nothing."""
        bodies = self.plan.later if self.begun else self.plan.first
        self.begun = True
        added: dict[str, DataFrame] = {}
        for rule in self.plan.cycle:
            active = [body for body in bodies[rule] if self.evaluation.may_have_rows(body)]
            new = self._derive(rule, active, added) if active else None
            if new is not None:
                added[rule] = new
        for rule, table in self.evaluation.new.items():
            self.events.setdefault(rule, Frames()).add(table.frame)
        self.evaluation.old = {rule: self.layouts[rule].table(each.whole) for rule, each in self.events.items()}
        self.evaluation.new = {rule: self.layouts[rule].table(frame) for rule, frame in added.items()}
        return not added

    def _derive(self, rule: str, bodies: Iterable[Body], added: Mapping[str, DataFrame]) -> DataFrame | None:
        """Derives what the bodies of a rule give, and keeps its derivations; returns the events that are new."""
        layout = self.layouts[rule]
        tally = None if self.evaluation.environment.tally is None else Tally()
        self.evaluation.environment = replace(self.evaluation.environment, tally=tally)
        parts = [layout.rows(self.evaluation.body_events(body)) for body in bodies]
        counted = Observation()
        rows = reduce(DataFrame.union, parts).dropDuplicates([*_ID, DERIVATION])
        rows = rows.observe(counted, F.count("*").alias(_NUMBER))
        kept = rows.localCheckpoint()
        if tally is not None:
            tally.fetched(rows)
            self.undefined += tally.rows
        [place, *_] = [made.head.span for made in constructions(self.plan.plan.by_name[rule].expression)]
        self.ways.setdefault(rule, Frames()).add(kept)
        self.derivations += counted.get[_NUMBER]
        most = self.limit * WAYS_PER_EVENT
        if self.derivations > most and _ending_together(part for e in self.ways.values() for part in e.parts) > most:
            raise dense_recursion(rule, place, self.limit)
        known = self._known(layout.label, added)
        new = kept.select(*EVENT_COLUMNS, *map(column, layout.names)).dropDuplicates(_ID)
        new = (new if known is None else new.join(known, _ID, "left_anti")).localCheckpoint(eager=False)
        # counting computes the new events, and so makes the checkpoint: one job instead of two
        [row] = new.agg(F.count("*").alias(_NUMBER), F.max(_size(layout)).alias("size")).collect()
        if row["size"] is not None and row["size"] > MAX_SIZE:
            raise wrapping_recursion(rule, place)
        self.derived += row[_NUMBER]
        if self.derived > self.limit and _ending_together([*self._events(), *added.values(), new]) > self.limit:
            raise endless_recursion(rule, place, self.limit)
        return new if row[_NUMBER] else None

    def _known(self, label: str, added: Mapping[str, DataFrame]) -> DataFrame | None:
        """Returns the ids of the events with a label that are known already."""
        alike = [rule for rule in self.plan.cycle if self.layouts[rule].label == label]
        frames = [part for rule in alike if rule in self.events for part in self.events[rule].parts]
        frames += [self.evaluation.new[rule].frame for rule in alike if rule in self.evaluation.new]
        frames += [added[rule] for rule in alike if rule in added]
        given = self.given([label])
        found = [frame.select(*_ID) for frame in frames] + ([] if given is None else [given])
        return reduce(DataFrame.union, found) if found else None

    def given(self, labels: Sequence[str]) -> DataFrame | None:
        """Returns the ids of the events with these labels that come from outside of the recursion."""
        tables = [*self.evaluation.stream, *(table for each in self.evaluation.derived.values() for table in each)]
        found = [t.frame.where(column("label").isin(*labels)) for t in tables if t.label is None or t.label in labels]
        return reduce(DataFrame.union, [frame.select(*_ID) for frame in found]) if found else None

    def _events(self) -> Iterator[DataFrame]:
        """Yields the events that are known from the rounds before."""
        yield from (part for each in self.events.values() for part in each.parts)
        yield from (table.frame for table in self.evaluation.new.values())

    def tables(self, *, spanning: bool) -> dict[str, tuple[EventTable, ...]]:
        """Returns the events of each rule with all their derivations."""
        given = self.given(sorted({layout.label for layout in self.layouts.values()})) if spanning else None
        frames = ranked([self._ways(rule) for rule in self.plan.cycle], given, spanning=spanning)
        return {rule: (self.layouts[rule].table(frame),) for rule, frame in zip(self.plan.cycle, frames, strict=True)}

    def _ways(self, rule: str) -> DataFrame:
        """Returns the derivations of a rule, which may never have had any."""
        if rule in self.ways:
            return self.ways[rule].whole
        [body, *_] = self.plan.first[rule]
        return self.layouts[rule].rows(self.evaluation.body_events(body)).where(F.lit(False))


def _ending_together(frames: Iterable[DataFrame]) -> int:
    """Returns how many rows end at the time at which most of them do."""
    ends = reduce(DataFrame.union, [frame.select("end") for frame in frames])
    [row] = ends.groupBy("end").count().agg(F.max("count")).collect()
    return int(row[0] or 0)


def _size(layout: Layout) -> Column:
    """Returns the size of an event's term, in which 16 characters count as one node."""
    texts = [column(component(name, "string")) for name, kinds in layout.children.items() if "string" in kinds]
    return F.lit(1 + 2 * len(layout.children)) + sum(
        (F.coalesce(F.floor(F.length(text) / 16), F.lit(0)) for text in texts), F.lit(0)
    )


def persisted(evaluation: RoundEvaluation, labels: Sequence[str] | None) -> list[DataFrame]:
    """Has Spark keep what all rounds read from outside of the recursion; returns what is kept, for its release.

    `labels` are those of the events that the rules query, None if these may have any.
    """
    kept: list[DataFrame] = []

    def keep(frame: DataFrame) -> DataFrame:
        kept.append(frame.persist(StorageLevel.MEMORY_AND_DISK))
        return kept[-1]

    def queried(table: EventTable) -> EventTable:
        if labels is None or table.label is not None:
            return replace(table, frame=keep(table.frame))
        return replace(table, frame=keep(table.frame.where(column("label").isin(*labels))))

    def wanted(table: EventTable) -> bool:
        return labels is None or table.label is None or table.label in labels

    own = [point for point in evaluation.plan.points if _is_round_point(point.name, evaluation)]
    used = {reference.name for point in own for reference in references(point.expression)}
    evaluation.stream = tuple(queried(table) for table in evaluation.stream if wanted(table))
    evaluation.derived = {
        name: tuple(queried(table) for table in tables if wanted(table))
        for name, tables in evaluation.derived.items()
        if name in used
    }
    evaluation.relations = {
        name: replace(relation, frame=keep(relation.frame)) if name in used else relation
        for name, relation in evaluation.relations.items()
    }
    return kept


def _is_round_point(name: str, evaluation: RoundEvaluation) -> bool:
    """Returns whether a point belongs to the recursion, and not to what is below it."""
    return name not in evaluation.derived and name not in evaluation.relations
