"""Equal subexpressions of all rules are computed once (section 3.4.2 of seed 000).

    ⟨…, M := … Q1 …, N := … Q2 …⟩ → ⟨…, P := ρ[n1](Q1), M := … ρ[n1⁻¹](P) …, N := … ρ[n2⁻¹](P) …⟩

    if ρ[n1](Q1) = ρ[n2](Q2) with fresh identifiers: equal up to the names of identifiers and variables.

Shared are: matched events, with the selections directly above them; these joined with their timers; and joins of events
where no condition above is about times. (A join that is shared no longer knows the conditions above it, and times that
only they bound would let its state grow.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from cera.algebra.operators import (
    AbsoluteTimers,
    Expression,
    Join,
    Matching,
    Reference,
    Relation,
    RelativeTimers,
    Selection,
    rebuild,
)
from cera.algebra.plan import Plan, Point
from cera.algebra.plan_text import relation_name
from cera.algebra.renaming import Names, named, renamed
from cera.model.expressions import expression as expressions
from cera.optimizer.canonical import Canonical, Key, canonical, selections
from cera.optimizer.plan_changes import FreshNames, is_of_events, joins_events, with_points


def share_subexpressions(plan: Plan) -> Plan:
    candidates = _Candidates()
    for point in plan.points:
        candidates.visit(point.expression, is_whole=not point.result)
    shared = {key: found for key, found in candidates.occurrences.items() if len(found) > 1}
    if not shared:
        return plan
    sharing = _Sharer(shared, FreshNames(plan))
    for point in plan.points:
        expression = sharing.rewrite(point.expression, is_whole=not point.result)
        sharing.points.append(Point(point.name, expression, point.result))
    return with_points(plan, sharing.points)


Visit = Callable[[Expression, bool], Expression]


def _below(expression: Expression, clear: bool, visit: Visit) -> Expression:
    """Returns the expression with its parts visited; `clear` says that no condition above is about times."""
    match expression:
        case Selection():
            conditions, core = selections(expression)
            timeless = not any(expressions.event_references(condition) for condition in conditions)
            changed = visit(core, clear and timeless)
            if changed is core:
                return expression
            for condition in reversed(conditions):
                changed = Selection(condition, changed)
            return changed
        case Join() if not isinstance(
            expression.right, RelativeTimers | Relation
        ):  # windows bound times as conditions do
            return rebuild(expression, lambda part: visit(part, False))
        case Matching():
            return expression
        case _:
            return rebuild(expression, lambda part: visit(part, clear))


def _is_candidate(expression: Expression, clear: bool) -> bool:
    if not isinstance(expression, Matching | AbsoluteTimers | Selection | Join) or not is_of_events(expression):
        return False
    return clear or not joins_events(expression)


@dataclass
class _Candidates:
    """The places of expressions that could be shared. Below a repeated expression nothing new is counted."""

    occurrences: dict[Key, list[Canonical]] = field(default_factory=dict)

    def visit(self, expression: Expression, clear: bool = True, *, is_whole: bool = False) -> Expression:
        if not is_whole and _is_candidate(expression, clear):
            found = canonical(expression)
            known = self.occurrences.setdefault(found.key, [])
            known.append(found)
            if len(known) > 1:
                return expression
        return _below(expression, clear, self.visit)


@dataclass
class _Sharer:
    shared: dict[Key, list[Canonical]]
    fresh: FreshNames
    points: list[Point] = field(default_factory=list)
    defined: dict[Key, tuple[Reference, Canonical]] = field(default_factory=dict)

    def rewrite(self, expression: Expression, clear: bool = True, *, is_whole: bool = False) -> Expression:
        if not is_whole and _is_candidate(expression, clear):
            found = canonical(expression)
            if found.key in self.shared:
                if found.key not in self.defined:
                    self._define(expression, found, clear)
                reference, own = self.defined[found.key]
                return named(reference, _correspondence(own, found))
        return _below(expression, clear, self.rewrite)

    def _define(self, expression: Expression, found: Canonical, clear: bool) -> None:
        """Makes a point for the expression under fresh identifiers, and fresh variables if a name would clash."""
        names = Names(
            {name: self.fresh.identifier(name) for name in found.identifiers},
            {name: f"{name}'" for name in found.variables} if self._names_clash(expression, found) else {},
        )
        own = Canonical(
            found.key,
            tuple(names.identifier(name) for name in found.identifiers),
            tuple(names.variable(name) for name in found.variables),
        )
        below = _below(renamed(expression, names), clear, self.rewrite)
        name = self.fresh.point(self._stem(expression), own.identifiers)
        self.points.append(Point(name, below))
        self.defined[found.key] = Reference(name, below.schema), own

    def _names_clash(self, expression: Expression, found: Canonical) -> bool:
        """Returns whether some occurrence uses a name of this one for another variable: ρ takes no existing name."""
        data = expression.schema.data
        return any(
            new != old and new in data
            for other in self.shared[found.key]
            for old, new in zip(found.variables, other.variables, strict=True)
            if old in data
        )

    def _stem(self, expression: Expression) -> str:
        if isinstance(expression, Matching | AbsoluteTimers):
            return relation_name(expression).removesuffix(f"_{expression.identifier}")
        return self.fresh.letter()


def _correspondence(own: Canonical, other: Canonical) -> Names:
    """Returns the names that the point's names have in an occurrence."""
    return Names(
        dict(zip(own.identifiers, other.identifiers, strict=True)),
        dict(zip(own.variables, other.variables, strict=True)),
    )
