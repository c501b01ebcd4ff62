"""Query plans: an acyclic sequence of materialization points (Def. 0.6 of seed 000).

Each point is defined once, and refers only to points before it. The relation of a point is kept between the steps of an
incremental evaluation; everything else is computed again from the changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from cera.algebra.operators import AbsoluteTimers, Expression, Reference, walk
from cera.algebra.schema import SchemaError
from cera.model.calendars.calendar_files import Calendar
from cera.model.events.answer_limits import ANSWER_LIMIT
from cera.model.tags import tagged
from cera.rules.rule import Semantics


class PlanError(SchemaError):
    """A plan is malformed: a point is defined twice, or refers to one that is not before it."""


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
            for reference in references(point.expression):
                if reference.name not in known:
                    raise PlanError(f"{point.name} refers to {reference.name}, which is not defined before it")
                if known[reference.name].expression.schema != reference.schema:
                    raise PlanError(f"{point.name} refers to {reference.name} with another schema than it has")
            known[point.name] = point

    @cached_property
    def by_name(self) -> dict[str, Point]:
        return {point.name: point for point in self.points}

    @property
    def results(self) -> tuple[Point, ...]:
        return tuple(point for point in self.points if point.result)


def rules_with_timers(plan: Plan) -> str:
    """Returns `in rule 'a': `, or the like, for the rules that have absolute timers; for messages."""

    def ticks(expression: Expression) -> bool:
        parts = list(walk(expression))
        below = (plan.by_name[part.name].expression for part in parts if isinstance(part, Reference))
        return any(isinstance(part, AbsoluteTimers) for part in parts) or any(map(ticks, below))

    names = ", ".join(f"'{point.name}'" for point in plan.results if ticks(point.expression))
    return f"in {'rules' if ',' in names else 'rule'} {names}: " if names else ""


def references(expression: Expression) -> Iterator[Reference]:
    """Yields the materialization points that an expression uses."""
    return (part for part in walk(expression) if isinstance(part, Reference))
