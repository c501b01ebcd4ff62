"""Explains how a program runs on Spark, without events: what each point becomes, the joins, what runs in Python.

Spark is started for its own plan only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NotRequired, TypedDict

from pyspark.sql import SparkSession

from cera.algebra.operators import AntiSemiJoin, Expression, Relation, TemporalJoin, inputs
from cera.algebra.plan_text import display_name
from cera.engines.spark.engine import answers
from cera.engines.spark.physical_plans import physical_program
from cera.engines.spark.plan.explaining import ExplainedPoint, explained_point
from cera.engines.spark.plan.physical import PhysicalPoint
from cera.engines.spark.recursion.recursion import IN_ONE_PIECE
from cera.engines.spark.session.failures import engine_failure
from cera.engines.spark.session.session import session
from cera.engines.spark.tables.event_rows import EVENTS
from cera.engines.spark.tables.event_tables import EventTable, Terms
from cera.model.events.relation_rows import ReadRows
from cera.modules.layering import Layers
from cera.modules.rules.module import rules_of
from cera.rules.rule import relations_of

_CONSTRAINTS = "spark.sql.constraintPropagation.enabled"


class SparkJoin(TypedDict):
    """A join or window: the events of both sides, and how it is made: bucket, plain or broadcast."""

    of: str
    way: str


class SparkRecursion(TypedDict):
    """Rules that depend on each other, and how they run: by key, in rounds over the delta, or in one piece."""

    rules: list[str]
    way: str


class ExplainedSpark(TypedDict):
    """`points` is the physical plan, `python` the parts that columns cannot state, on events that are flat.

    `recursion` is there if rules depend on each other, `plan` if Spark has been asked for its own.
    """

    recursion: NotRequired[list[SparkRecursion]]
    points: list[ExplainedPoint]
    joins: list[SparkJoin]
    python: list[str]
    plan: NotRequired[str]


def explain_spark(program: Layers, *, max_duration: int | None, timezone: str) -> ExplainedSpark:
    """Explains the program over flat events of unknown types."""
    found = physical_program(program, max_duration=max_duration, timezone=timezone)
    recursion: list[SparkRecursion] = [
        {"rules": list(rules), "way": way if way == IN_ONE_PIECE else f"{way}; small recordings {IN_ONE_PIECE}"}
        for rules, way in found.recursion.items()
    ]
    explained: ExplainedSpark = {
        "points": [_point(point, recursion) for point in found.points],
        "joins": [{"of": _text(operator), "way": way} for batch in found.batches for operator, way in batch.joins],
        "python": list(found.in_python),
    }
    return {"recursion": recursion, **explained} if recursion else explained


def _point(point: PhysicalPoint, recursion: Sequence[SparkRecursion]) -> ExplainedPoint:
    if not point.recursive:
        return explained_point(point)
    [cycle] = (each for each in recursion if point.name in each["rules"])
    others = [display_name(name) for name in cycle["rules"] if name != point.name]
    together = f" with {', '.join(others)}" if others else ""
    return {"point": point.name, "lines": [f"recursion{together}, {cycle['way']}"]}


def plan_of_spark(program: Layers, *, max_duration: int | None, timezone: str) -> str:
    """Starts Spark, and returns what it plans."""
    with engine_failure():
        spark = session()
        table = EventTable(spark.createDataFrame([], EVENTS), Terms(flat=True))
        rows = {name: ReadRows() for name in relations_of(rules_of(program))}
        found = answers(program, (table,), spark, timezone=timezone, max_duration=max_duration, relations=rows)
        with _without_constraints(spark):
            plan: str = found.events()._jdf.queryExecution().executedPlan().toString()
        return plan


@contextmanager
def _without_constraints(spark: SparkSession) -> Iterator[None]:
    """Has Spark infer no filters from others: over columns of every type, and rules upon rules, that takes minutes."""
    before = spark.conf.get(_CONSTRAINTS)
    spark.conf.set(_CONSTRAINTS, "false")
    try:
        yield
    finally:
        spark.conf.set(_CONSTRAINTS, before or "true")


def _text(operator: Expression) -> str:
    if isinstance(operator, TemporalJoin | AntiSemiJoin):
        return f"what lies in window {operator.window}"
    return " with ".join(map(_side, inputs(operator)))


def _side(part: Expression) -> str:
    return f"relation {part.name}" if isinstance(part, Relation) else ", ".join(sorted(part.schema.intervals))


def spark_lines(explained: ExplainedSpark) -> Iterator[str]:
    """Yields the lines of the explanation as text."""
    if points := [point for point in explained["points"] if point["lines"]]:
        yield ""
        yield "recorded, on Spark:"
    for point in points:
        yield f"  {display_name(point['point'])}:"
        yield from (f"    {line}" for line in point["lines"])
    yield "in Python, on flat events:" if explained["python"] else "in Python, on flat events: nothing"
    yield from (f"  {name}" for name in explained["python"])
    if "plan" in explained:
        yield "plan of Spark:"
        yield from (f"  {line}" for line in explained["plan"].rstrip().split("\n"))
