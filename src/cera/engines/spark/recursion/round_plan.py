"""The plan of a round: what rules that depend on each other derive from the events that the round before added.

A rule whose body has n queries for events of its own recursion is n bodies in a round: the k-th takes new events for
the k-th of these queries, all events that are known for those behind it, and those that were known before the last
round for those before it. So every combination with a new event is found, and found once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import partial

from cera.algebra.operators import Construction, Expression, Matching, Reference, Union, rebuild
from cera.algebra.plan import Plan, Point, references
from cera.engines.spark.plan.evaluation import constructions


class Part(Enum):
    """The events of the recursion that a query takes: none, new ones, those known before, all. `NEW` takes no other
    events; the others take those too that come from outside of the recursion.
    """

    NONE = "none"
    NEW = "new"
    OLD = "old"
    ALL = "all"


@dataclass(frozen=True)
class PartMatching(Matching):
    """A query for events of the recursion, which takes a part of them."""

    part: Part = Part.ALL


@dataclass(frozen=True)
class Body:
    """A body of a rule in a round: its construction, and the points that only it refers to, in order."""

    construction: Construction
    points: tuple[Point, ...]


@dataclass(frozen=True)
class RoundPlan:
    """The bodies of each rule of a cycle: those of the first round, of the others, and with all events at once."""

    plan: Plan
    cycle: tuple[str, ...]
    first: dict[str, tuple[Body, ...]]
    later: dict[str, tuple[Body, ...]]
    whole: dict[str, tuple[Body, ...]]


def round_plan(plan: Plan, cycle: tuple[Point, ...]) -> RoundPlan:
    """Returns the bodies of the rules of a cycle, and a plan that has all of them."""
    return _Rewriter(plan, cycle).result()


class _Rewriter:
    def __init__(self, plan: Plan, cycle: tuple[Point, ...]) -> None:
        self.plan = plan
        self.points = cycle
        self.inner = {point.name: point for point in cycle if not point.result}
        self.rules = tuple(point.name for point in cycle if point.result)
        self.made = 0

    def result(self) -> RoundPlan:
        kinds: tuple[Callable[[Construction], Iterator[Body]], ...] = (
            partial(self._alike, Part.NONE),
            self._semi_naive,
            partial(self._alike, Part.ALL),
        )
        first, later, whole = (
            {
                point.name: tuple(body for made in constructions(point.expression) for body in kind(made))
                for point in self.points
                if point.result
            }
            for kind in kinds
        )
        on_cycle = {point.name for point in self.points}
        before = [point for point in self.plan.points if point.name not in on_cycle]
        before = before[: next((i for i, p in enumerate(before) if self._is_after(p)), len(before))]
        of_rule = {name: (*first[name], *later[name], *whole[name]) for name in self.rules}
        own = [point for bodies in of_rule.values() for body in bodies for point in body.points]
        united = [Point(n, Union(tuple(b.construction for b in of_rule[n])), result=True) for n in self.rules]
        return RoundPlan(replace(self.plan, points=(*before, *own, *united)), self.rules, first, later, whole)

    def _is_after(self, point: Point) -> bool:
        """Returns whether a point comes behind the cycle in the plan, and so may refer to it."""
        numbers = {each.name: number for number, each in enumerate(self.plan.points)}
        return numbers[point.name] > numbers[self.points[-1].name]

    def _alike(self, part: Part, construction: Construction) -> Iterator[Body]:
        """Yields one body, whose queries all take the same part of the events of the recursion."""
        yield self._body(construction, [part] * len(list(self._queries(construction))))

    def _semi_naive(self, construction: Construction) -> Iterator[Body]:
        count = len(list(self._queries(construction)))
        for place in range(count):
            yield self._body(construction, [Part.OLD] * place + [Part.NEW] + [Part.ALL] * (count - place - 1))

    def _queries(self, expression: Expression) -> Iterator[Matching]:
        """Yields the queries for events of the recursion, in the order in which they are rewritten."""
        found: list[Matching] = []

        def note(matching: Matching) -> Matching:
            found.append(matching)
            return matching

        self._rewritten(expression, note, [])
        yield from found

    def _body(self, construction: Construction, parts: list[Part]) -> Body:
        waiting = iter(parts)

        def take(matching: Matching) -> Matching:
            own = {field.name: getattr(matching, field.name) for field in fields(Matching)}
            return PartMatching(**own, part=next(waiting))

        points: list[Point] = []
        made = self._rewritten(construction, take, points)
        assert isinstance(made, Construction)
        return Body(made, tuple(points))

    def _rewritten(
        self, expression: Expression, change: Callable[[Matching], Matching], points: list[Point]
    ) -> Expression:
        """Returns an expression with changed queries for events of the recursion; the points on the cycle that it
        refers to are copied, so that each copy has queries of its own.
        """
        match expression:
            case Matching():
                return change(expression) if self._inside(expression) else expression
            case Reference() if expression.name in self.inner:
                inner = self._rewritten(self.inner[expression.name].expression, change, points)
                self.made += 1
                name = f"{expression.name} of round body {self.made}"
                points.append(Point(name, inner))
                return replace(expression, name=name)
            case _:
                return rebuild(expression, lambda part: self._rewritten(part, change, points))

    def _inside(self, matching: Matching) -> list[str]:
        """Returns the rules of the cycle whose events a query may match."""
        return [reference.name for reference in references(matching.source) if reference.name in self.rules]
