"""Counting of expressions without a value, while Spark computes the answers.

Rows are counted: the combinations of events on which a condition was decided while an expression in it had no value,
and those whose head had none. It costs a step in Spark's plan, so it is done only where the number is wanted and an
expression can lack a value at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import count
from operator import or_
from typing import assert_never

from pyspark.sql import Column, DataFrame, Observation

from cera.engines.spark.plan.scopes import Environment, RowScope
from cera.engines.spark.tables.relations import Relation
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import is_defined
from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.comparison import NUMBERS
from cera.engines.spark.values.expressions import Scope, compile_value
from cera.model.expressions.expression import (
    Aggregate,
    And,
    Arithmetic,
    Call,
    Comparison,
    DateTime,
    Different,
    DurationLiteral,
    EventReference,
    Expression,
    InOneWindow,
    InState,
    Literal,
    Negative,
    Not,
    Or,
    Periodic,
    Temporal,
    Variable,
    Within,
)

_ROWS, _LEFT_OUT = "rows", "left out"

#: No two observations of a query have the same name, whichever tally they belong to.
_NUMBERS = count()


@dataclass
class Tally:
    """Rows of a query that are counted as they pass. `rows` is how many there were, when it is known.

    `left_out` are events that lacked the attribute by which a module is partitioned.
    """

    rows: int = 0
    left_out: int = 0
    _observed: dict[str, Observation] = field(default_factory=dict)
    #: What was counted before, by queries that have ended.
    _before: int = 0
    _left_out_before: int = 0

    def add(self, rows: int, left_out: int = 0) -> None:
        """Adds the counts of a query that has ended."""
        self._before += rows
        self.rows += rows
        self._left_out_before += left_out
        self.left_out += left_out

    def watch(self, frame: DataFrame, lacking: Column | None) -> DataFrame:
        """Returns the frame, in which rows that fulfil the condition are counted; None counts no row."""
        return frame if lacking is None else self._watch(frame, F.count_if(lacking))

    def watch_sums(self, frame: DataFrame, undefined: Column, left_out: Column) -> DataFrame:
        """Returns the frame, some rows of which hold numbers of undefined and left out cases, which are added up."""
        sums = [F.coalesce(F.sum(number), F.lit(0)) for number in (undefined, left_out)]
        return self._watch(frame, *sums)

    def _watch(self, frame: DataFrame, rows: Column, left_out: Column | None = None) -> DataFrame:
        name = f"undefined {next(_NUMBERS)}"
        self._observed[name] = Observation(name)
        others = F.lit(0) if left_out is None else left_out
        return frame.observe(self._observed[name], rows.alias(_ROWS), others.cast("bigint").alias(_LEFT_OUT))

    def fetched(self, frame: DataFrame) -> None:
        """Takes over the counts after the rows of a frame have been fetched."""
        if self._observed:
            metrics = frame._jdf.queryExecution().observedMetrics()
            found = [metric.get() for name in self._observed if (metric := metrics.get(name)).isDefined()]
            self._counted(*(sum(row.getLong(place) for row in found) for place in (0, 1)))

    def written(self) -> None:
        """Takes over the counts after a frame has been written."""
        found = [observation.get for observation in self._observed.values()]
        self._counted(*(sum(each.get(name, 0) for each in found) for name in (_ROWS, _LEFT_OUT)))

    def _counted(self, rows: int, left_out: int) -> None:
        self.rows, self.left_out = rows + self._before, left_out + self._left_out_before


def counted(relation: Relation, condition: Expression, certain: frozenset[str], environment: Environment) -> Relation:
    """Counts the rows in which a condition on data has an expression without a value; returns the relation.

    Conditions that run in Python cannot be counted.
    """
    probe = replace(environment, fallbacks={})
    found = lacking(condition, RowScope(relation, probe), certain)
    if environment.tally is None or probe.fallbacks:
        return relation
    return replace(relation, frame=environment.tally.watch(relation.frame, found))


def counted_heads(
    frame: DataFrame, defined: Column | None, values: Iterable[Expression], certain: frozenset[str], tally: Tally | None
) -> DataFrame:
    """Counts the rows for which a head with these values is undefined; returns the frame."""
    always = all(isinstance(v, Literal) or (isinstance(v, Variable) and v.name in certain) for v in values)
    if tally is None or defined is None or always:
        return frame
    return tally.watch(frame, ~defined)


def lacking(condition: Expression, scope: Scope, certain: frozenset[str]) -> Column | None:
    """Returns whether an expression of a condition on data has no value; None if it always has one.

    `certain` variables have one in every row. Conditions on times are ignored.
    """
    tests = list(_lacking(condition, scope, certain))
    return reduce(or_, tests) if tests else None


def _lacking(expression: Expression, scope: Scope, certain: frozenset[str]) -> Iterator[Column]:
    match expression:
        case And() | Or():
            for operand in expression.operands:
                yield from _lacking(operand, scope, certain)
        case Not():
            yield from _lacking(expression.operand, scope, certain)
        case Comparison():
            yield from _lacking(expression.left, scope, certain)
            yield from _lacking(expression.right, scope, certain)
            if expression.operator not in ("=", "!="):
                yield from _not_ordered(expression, scope)
        case Variable():
            if expression.name not in certain:
                yield ~is_defined(scope.cell(expression.name))
        case Arithmetic() | Negative() | Call():
            found = compile_value(expression, scope)
            if isinstance(found, Cell):
                yield ~is_defined(found)
        case Literal() | DurationLiteral() | DateTime() | EventReference() | Periodic():
            return
        case Temporal() | Within() | InOneWindow() | InState() | Different():
            return
        case Aggregate():
            raise AssertionError("an aggregate is no part of a condition")
        case _:
            assert_never(expression)


def _not_ordered(comparison: Comparison, scope: Scope) -> Iterator[Column]:
    """Yields where both sides have values without an order: a number and a text, truth values, terms."""
    left, right = (compile_value(side, scope) for side in (comparison.left, comparison.right))
    if not isinstance(left, Cell) or not isinstance(right, Cell):
        return
    for kinds in (NUMBERS, ("string",)):
        if set(left.components) | set(right.components) <= set(kinds):
            return
    ordered = [is_defined(_only(left, kinds)) & is_defined(_only(right, kinds)) for kinds in (NUMBERS, ("string",))]
    yield is_defined(left) & is_defined(right) & ~(ordered[0] | ordered[1])


def _only(cell: Cell, kinds: tuple[str, ...] | frozenset[str]) -> Cell:
    return Cell(**{kind: part for kind, part in cell if kind in kinds})
