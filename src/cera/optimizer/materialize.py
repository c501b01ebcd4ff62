"""Intermediate results that are looked into repeatedly are kept (section 3.4.2 and Fig. 10 of seed 000).

    ⟨…, M := … Q …⟩ → ⟨…, A := Q, M := … A …⟩

    if Q is σ[c](R) below a join or a window, or events joined with their timers below a window.

Where R is a point under other names, A has the point's names and the renaming is put above it:

    σ[c](ρ[n](R)) → ρ[n](σ[n⁻¹(c)](R))        ρ[n](R) ⋈ X[i: k[n(j), d]] → ρ[n](R ⋈ X[i: k[j, d]])

Joins of events get no point of their own: a join keeps its two sides as long as the conditions above it allow, and as a
point it would not know these.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cera.algebra.operators import (
    AntiSemiJoin,
    Expression,
    FollowingEvents,
    Join,
    Reference,
    Selection,
    TemporalJoin,
    rebuild,
)
from cera.algebra.plan import Plan, Point
from cera.algebra.renaming import Names, is_point, named, point_names, renamed
from cera.optimizer.canonical import canonical
from cera.optimizer.plan_changes import FreshNames, is_of_events, joins_events, with_points


def materialize(plan: Plan) -> Plan:
    materializing = _Materializer(FreshNames(plan))
    for point in plan.points:
        expression = materializing.below(point.expression) if point.result else point.expression
        materializing.points.append(
            point if expression is point.expression else Point(point.name, expression, point.result)
        )
    return with_points(plan, materializing.points)


@dataclass
class _Materializer:
    fresh: FreshNames
    points: list[Point] = field(default_factory=list)

    def below(self, expression: Expression) -> Expression:
        """Returns the expression with points for the intermediate results below its topmost operator."""
        match expression:
            case TemporalJoin() | AntiSemiJoin():
                return rebuild(expression, self._part_of_window)
            case Join():
                return rebuild(expression, self._part_of_join)
            case _:
                return rebuild(expression, self.below) if not is_point(expression) else expression

    def _part_of_window(self, expression: Expression) -> Expression:
        if _is_intermediate(expression) or _is_timed(expression):
            return self._point(expression)
        return self.below(expression)

    def _part_of_join(self, expression: Expression) -> Expression:
        return self._point(expression) if _is_intermediate(expression) else self.below(expression)

    def _point(self, expression: Expression) -> Expression:
        """Makes a point for the expression; the outer one is named first, and defined last."""
        inner, names = _base_named(expression)
        name = self.fresh.point(self.fresh.letter(), canonical(inner).identifiers)
        below = self.below(inner)
        self.points.append(Point(name, below))
        return named(Reference(name, below.schema), names)


def _is_intermediate(expression: Expression) -> bool:
    """Returns whether it is σ[c](R), R without joins of events."""
    return isinstance(expression, Selection) and is_of_events(expression) and not joins_events(expression)


def _is_timed(expression: Expression) -> bool:
    if not isinstance(expression, Join) or not isinstance(expression.right, FollowingEvents):
        return False
    return is_of_events(expression) and not joins_events(expression)


def _base_named(expression: Expression) -> tuple[Expression, Names]:
    """Returns the expression under the names of the point at its bottom, and the names it had."""
    core = expression
    while isinstance(core, Selection | Join):
        core = core.input if isinstance(core, Selection) else core.left
    if not is_point(core):
        return expression, Names()
    _, names = point_names(core)
    added = (expression.schema.intervals - core.schema.intervals) & names.identifiers.keys()
    if added:  # a timer has the name that an event has in the point
        return expression, Names()
    return renamed(expression, names.inverse()), names
