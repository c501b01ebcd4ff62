"""Expressions of a head that are computed before it: its aggregates, then its values.

They are replaced by variables, so that each is computed once, however often the head mentions it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from pyspark.sql import Column

from cera.engines.spark.plan.grouping import MATCHES, GroupedRelation
from cera.engines.spark.plan.scopes import ElementRows, Environment, RowScope
from cera.engines.spark.tables.relations import column
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.expressions import compile_value
from cera.engines.spark.values.folding import Elements, as_element, fold
from cera.model.expressions import expression as expressions
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct
from cera.model.expressions.expression import Aggregate, Expression, Variable


def replace_aggregates(head: Construct) -> tuple[Construct, dict[str, Aggregate]]:
    """Replaces each aggregate of a head by a variable; returns the head and the aggregates by variable."""
    found: dict[Aggregate, str] = {}

    def change(part: Expression) -> Expression:
        if isinstance(part, Aggregate):
            return Variable(found.setdefault(part, f"aggregate {len(found)}"))
        return expressions.rebuild(part, change)

    plain = _rebuilt(head, change)
    return plain, {name: aggregate for aggregate, name in found.items()}


def replace_expressions(head: Construct) -> tuple[Construct, dict[str, Expression]]:
    """Replaces each expression of a head by a variable; returns the head and the expressions by variable."""
    found: dict[Expression, str] = {}
    plain = _rebuilt(head, lambda expression: Variable(found.setdefault(expression, f"value {len(found)}")))
    return plain, {name: expression for expression, name in found.items()}


def _rebuilt(construct: Construct, change: Callable[[Expression], Expression]) -> Construct:
    match construct:
        case ConstructTerm():
            return replace(construct, children=tuple(_rebuilt(child, change) for child in construct.children))
        case ConstructValue():
            return replace(construct, expression=change(construct.expression))
        case OptionalConstruct():
            default = None if construct.default is None else _rebuilt(construct.default, change)
            return replace(construct, construct=_rebuilt(construct.construct, change), default=default)
        case All():
            raise AssertionError("a head with `all` is built by the head UDF")
        case _:
            assert_never(construct)


def fold_aggregate(aggregate: Aggregate, group: GroupedRelation, environment: Environment) -> Cell:
    """Returns the value of an aggregate over the matches of each group."""
    components: list[str] = []

    def operand(match: Column) -> Column:
        rows = ElementRows(group, lambda variable: group.element(match, variable))
        value = compile_value(aggregate.operand, RowScope(rows, environment))
        cell = value if isinstance(value, Cell) else Cell()
        components[:] = cell.components
        return as_element(cell) if components else F.lit(None).cast("bigint")

    array = F.transform(column(MATCHES), operand)
    whole = group.bare and isinstance(aggregate.operand, Variable) and aggregate.operand.name in group.collected
    values = Elements(column(MATCHES) if whole else array, tuple(components), complete=whole)
    return fold(aggregate.function, values, aggregate.distinct)
