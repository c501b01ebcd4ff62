"""Physical plans as DataFrames: a line or two for a node.

Everything is a native column expression except the parts in `fallbacks`: patterns that columns cannot state, heads with
`all`, and a few functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from pyspark.sql import Column

from cera.algebra.operators import AntiSemiJoin, TemporalJoin
from cera.engines.spark.plan import joins
from cera.engines.spark.plan.absence import without_any
from cera.engines.spark.plan.deriving import derive, derive_sliding
from cera.engines.spark.plan.joins import Pair
from cera.engines.spark.plan.patterns import TableMatch, match_table
from cera.engines.spark.plan.physical import (
    Absence,
    AbsenceOfFew,
    BoundedWindowed,
    ClockWindowed,
    Derive,
    Filter,
    Gather,
    Inside,
    Lookup,
    Match,
    Node,
    Pairs,
    Project,
    Rename,
    Root,
    Shared,
    Slide,
    Ticks,
    Timed,
    Unite,
    inputs,
)
from cera.engines.spark.plan.scopes import Environment, RowScope
from cera.engines.spark.plan.states import with_ends_of_states
from cera.engines.spark.plan.timers import bounded, timed, windowed
from cera.engines.spark.plan.undefined_counts import counted
from cera.engines.spark.tables.event_tables import EventTable
from cera.engines.spark.tables.outlines import Outline
from cera.engines.spark.tables.relations import EVENT, Relation, Timer, attribute, column, component, union
from cera.engines.spark.values.cells import TYPES
from cera.engines.spark.values.expressions import compile_condition, compile_filter
from cera.model.events.states import OPENING
from cera.model.expressions.expression import Different, TimerQuery


@dataclass(frozen=True)
class Emission:
    """The rows of materialization points that are known, and the occurrences of timers."""

    environment: Environment
    relations: Mapping[str, Relation]
    ticks: Callable[[TimerQuery], EventTable]

    def events(self, root: Root) -> EventTable:
        """Returns the events that a rule derives."""
        match root:
            case Derive():
                rows = self.relation(root.input)
                return derive(root.construction, rows, self.environment, root.certain, root.in_python)
            case Slide():
                return derive_sliding(root.construction, root.window, self.environment, root.certain, moved=root.moved)
            case _:
                assert_never(root)

    def relation(self, node: Node) -> Relation:
        return self.step(node, [self.relation(each) for each in inputs(node)])

    def step(self, node: Node, rows: Sequence[Relation]) -> Relation:
        """Returns the rows of a node from those of its inputs."""
        match node:
            case Match():
                return self._matches(node.identifier, node.tables)
            case Ticks(operator=timers):
                own = [] if node.match is None else [replace(node.match, table=self.ticks(timers.timer))]
                return self._matches(timers.identifier, own)
            case Shared():
                return self.relations[node.point]
            case Timed(operator=timer):
                return timed(rows[0], timer.identifier, Timer(timer.kind, timer.duration, timer.anchor))
            case ClockWindowed(operator=windows):
                return windowed(rows[0], windows.identifier, windows.period, windows.over)
            case BoundedWindowed(operator=windows):
                return bounded(rows[0], windows.identifier, windows.bounds)
            case Lookup(relation=relation):
                return joins.lookup_join(rows[0], rows[1], node.way, relation.identifier, relation.at)
            case Pairs():
                return joins.natural_join(rows[0], rows[1], node.way)
            case Filter():
                return self._selected(node, rows[0])
            case Project(operator=projection):
                return rows[0].projected(projection.attributes)
            case Gather(operator=gathering):
                return rows[0].gathered(gathering.pairs, gathering.dropped)
            case Rename(operator=renaming):
                identifiers = {old: new for new, old in renaming.identifiers}
                return rows[0].renamed(identifiers, {old: new for new, old in renaming.variables})
            case Unite():
                return union(rows)
            case Inside(operator=join):
                inside = joins.inside(join.window, join.element, self._conditions(join), join.containment)
                return joins.temporal_join(rows[0], rows[1], node.way, join.element, inside)
            case Absence(operator=join):
                inside = joins.inside(join.window, join.element, self._conditions(join), join.containment)
                return joins.anti_join(rows[0], rows[1], node.way, inside)
            case AbsenceOfFew(way=way):
                assert way.buckets is not None
                return without_any(rows[0], node.anchor, node.right, node.operator, way.buckets)
            case _:
                assert_never(node)

    def _matches(self, identifier: str, tables: Sequence[TableMatch]) -> Relation:
        found: list[Relation] = []
        for each in tables:
            frame = match_table(each, identifier, self.environment.fallback)
            if each.table.prefix == OPENING:
                frame = with_ends_of_states(frame, identifier, each.table)
            found.append(Relation(frame, _components(frame.columns), (identifier,)))
        return union(found) if found else self._nothing(identifier)

    def _nothing(self, identifier: str) -> Relation:
        names = [attribute(identifier, part) for part in EVENT]
        session = self.environment.session
        types = ", ".join(f"`{name}` bigint" for name in names)
        return Relation(Outline(names) if session is None else session.createDataFrame([], types), {}, (identifier,))

    def _selected(self, node: Filter, rows: Relation) -> Relation:
        condition = node.operator.condition
        if isinstance(condition, Different):
            return rows.where(rows.differ(condition.left.identifier, condition.right.identifier))
        if node.certain is not None:
            rows = counted(rows, condition, node.certain, self.environment)
        return rows.where(compile_filter(condition, RowScope(rows, self.environment)))

    def _conditions(self, operator: TemporalJoin | AntiSemiJoin) -> Callable[[Pair], list[Column]]:
        def conditions(pair: Pair) -> list[Column]:
            scope = RowScope(pair, self.environment)
            found = [compile_condition(condition, scope) for condition in operator.condition]
            for name in sorted(operator.excluded):
                halves = [(column(attribute(name, h)), pair.right_event(operator.element, h)) for h in ("h1", "h2")]
                found.append((halves[0][0] != halves[0][1]) | (halves[1][0] != halves[1][1]))
            return found

        return conditions


def _components(columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Returns the components of the variables among the columns of a matching."""
    found: dict[str, tuple[str, ...]] = {}
    for name in columns:
        variable, colon, kind = name.rpartition(":")
        if colon and kind in TYPES and component(variable, kind) == name:
            found[variable] = (*found.get(variable, ()), kind)
    return {name: tuple(kind for kind in TYPES if kind in kinds) for name, kinds in found.items()}
