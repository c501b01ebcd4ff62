"""Rows: the tuples of CERA relations as Python tuples, and the columns of each operator.

A row has a cell for each data attribute, an occurrence for each event identifier (its times and its reference in
one), and an occurrence for each collected match.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, assert_never

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
    Relation,
    RelativeTimers,
    Renaming,
    Selection,
    Stream,
    TemporalJoin,
    Union,
)
from cera.algebra.plan import Plan
from cera.model.events.occurrence import Opening, unwrap
from cera.model.expressions.expression import until_of
from cera.model.matching import patterns
from cera.model.matching.patterns import Pattern
from cera.model.terms.term import Value
from cera.model.time.interval import Interval

Row = tuple[Any, ...]


class Column(NamedTuple):
    kind: Literal["data", "event", "match"]
    name: str


@dataclass(frozen=True)
class Layout:
    """The columns of a relation in the order of its rows."""

    columns: tuple[Column, ...]

    @cached_property
    def _index(self) -> dict[Column, int]:
        return {column: i for i, column in enumerate(self.columns)}

    def data(self, variable: str) -> int:
        return self._index[Column("data", variable)]

    def event(self, identifier: str) -> int:
        return self._index[Column("event", identifier)]

    def match(self, identifier: str) -> int:
        return self._index[Column("match", identifier)]

    def __contains__(self, column: Column) -> bool:
        return column in self._index

    @cached_property
    def variables(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns if c.kind == "data")

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns if c.kind == "event")

    @cached_property
    def matches(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns if c.kind == "match")

    def with_(self, *columns: Column) -> Layout:
        return Layout((*self.columns, *columns))

    def renamed(self, identifiers: Mapping[str, str], variables: Mapping[str, str]) -> Layout:
        """Returns the layout of the same rows under other names; the mappings lead from old to new."""
        return Layout(
            tuple(
                Column(c.kind, (variables if c.kind == "data" else identifiers).get(c.name, c.name))
                for c in self.columns
            )
        )

    def values(self, row: Row) -> dict[str, Value]:
        """Returns σ of a row: its data, without variables that `optional` left unbound."""
        return {name: unwrap(row[self.data(name)]) for name in self.variables if row[self.data(name)] is not None}

    def times(self, row: Row) -> dict[str, Interval]:
        """Returns the intervals of the events of a row, and of the states that have begun with them."""
        found: dict[str, Interval] = {}
        for name in self.identifiers:
            event = row[self.event(name)]
            if event is not None:
                found[name] = Interval(event.begin, event.end)
                if isinstance(event, Opening):
                    found[until_of(name)] = Interval(event.begin, event.until)
        return found


def pattern_layout(identifier: str, pattern: Pattern) -> Layout:
    """Returns the columns of Q[i: q]: its variables by name, then the event."""
    names = sorted(patterns.bound_variables(pattern) | patterns.optional_variables(pattern))
    return Layout((*(Column("data", name) for name in names), Column("event", identifier)))


def layout_of(expression: Expression, plan: Plan) -> Layout:
    match expression:
        case Matching():
            return pattern_layout(expression.identifier, expression.pattern)
        case AbsoluteTimers():
            return pattern_layout(expression.identifier, expression.timer.pattern)
        case Reference():
            return layout_of(plan.by_name[expression.name].expression, plan)
        case Relation():
            return Layout(pattern_layout("", expression.pattern).columns[:-1])
        case Join(right=RelativeTimers() | PeriodicWindows() | BoundedWindows() as following):
            return layout_of(expression.left, plan).with_(Column("event", following.identifier))
        case Join():
            left = layout_of(expression.left, plan)
            return left.with_(*(c for c in layout_of(expression.right, plan).columns if c not in left))
        case Selection() | Merging() | AntiSemiJoin():
            return layout_of(expression.left if isinstance(expression, AntiSemiJoin) else expression.input, plan)
        case Projection():
            columns = layout_of(expression.input, plan).columns
            return Layout(tuple(c for c in columns if c.kind != "data" or c.name in expression.attributes))
        case TemporalJoin():
            left = layout_of(expression.left, plan)
            new = (c for c in layout_of(expression.right, plan).columns if c.kind == "data" and c not in left)
            return left.with_(*new, Column("match", expression.element))
        case Gathering():
            return gathered_layout(layout_of(expression.input, plan), expression)[0]
        case Renaming():
            identifiers = {old: new for new, old in expression.identifiers}
            variables = {old: new for new, old in expression.variables}
            return layout_of(expression.input, plan).renamed(identifiers, variables)
        case Union():
            layout = layout_of(expression.inputs[0], plan)
            for part in expression.inputs[1:]:
                layout = layout.with_(*(c for c in layout_of(part, plan).columns if c not in layout))
            return layout
        case Stream() | Construction() | RelativeTimers() | PeriodicWindows() | BoundedWindows():
            raise AssertionError(f"{type(expression).__name__} has events, not rows")
        case _:
            assert_never(expression)


def shared_variables(left: Layout, right: Layout) -> list[str]:
    return sorted(set(left.variables) & set(right.variables))


def gathered_layout(layout: Layout, gathering: Gathering) -> tuple[Layout, list[int]]:
    """Returns the columns of Γ[v ← j, …](R), and where each of them is in a row of R.

    Matches come last, first those that are gathered here, in the order in which heads compare them.
    """
    kept = [
        c
        for c in layout.columns
        if c.kind == "data" or (c.kind == "event" and c.name not in gathering.identifiers | gathering.dropped)
    ]
    older = [c for c in layout.columns if c.kind == "match"]
    columns = (*kept, *(Column("match", match) for match, _ in gathering.pairs), *older)
    from_ = (*kept, *(Column("event", identifier) for _, identifier in gathering.pairs), *older)
    return Layout(columns), [layout.columns.index(column) for column in from_]
