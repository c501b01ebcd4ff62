"""Matches of a pattern in one table, as columns of that table, without a DataFrame of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import Column

from cera.algebra.operators import (
    Expression,
    Join,
    Matching,
    Projection,
    Reference,
    RelativeTimers,
    Renaming,
    Selection,
)
from cera.algebra.plan import Plan
from cera.engines.spark.plan.patterns import single_way
from cera.engines.spark.plan.scopes import Environment, RowScope
from cera.engines.spark.tables.event_tables import EventTable
from cera.engines.spark.tables.relations import Timer, column
from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.expressions import compile_filter
from cera.model.matching.patterns import bound_variables
from cera.rules.analysis.unification import query_label


@dataclass(frozen=True)
class Sources:
    """The plan, and the tables in which a Matching searches: what finding sides needs."""

    plan: Plan
    environment: Environment
    tables: Callable[[Matching], Sequence[EventTable]]


@dataclass(frozen=True)
class Side:
    """The events of a table that one pattern matches, each in one way: where `holds`, with these values of variables.

    `certain` variables have a value in every match. `selected`: there are conditions besides the pattern. `label`: that
    of all matched events, if they all have the same.
    """

    table: EventTable
    identifier: str
    holds: Column
    cells: Mapping[str, Cell]
    certain: frozenset[str]
    selected: bool = False
    label: str | None = None

    def cell(self, variable: str) -> Cell:
        return self.cells.get(variable, Cell())

    def interval(self, identifier: str) -> tuple[Column, Column]:
        return column("begin"), column("end")

    def projected(self, variables: frozenset[str]) -> Side:
        cells = {name: cell for name, cell in self.cells.items() if name in variables}
        return replace(self, cells=cells, certain=self.certain & variables)

    def renamed(self, names: Names) -> Side:
        variables = names.variables
        return replace(
            self,
            identifier=names.identifiers.get(self.identifier, self.identifier),
            cells={variables.get(name, name): cell for name, cell in self.cells.items()},
            certain=frozenset(variables.get(name, name) for name in self.certain),
        )


@dataclass(frozen=True)
class Names:
    """New names of identifiers and variables by their old ones."""

    identifiers: Mapping[str, str]
    variables: Mapping[str, str]

    def after(self, renaming: Renaming) -> Names:
        """Returns these names for the output of a renaming as names for its input."""
        return Names(
            {**self.identifiers, **{old: self.identifiers.get(new, new) for new, old in renaming.identifiers}},
            {**self.variables, **{old: self.variables.get(new, new) for new, old in renaming.variables}},
        )


def unwrapped(expression: Expression, plan: Plan) -> tuple[Expression, Names]:
    """Returns the expression behind references and renamings, with the names that its attributes have outside."""
    names = Names({}, {})
    while isinstance(expression, Reference | Renaming):
        if isinstance(expression, Reference):
            expression = plan.by_name[expression.name].expression
        else:
            names = names.after(expression)
            expression = expression.input
    return expression, names


def side_of(expression: Expression, sources: Sources) -> Side | None:
    """Returns the matches of a relation, if it is one pattern that matches in one table, natively and in one way."""
    matching, names = unwrapped(expression, sources.plan)
    if isinstance(matching, Selection):
        side = side_of(matching.input, sources)
        chosen = None if side is None else _selected(side, matching, sources.environment)
        return None if chosen is None else chosen.renamed(names)
    if isinstance(matching, Projection):
        side = side_of(matching.input, sources)
        return None if side is None else side.projected(matching.schema.data).renamed(names)
    if not isinstance(matching, Matching):
        return None
    possible = [table for table in sources.tables(matching) if table.can_have(query_label(matching.pattern))]
    if len(possible) != 1:
        return None
    way = single_way(possible[0], matching.pattern)
    if way is None:
        return None
    certain = bound_variables(matching.pattern)
    label = query_label(matching.pattern)
    return Side(possible[0], matching.identifier, way.holds, way.bindings, certain, label=label).renamed(names)


def _selected(side: Side, selection: Selection, environment: Environment) -> Side | None:
    """Returns only the matches that fulfil a condition; None if that needs Python."""
    probe = replace(environment, fallbacks={})
    holds = side.holds & compile_filter(selection.condition, RowScope(side, probe))
    return None if probe.fallbacks else replace(side, holds=holds, selected=True)


@dataclass(frozen=True)
class AnchorSide:
    """An event with one timer, and the timer's name."""

    side: Side
    window: str
    timer: Timer

    def projected(self, variables: frozenset[str]) -> AnchorSide:
        return replace(self, side=self.side.projected(variables))

    def renamed(self, names: Names) -> AnchorSide:
        side = self.side.renamed(names)
        timer = replace(self.timer, anchor=side.identifier)
        return AnchorSide(side, names.identifiers.get(self.window, self.window), timer)


def anchor_side(left: Expression, sources: Sources) -> AnchorSide | None:
    """Returns the event and its timer, if a relation consists of just these; else None."""
    join, names = unwrapped(left, sources.plan)
    if isinstance(join, Projection):
        found = anchor_side(join.input, sources)
        return None if found is None else found.projected(join.schema.data).renamed(names)
    if not isinstance(join, Join) or not isinstance(join.right, RelativeTimers):
        return None
    side, timer = side_of(join.left, sources), join.right
    if side is None or timer.anchor != side.identifier:
        return None
    return AnchorSide(side, timer.identifier, Timer(timer.kind, timer.duration, timer.anchor)).renamed(names)
