"""Query plans: a sequence of materialization points (Def. 0.6 of seed 000).

Each point is defined once, and refers only to points before it, unless rules are recursive: the results of rules that
depend on each other may be queried by points before them, on the same cycle. The relation of a point is kept between
the steps of an incremental evaluation; everything else is computed again from the changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from cera.algebra.operators import AbsoluteTimers, Expression, Reference, walk
from cera.algebra.schema import STREAM, SchemaError
from cera.model.calendars.calendar_files import Calendar
from cera.model.events.answer_limits import ANSWER_LIMIT
from cera.model.tags import tagged
from cera.rules.reasoning.graph import strongly_connected_components
from cera.rules.rule import Semantics


class PlanError(SchemaError):
    """A plan is malformed: a point is defined twice, or refers to one that is neither before it nor on its cycle."""


@tagged("Point")
@dataclass(frozen=True)
class Point:
    """A materialization point M := Q. A result holds the events that a rule derives; the others serve the rules."""

    name: str
    expression: Expression
    result: bool = False


@tagged("Plan")
@dataclass(frozen=True)
class Plan:
    """⟨M1 := Q1, …, Mn := Qn⟩ for a program, with the calendars and limits of its evaluation."""

    points: tuple[Point, ...]
    semantics: Semantics = "practical"
    calendars: tuple[Calendar, ...] = ()
    #: The most events that one event may end. It belongs to a run: the state does not depend on it.
    answer_limit: int = field(default=ANSWER_LIMIT, compare=False)

    def __post_init__(self) -> None:
        known: dict[str, Point] = {}
        for point in self.points:
            if point.name in known:
                raise PlanError(f"the materialization point {point.name} is defined twice")
            known[point.name] = point
        before: set[str] = set()
        for point in self.points:
            for reference in references(point.expression):
                if reference.name not in before and not self._is_recursive(point, reference):
                    raise PlanError(f"{point.name} refers to {reference.name}, which is not defined before it")
                if known[reference.name].expression.schema != reference.schema:
                    raise PlanError(f"{point.name} refers to {reference.name} with another schema than it has")
            before.add(point.name)

    @cached_property
    def by_name(self) -> dict[str, Point]:
        return {point.name: point for point in self.points}

    def _is_recursive(self, point: Point, reference: Reference) -> bool:
        """Returns whether the point queries the events of a rule that depends on it."""
        cycles = self._cycles
        return reference.schema == STREAM and cycles.get(point.name, -1) == cycles.get(reference.name)

    @cached_property
    def _cycles(self) -> dict[str, int]:
        """The number of the cycle that each recursive point is on."""
        numbers = {point.name: number for number, point in enumerate(self.points)}
        used = [{numbers[r.name] for r in references(p.expression) if r.name in numbers} for p in self.points]
        found: dict[str, int] = {}
        for number, component in enumerate(strongly_connected_components(used)):
            if len(component) > 1 or component[0] in used[component[0]]:
                found.update((self.points[place].name, number) for place in component)
        return found

    def cycle(self, name: str) -> tuple[Point, ...]:
        """Returns the points that depend on a point, and it on them, in order; none if it is not recursive."""
        number = self._cycles.get(name)
        return () if number is None else tuple(p for p in self.points if self._cycles.get(p.name) == number)

    @cached_property
    def recursion(self) -> tuple[tuple[str, ...], ...]:
        """The names of the rules that depend on each other, or of one on itself, cycle by cycle in order."""
        by_cycle: dict[int, list[str]] = {}
        for point in self.results:
            if point.name in self._cycles:
                by_cycle.setdefault(self._cycles[point.name], []).append(point.name)
        return tuple(map(tuple, by_cycle.values()))

    @property
    def results(self) -> tuple[Point, ...]:
        return tuple(point for point in self.points if point.result)


def rules_with_timers(plan: Plan) -> str:
    """Returns `in rule 'a': `, or the like, for the rules that have absolute timers; for messages."""

    def ticks(point: Point) -> bool:
        reached = {point.name}
        waiting = [point]
        for each in waiting:  # grows as it goes
            if any(isinstance(part, AbsoluteTimers) for part in walk(each.expression)):
                return True
            new = {reference.name for reference in references(each.expression)} - reached
            reached |= new
            waiting += [plan.by_name[name] for name in new]
        return False

    names = ", ".join(f"'{point.name}'" for point in plan.results if ticks(point))
    return f"in {'rules' if ',' in names else 'rule'} {names}: " if names else ""


def references(expression: Expression) -> Iterator[Reference]:
    """Yields the materialization points that an expression uses."""
    return (part for part in walk(expression) if isinstance(part, Reference))
