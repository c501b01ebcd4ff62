"""Which events of a table rules that are answered event by event can take, so that no objects are made of the others.

What is asked of an event alone, the pattern of a scan and the conditions directly above it, is asked in columns. Where
that is not defined for all events, all of them are taken: the rules count what is undefined.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cera.algebra.operators import Expression, Matching, Selection, inputs
from cera.algebra.plan import Plan
from cera.engines.columns import physical
from cera.engines.columns.coverage import why_not_condition
from cera.engines.columns.evaluation import Evaluation
from cera.engines.columns.event_tables import EventStore, EventTable
from cera.engines.columns.lowering import flat_scan
from cera.engines.columns.physical import Node, PhysicalPlan
from cera.engines.columns.rows import InputEvents, OutsideColumnsError
from cera.model.expressions.expression import Expression as Condition
from cera.model.matching.patterns import TermPattern


class EventChoice:
    """The choice of events that some matching of a plan may take."""

    def __init__(self, plan: Plan) -> None:
        self._asked = _asked(plan)
        self._plan = PhysicalPlan((), frozenset(self._asked), None, plan.answer_limit)

    def taken(self, table: EventTable) -> EventTable:
        """Returns the events of a table that may be taken."""
        asked = self._asked.get(table.label)
        if asked is None or not len(table):
            return table
        taken = np.zeros(len(table), np.bool_)
        evaluation = Evaluation(self._plan, EventStore(self._plan.labels, table.strings, {table.label: table}))
        try:
            for identifier, node in asked:
                source = evaluation.rows(node).events[identifier].source
                assert isinstance(source, InputEvents)
                taken[source.places] = True
        except OutsideColumnsError:
            return table
        return table if taken.all() else table.take(np.flatnonzero(taken))


def _asked(plan: Plan) -> dict[str, list[tuple[str, Node]]]:
    """Returns what is asked of the events of each label; without those labels of which any event may be taken."""
    found: dict[str, list[tuple[str, Node]]] = {}
    others: set[str] = set()
    for matching, conditions in _matchings(plan):
        pattern = matching.pattern
        if not isinstance(pattern, TermPattern) or not isinstance(pattern.label, str):
            return {}
        node: Node | None = flat_scan(matching.identifier, pattern)
        if node is None:
            others.add(pattern.label)
            continue
        if not any(map(why_not_condition, conditions)):
            for condition in conditions:
                node = physical.Filter(condition, node)
        found.setdefault(pattern.label, []).append((matching.identifier, node))
    return {label: nodes for label, nodes in found.items() if label not in others}


def _matchings(plan: Plan) -> Iterator[tuple[Matching, Sequence[Condition]]]:
    """Yields the matchings of a plan, each with the conditions directly above it, the innermost one first."""
    for point in plan.points:
        yield from _below(point.expression, ())


def _below(expression: Expression, conditions: tuple[Condition, ...]) -> Iterator[tuple[Matching, Sequence[Condition]]]:
    match expression:
        case Selection():
            yield from _below(expression.input, (expression.condition, *conditions))
        case Matching():
            yield expression, conditions
        case _:
            for part in inputs(expression):
                yield from _below(part, ())
