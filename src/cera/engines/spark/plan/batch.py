"""A plan as DataFrames: one for each materialization point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cera.algebra.plan import Point
from cera.engines.spark.plan.evaluation import Evaluation, constructions
from cera.engines.spark.tables.event_tables import EventTable

#: Answers the rules of a cycle: the points of the cycle ↦ the tables of each rule.
CycleAnswers = Callable[[Evaluation, tuple[Point, ...]], dict[str, tuple[EventTable, ...]]]


@dataclass
class Batch(Evaluation):
    """The DataFrames of all points of a plan. Those of rules that depend on each other come from `recursion`."""

    recursion: CycleAnswers | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for point in self.plan.points:
            if point.name in self.derived:
                continue
            cycle = self.plan.cycle(point.name)
            if cycle and not any(each.name in self.derived for each in cycle):
                assert self.recursion is not None
                self.derived.update(self.recursion(self, cycle))
            if not point.result:
                self.relations[point.name] = self.relation(point.expression)
            elif not cycle:
                self.derived[point.name] = tuple(map(self.events, constructions(point.expression)))
