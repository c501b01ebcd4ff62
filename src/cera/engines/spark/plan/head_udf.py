"""Heads with `all`: built in Python, by the head compiler of the local engine, from the matches of each group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column
from pyspark.sql.functions import udf
from pyspark.sql.types import ArrayType

from cera.algebra.layouts import Column as RowColumn
from cera.algebra.layouts import Layout
from cera.engines.local.construction import HeadCompiler, child_value
from cera.engines.spark.plan.grouping import MATCHES, GroupedRelation
from cera.engines.spark.plan.scopes import Environment
from cera.engines.spark.tables.event_rows import term_row
from cera.engines.spark.tables.relations import TIMES, attribute, column, component
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.cells import TERM
from cera.engines.spark.values.python_functions import is_planning
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import wrap
from cera.model.expressions.constructs import Construct
from cera.model.terms.json_terms import loads, term_from_json
from cera.model.terms.term import Term
from cera.model.time.interval import Interval


@dataclass(frozen=True)
class HeadFunction:
    """The function that runs in the workers: plain data, compiled there."""

    head: Construct
    identifiers: tuple[str, ...]
    kept: Mapping[str, tuple[str, ...]]
    collected: Mapping[str, tuple[str, ...]]
    calendars: Any
    timezone: str

    def compiled(self) -> Callable[[Any, Any], list[tuple[str, int, int]]]:
        names = [*self.kept, *self.collected]
        layout = Layout((*(RowColumn("data", n) for n in names), *(RowColumn("event", i) for i in self.identifiers)))
        build = HeadCompiler(layout, Evaluator(self.calendars, self.timezone)).bounded(self.head)

        def run(shared: Any, matches: Sequence[Any]) -> list[tuple[str, int, int]]:
            kept = [_value(shared, name, kinds) for name, kinds in self.kept.items()]
            events = [_event(shared, name) for name in self.identifiers]
            rows = [
                (*kept, *(_value(match, name, kinds) for name, kinds in self.collected.items()), *events)
                for match in matches
            ]
            found = [child_value(draft) for draft in build(rows) or ()]
            return [term_row(term) for term in found if isinstance(term, Term)]

        return run


def _value(row: Any, name: str, kinds: Sequence[str]) -> Any:
    for kind in kinds:
        value = row[component(name, kind)]
        if value is not None:
            if kind == "term":
                return term_from_json(loads(value["json"]))
            return wrap(_whole(value) if kind == "double" else value)
    return None


def _whole(value: float) -> int | float:
    return int(value) if value.is_integer() and abs(value) < 2**63 else value


def _event(row: Any, identifier: str) -> Interval | None:
    begin, end = (row[attribute(identifier, part)] for part in TIMES)
    return None if begin is None else Interval(begin, end)


def terms_of(head: Construct, group: GroupedRelation, environment: Environment) -> Column:
    """Returns the terms that a head yields for each group, as an array column."""
    if is_planning():
        return F.array()
    relation = group.relation
    function = HeadFunction(
        head,
        relation.literals,
        dict(relation.variables),
        dict(group.collected),
        environment.calendars,
        environment.timezone,
    )
    compiled: list[Callable[[Any, Any], Any]] = []

    @udf(returnType=ArrayType(TERM), useArrow=True)
    def build(shared: Any, matches: Any) -> Any:
        if not compiled:
            compiled.append(function.compiled())
        return compiled[0](shared, matches)

    kept = [column(component(name, kind)) for name, kinds in relation.variables.items() for kind in kinds]
    times = [column(attribute(name, part)) for name in relation.literals for part in TIMES]
    result: Column = build(F.struct(*kept, *times), column(MATCHES))
    return result
