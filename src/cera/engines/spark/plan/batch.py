"""A plan as DataFrames: one for each materialization point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from cera.algebra.plan import Point, references
from cera.engines.spark.plan.evaluation import Evaluation, constructions
from cera.engines.spark.plan.physical import PhysicalPoint
from cera.engines.spark.tables.event_tables import EventTable

#: Answers the rules of a cycle: the points of the cycle ↦ the tables of each rule.
CycleAnswers = Callable[[Evaluation, tuple[Point, ...]], dict[str, tuple[EventTable, ...]]]


@dataclass
class Batch(Evaluation):
    """The DataFrames of all points of a plan. Those of rules that depend on each other come from `recursion`."""

    recursion: CycleAnswers | None = None
    #: What each point was lowered to.
    points: list[PhysicalPoint] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        for point in self.plan.points:
            self._evaluate(point)

    def _evaluate(self, point: Point) -> None:
        """Adds the rows of a point, or the events of its rule, unless they are known."""
        if point.name in self.derived or point.name in self.relations:
            return
        cycle = self.plan.cycle(point.name)
        self._evaluate_below(cycle or (point,))
        if cycle and not any(each.name in self.derived for each in cycle):
            assert self.recursion is not None
            self.derived.update(self.recursion(self, cycle))
            self.points += [PhysicalPoint(each.name, (), recursive=True) for each in cycle if each.result]
        if cycle and point.result:
            return
        lowered = len(self.physical)
        if point.result:
            points = self.relevance.duration(point.name) == 0
            found = map(self.events, constructions(point.expression))
            self.derived[point.name] = tuple(replace(table, points=points) for table in found)
        else:
            self.relations[point.name] = self.relation(point.expression)
        self.points.append(PhysicalPoint(point.name, tuple(self.physical[lowered:])))

    def _evaluate_below(self, points: tuple[Point, ...]) -> None:
        """Adds what points refer to, besides each other. It may come between the points of a cycle: a shared point is
        right before the first rule that refers to it.
        """
        own = {point.name for point in points}
        for reference in (each for point in points for each in references(point.expression)):
            if reference.name not in own:
                self._evaluate(self.plan.by_name[reference.name])
