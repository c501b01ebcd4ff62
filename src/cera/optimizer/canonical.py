"""Which expressions are equal up to the names of their identifiers and variables.

Two expressions have the same key exactly if one becomes the other by renaming one to one; the names in the order of
their first occurrence then correspond. The order of selections directly above one another does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cera.algebra.operators import (
    AbsoluteTimers,
    BoundedWindows,
    Expression,
    Join,
    Matching,
    PeriodicWindows,
    Reference,
    RelativeTimers,
    Renaming,
    Selection,
)
from cera.algebra.renaming import Names, point_names, renamed_condition, renamed_pattern
from cera.model.expressions.expression import Expression as Condition
from cera.model.matching import patterns
from cera.model.matching.patterns import Pattern, VariablePattern

Key = tuple[object, ...]


@dataclass(frozen=True)
class Canonical:
    """The key of an expression of events, and its names in canonical order."""

    key: Key
    identifiers: tuple[str, ...]
    variables: tuple[str, ...]


def canonical(expression: Expression) -> Canonical:
    identifiers = tuple(dict.fromkeys(_identifiers(expression)))
    variables = tuple(dict.fromkeys(_variables(expression)))
    names = Names(
        {name: f"i{number}" for number, name in enumerate(identifiers)},
        {name: f"v{number}" for number, name in enumerate(variables)},
    )
    return Canonical(_key(expression, names), identifiers, variables)


def _key(expression: Expression, names: Names) -> Key:
    # by representation, because to Python the patterns 1 and true are equal
    match expression:
        case Matching():
            pattern = repr(renamed_pattern(expression.pattern, names.variables))
            return ("Q", names.identifier(expression.identifier), pattern, repr(expression.source))
        case AbsoluteTimers():
            pattern = repr(renamed_pattern(expression.timer.pattern, names.variables))
            return ("timers", names.identifier(expression.identifier), expression.timer.name, pattern)
        case RelativeTimers():
            identifier, anchor = names.identifier(expression.identifier), names.identifier(expression.anchor)
            return ("X", identifier, expression.kind, anchor, repr(expression.duration))
        case PeriodicWindows():
            over = tuple(names.identifier(name) for name in expression.over)
            return ("W", names.identifier(expression.identifier), *expression.period, over)
        case BoundedWindows():
            return ("W", names.identifier(expression.identifier), repr(expression.bounds.renamed(names.identifier)))
        case Join():
            earliest = None if expression.earliest is None else names.earliest(expression.earliest)
            return ("⋈", _key(expression.left, names), _key(expression.right, names), earliest)
        case Selection():
            conditions, below = selections(expression)
            return ("σ", tuple(sorted(repr(renamed_condition(c, names)) for c in conditions)), _key(below, names))
        case Reference() | Renaming():
            point, own = point_names(expression)
            identifiers = tuple((old, names.identifier(new)) for old, new in sorted(own.identifiers.items()))
            variables = tuple((old, names.variable(new)) for old, new in sorted(own.variables.items()))
            return ("M", point.name, identifiers, variables)
        case _:
            raise AssertionError(f"{type(expression).__name__} is no relation of events")


def selections(expression: Expression) -> tuple[list[Condition], Expression]:
    """Returns the conditions of the selections directly above one another, the topmost first, and their input."""
    conditions: list[Condition] = []
    while isinstance(expression, Selection):
        conditions.append(expression.condition)
        expression = expression.input
    return conditions, expression


def _identifiers(expression: Expression) -> Iterator[str]:
    match expression:
        case Matching() | AbsoluteTimers():
            yield expression.identifier
        case RelativeTimers():
            yield from (expression.identifier, expression.anchor)
        case PeriodicWindows() | BoundedWindows():
            yield from (expression.identifier, *expression.over)
        case Join():
            yield from _identifiers(expression.left)
            yield from _identifiers(expression.right)
        case Selection():
            yield from _identifiers(expression.input)
        case _:
            _, own = point_names(expression)
            yield from (new for _, new in sorted(own.identifiers.items()))


def _variables(expression: Expression) -> Iterator[str]:
    match expression:
        case Matching():
            yield from _in_order(expression.pattern)
        case AbsoluteTimers():
            yield from _in_order(expression.timer.pattern)
        case RelativeTimers() | PeriodicWindows() | BoundedWindows():
            pass
        case Join():
            yield from _variables(expression.left)
            yield from _variables(expression.right)
        case Selection():
            yield from _variables(expression.input)
        case _:
            _, own = point_names(expression)
            yield from (new for _, new in sorted(own.variables.items()))


def _in_order(pattern: Pattern) -> Iterator[str]:
    return (part.name for part in patterns.walk(pattern) if isinstance(part, VariablePattern))
