"""From plans of the algebra to physical plans of Spark: which join, which window slides, what runs in Python.

Decided from the plan, from how far apart in time the sides of a join can be, and from the columns of tables. Which
columns a node has is found as they are made, by the emission, over outlines in the place of tables. Of rows nothing is
known here, but that the left side of an absence is small may be seen of its table (`absence.are_few`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import assert_never

from cera.algebra.certain_variables import certain_variables
from cera.algebra.operators import (
    AbsoluteTimers,
    AntiSemiJoin,
    BoundedWindows,
    Construction,
    Expression,
    Gathering,
    Join,
    Matching,
    Merging,
    PeriodicWindows,
    Projection,
    Reference,
    RelativeTimers,
    Renaming,
    Selection,
    Stream,
    TemporalJoin,
    Union,
)
from cera.algebra.operators import Relation as RelationOperator
from cera.algebra.plan import Plan
from cera.algebra.relevance import Relevance
from cera.engines.spark.plan.absence import are_few
from cera.engines.spark.plan.deriving import why_in_python, why_not_sliding
from cera.engines.spark.plan.emission import Emission
from cera.engines.spark.plan.head_values import replace_aggregates
from cera.engines.spark.plan.joins import Buckets, JoinWay
from cera.engines.spark.plan.moving import moves
from cera.engines.spark.plan.patterns import TableMatch, lower_match
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
)
from cera.engines.spark.plan.scopes import Environment
from cera.engines.spark.plan.sides import AnchorSide, Side, Sources, anchor_side, side_of
from cera.engines.spark.plan.sliding import NO_WINDOW, sliding_window
from cera.engines.spark.tables.event_rows import EVENTS
from cera.engines.spark.tables.event_tables import EventTable, Terms
from cera.engines.spark.tables.outlines import Outline, outlined
from cera.engines.spark.tables.relations import Relation, attribute
from cera.engines.spark.values.python_functions import planning
from cera.model.expressions.constructs import has_grouping
from cera.model.expressions.expression import Different
from cera.model.matching.patterns import Pattern


@dataclass(frozen=True)
class Lowered:
    """A node, and the columns of its rows."""

    node: Node
    rows: Relation


@dataclass(frozen=True)
class Lowering:
    """What is known of a plan when a part of it is lowered. `matched` are the tables in which a pattern is matched."""

    plan: Plan
    relevance: Relevance
    environment: Environment
    matched: Callable[[Matching], Sequence[EventTable]]
    relations: Mapping[str, Relation]

    def events(self, construction: Construction) -> Root:
        """Decides how the events of a rule are derived."""
        with planning():
            certain = certain_variables(construction.input, self.plan)
            outside = self._outline.environment
            slides = sliding_window(construction, self._sources)
            if not isinstance(slides, str):
                reason = why_not_sliding(construction, slides, outside)
                if reason is None:
                    return Slide(construction, certain, slides, moves(slides, replace_aggregates(construction.head)[1]))
                slides = reason
            below = self._lowered(construction.input)
            grouped = has_grouping(construction.head)
            joined = slides if grouped and slides != NO_WINDOW else None
            in_python = why_in_python(construction.head, below.rows, outside)
            return Derive(construction, certain, below.node, grouped, in_python, joined)

    def relation(self, expression: Expression) -> Node:
        """Decides how the rows of an expression are made."""
        with planning():
            return self._lowered(expression).node

    @cached_property
    def _outline(self) -> Emission:
        environment = replace(self.environment, session=None, tally=None, fallbacks={})
        return Emission(environment, self.relations, lambda timer: NO_TICKS)

    @cached_property
    def _sources(self) -> Sources:
        return Sources(self.plan, self.environment, self.matched)

    def _made(self, node: Node, *below: Lowered) -> Lowered:
        return Lowered(node, self._outline.step(_without_rows(node), [each.rows for each in below]))

    def _lowered(self, expression: Expression) -> Lowered:
        match expression:
            case Matching():
                return self._made(self._match(expression.identifier, expression.pattern, self.matched(expression)))
            case AbsoluteTimers():
                return self._made(Ticks(expression, lower_match(NO_TICKS, expression.timer.pattern)))
            case Reference():
                relation = self.relations[expression.name]
                return Lowered(Shared(expression.name), replace(relation, frame=Outline(relation.columns)))
            case Join(right=RelativeTimers() as timer):
                below = self._lowered(expression.left)
                return self._made(Timed(timer, below.node), below)
            case Join(right=PeriodicWindows() as windows):
                below = self._lowered(expression.left)
                return self._made(ClockWindowed(windows, below.node), below)
            case Join(right=BoundedWindows() as windows):
                below = self._lowered(expression.left)
                return self._made(BoundedWindowed(windows, below.node), below)
            case Join(right=RelationOperator() as rows):
                return self._lookup(expression, rows)
            case Join():
                return self._pairs(expression)
            case Selection():
                below = self._lowered(expression.input)
                is_counted = self.environment.tally is not None and not isinstance(expression.condition, Different)
                certain = certain_variables(expression.input, self.plan) if is_counted else None
                return self._made(Filter(expression, below.node, certain), below)
            case Projection():
                below = self._lowered(expression.input)
                return self._made(Project(expression, below.node), below)
            case TemporalJoin():
                left, right = self._lowered(expression.left), self._lowered(expression.right)
                way = _way(left, right, self._window_buckets(expression))
                return self._made(Inside(expression, way, left.node, right.node), left, right)
            case AntiSemiJoin():
                return self._absence(expression)
            case Gathering():
                below = self._lowered(expression.input)
                return self._made(Gather(expression, below.node), below)
            case Merging():
                return self._lowered(expression.input)
            case Renaming():
                below = self._lowered(expression.input)
                return self._made(Rename(expression, below.node), below)
            case Union():
                parts = [self._lowered(part) for part in expression.inputs]
                return self._made(Unite(tuple(part.node for part in parts)), *parts)
            case Stream() | Construction() | RelationOperator():
                raise AssertionError(f"{type(expression).__name__} is no relation with rows of its own")
            case RelativeTimers() | PeriodicWindows() | BoundedWindows():
                raise AssertionError(f"{type(expression).__name__} is no relation with rows of its own")
            case _:
                assert_never(expression)

    def _match(self, identifier: str, pattern: Pattern, tables: Sequence[EventTable]) -> Match:
        found = (lower_match(table, pattern) for table in tables)
        return Match(identifier, tuple(each for each in found if each is not None))

    def _lookup(self, join: Join, rows: RelationOperator) -> Lowered:
        left = self._lowered(join.left)
        match = self._match(rows.identifier, rows.pattern, self.environment.lookups.get(rows.name, ()))
        right = self._made(match)
        return self._made(Lookup(join, rows, _way(left, right, None), left.node, match), left, right)

    def _pairs(self, join: Join) -> Lowered:
        left, right = self._lowered(join.left), self._lowered(join.right)
        span = self.relevance.join_span(join)
        buckets = None
        if span is not None:
            buckets = Buckets(attribute(span.left, "end"), attribute(span.right, "end"), span.before, span.after)
        return self._made(Pairs(join, _way(left, right, buckets), left.node, right.node), left, right)

    def _window_buckets(self, operator: TemporalJoin | AntiSemiJoin) -> Buckets | None:
        length = self.relevance.window_length(operator)
        if length is None or operator.containment in ("holding", "sharing", "common"):
            return None  # a state may have begun long before
        return Buckets(attribute(operator.window, "end"), attribute(operator.element, "end"), before=length, after=0)

    def _absence(self, operator: AntiSemiJoin) -> Lowered:
        left, buckets = self._lowered(operator.left), self._window_buckets(operator)
        few = None if buckets is None else self._few(operator)
        if few is not None:
            anchors, side = few
            shared = tuple(name for name in left.rows.variables if name in side.cells)
            way = JoinWay(shared, buckets)
            return Lowered(AbsenceOfFew(operator, way, anchors.side.identifier, left.node, side), left.rows)
        right = self._lowered(operator.right)
        way = _way(left, right, buckets)
        return self._made(Absence(operator, way, left.node, right.node), left, right)

    def _few(self, operator: AntiSemiJoin) -> tuple[AnchorSide, Side] | None:
        """Returns both sides of an absence, if the left one is small and can be sent to the right one."""
        if operator.containment != "inside" or operator.condition:
            return None
        right, anchors = side_of(operator.right, self._sources), anchor_side(operator.left, self._sources)
        if right is None or anchors is None or (right.selected and self.environment.tally is not None):
            return None
        return (anchors, right) if right.table.identity is not None and are_few(anchors.side) else None


#: The occurrences of a timer, as far as they are known here.
NO_TICKS = EventTable(Outline(EVENTS.names), Terms())


def _way(left: Lowered, right: Lowered, buckets: Buckets | None) -> JoinWay:
    return JoinWay(tuple(name for name in left.rows.variables if name in right.rows.variables), buckets)


def _without_rows(node: Node) -> Node:
    """Returns a node over outlines of its tables, which counts nothing."""
    match node:
        case Match():
            return replace(node, tables=tuple(map(_outlined, node.tables)))
        case Filter():
            return replace(node, certain=None)
        case _:
            return node


def _outlined(match: TableMatch) -> TableMatch:
    return replace(match, table=outlined(match.table))
