"""Plans with other expressions and with new materialization points, for all passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count

from cera.algebra.operators import (
    AbsoluteTimers,
    Expression,
    FollowingEvents,
    Join,
    Matching,
    Reference,
    Relation,
    Renaming,
    Selection,
    walk,
)
from cera.algebra.plan import Plan, Point
from cera.algebra.plan_text import relation_name
from cera.algebra.schema import STREAM


def with_expressions(plan: Plan, change: Callable[[Expression], Expression]) -> Plan:
    """Returns the plan with the expression of every point changed; the same object if none was."""
    expressions = [change(point.expression) for point in plan.points]
    if all(new is point.expression for new, point in zip(expressions, plan.points, strict=True)):
        return plan
    points = tuple(replace(point, expression=new) for new, point in zip(expressions, plan.points, strict=True))
    return replace(plan, points=points)


def with_points(plan: Plan, points: Iterable[Point]) -> Plan:
    found = tuple(points)
    return plan if found == plan.points else replace(plan, points=found)


def is_of_events(expression: Expression) -> bool:
    """Returns whether a point may hold the expression: events, points of such, their timers, joined and selected."""
    match expression:
        case Matching() | AbsoluteTimers():
            return True
        case Reference():
            return expression.schema != STREAM
        case Renaming() | Selection():
            return is_of_events(expression.input)
        case Join():
            timed = isinstance(expression.right, FollowingEvents)
            return is_of_events(expression.left) and (timed or is_of_events(expression.right))
        case _:
            return False


def joins_events(expression: Expression) -> bool:
    """Returns whether events are joined with events here (and not merely with their timers or rows)."""
    joins = (part for part in walk(expression) if isinstance(part, Join))
    return any(not isinstance(join.right, FollowingEvents | Relation) for join in joins)


@dataclass
class FreshNames:
    """Names for points and identifiers that a plan does not use yet."""

    plan: Plan
    _points: set[str] = field(init=False)
    _identifiers: set[str] = field(init=False)
    _letters: Iterator[str] = field(init=False)

    def __post_init__(self) -> None:
        self._points = {_folded(point.name) for point in self.plan.points}
        self._identifiers = set()
        for point in self.plan.points:
            for part in walk(point.expression):
                self._identifiers |= part.schema.intervals | part.schema.references
                if isinstance(part, Matching | AbsoluteTimers | Relation):
                    self._points.add(_folded(relation_name(part)))  # it is shown by that name
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        self._letters = (f"{letter}{number or ''}" for number in count() for letter in alphabet)

    def point(self, stem: str, identifiers: Iterable[str]) -> str:
        """Returns `Temp_n'` or `B_{n',i}`; numbered if there is one of that name."""
        subscript = ",".join(identifiers)
        name = base = f"{stem}_{{{subscript}}}" if "," in subscript else f"{stem}_{subscript}"
        number = 2
        while _folded(name) in self._points:
            name, number = f"{base}#{number}", number + 1
        self._points.add(_folded(name))
        return name

    def letter(self) -> str:
        """Returns A, B, C, … as Fig. 10 names intermediate results."""
        used = {name.partition("_")[0] for name in self._points}
        return next(letter for letter in self._letters if letter.lower() not in used)

    def identifier(self, name: str) -> str:
        """Returns n' for n."""
        fresh = f"{name.rstrip(_PRIME)}{_PRIME}"
        while fresh in self._identifiers:
            fresh += _PRIME
        self._identifiers.add(fresh)
        return fresh


_PRIME = "'"


def _folded(name: str) -> str:
    return name.lower()  # points are shown with a capital letter
