"""Other names for the identifiers and variables of expressions, written into them instead of put above as ρ.

    ρ[n](Q[i: q](R)) = Q[n(i): n(q)](R)        ρ[n](R ⋈ S) = ρ[n](R) ⋈ ρ[n](S)        ρ[n](σ[c](R)) = σ[n(c)](ρ[n](R))

These hold for names that change one to one. They let passes see that two expressions are equal up to names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

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
from cera.model.expressions.expression import EventReference, Variable
from cera.model.expressions.expression import Expression as Condition
from cera.model.expressions.expression import rebuild as rebuild_condition
from cera.model.matching import patterns
from cera.model.matching.patterns import (
    Descendant,
    OptionalPattern,
    Pattern,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)
from cera.rules.earliest import Earliest


@dataclass(frozen=True)
class Names:
    """New names by old ones; a name that is not in it is kept."""

    identifiers: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)

    def identifier(self, name: str) -> str:
        return self.identifiers.get(name, name)

    def variable(self, name: str) -> str:
        return self.variables.get(name, name)

    def earliest(self, one: Earliest) -> Earliest:
        later = tuple(map(self.identifier, one.later))
        return replace(
            one, identifier=self.identifier(one.identifier), later=later, own=frozenset(map(self.variable, one.own))
        )

    def inverse(self) -> Names:
        return Names(
            {new: old for old, new in self.identifiers.items()}, {new: old for old, new in self.variables.items()}
        )

    def then(self, others: Names) -> Names:
        """Returns these names, renamed in turn."""
        return Names(
            {**others.identifiers, **{old: others.identifier(new) for old, new in self.identifiers.items()}},
            {**others.variables, **{old: others.variable(new) for old, new in self.variables.items()}},
        )


def renamed(expression: Expression, names: Names) -> Expression:
    """Writes other names into the expression. Only for expressions of events: below windows and merging."""
    match expression:
        case Matching():
            pattern = renamed_pattern(expression.pattern, names.variables)
            return replace(expression, identifier=names.identifier(expression.identifier), pattern=pattern)
        case AbsoluteTimers():
            pattern = renamed_pattern(expression.timer.pattern, names.variables)
            assert isinstance(pattern, TermPattern)
            timer = replace(expression.timer, pattern=pattern)
            return replace(expression, identifier=names.identifier(expression.identifier), timer=timer)
        case RelativeTimers():
            identifier, anchor = names.identifier(expression.identifier), names.identifier(expression.anchor)
            return replace(expression, identifier=identifier, anchor=anchor)
        case PeriodicWindows():
            over = tuple(names.identifier(name) for name in expression.over)
            return replace(expression, identifier=names.identifier(expression.identifier), over=over)
        case BoundedWindows():
            bounds = expression.bounds.renamed(names.identifier)
            return replace(expression, identifier=names.identifier(expression.identifier), bounds=bounds)
        case Join():
            earliest = None if expression.earliest is None else names.earliest(expression.earliest)
            return Join(renamed(expression.left, names), renamed(expression.right, names), earliest)
        case Selection():
            return Selection(renamed_condition(expression.condition, names), renamed(expression.input, names))
        case Reference() | Renaming():
            point, own = point_names(expression)
            return named(point, own.then(names))
        case _:
            raise AssertionError(f"{type(expression).__name__} is not renamed from within")


def is_point(expression: Expression) -> bool:
    """Returns whether an expression is a materialization point, perhaps under other names."""
    return isinstance(expression, Reference) or (isinstance(expression, Renaming) and is_point(expression.input))


def point_names(expression: Expression) -> tuple[Reference, Names]:
    """Returns the point below renamings, and the name that each of its attributes has above them."""
    match expression:
        case Reference():
            schema = expression.schema
            identifiers = schema.intervals | schema.references
            return expression, Names({name: name for name in identifiers}, {name: name for name in schema.data})
        case Renaming():
            point, below = point_names(expression.input)
            own = Names(_by_old(expression.identifiers), _by_old(expression.variables))
            return point, Names(
                {old: own.identifier(name) for old, name in below.identifiers.items()},
                {old: own.variable(name) for old, name in below.variables.items()},
            )
        case _:
            raise AssertionError(f"{type(expression).__name__} is no materialization point")


def named(expression: Expression, names: Names) -> Expression:
    """Returns ρ over the expression; the expression itself where no name changes."""
    schema = expression.schema
    identifiers = _changes(names.identifiers, schema.intervals | schema.references)
    variables = _changes(names.variables, schema.data)
    return Renaming(identifiers, variables, expression) if identifiers or variables else expression


def _changes(names: Mapping[str, str], existing: frozenset[str]) -> tuple[tuple[str, str], ...]:
    return tuple((new, old) for old, new in sorted(names.items()) if new != old and old in existing)


def _by_old(pairs: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return {old: new for new, old in pairs}


def renamed_condition(condition: Condition, names: Names) -> Condition:
    if isinstance(condition, EventReference):
        return replace(condition, identifier=names.identifier(condition.identifier))
    if isinstance(condition, Variable):
        return replace(condition, name=names.variable(condition.name))
    return rebuild_condition(condition, lambda part: renamed_condition(part, names))


def renamed_pattern(pattern: Pattern, variables: Mapping[str, str]) -> Pattern:
    if not patterns.variables(pattern) & variables.keys():
        return pattern
    match pattern:
        case TermPattern():
            return replace(pattern, children=tuple(renamed_pattern(child, variables) for child in pattern.children))
        case VariablePattern():
            inner = None if pattern.pattern is None else renamed_pattern(pattern.pattern, variables)
            return replace(pattern, name=variables.get(pattern.name, pattern.name), pattern=inner)
        case Descendant() | Without() | OptionalPattern():
            return replace(pattern, pattern=renamed_pattern(pattern.pattern, variables))
        case ScalarPattern() | RegexPattern():
            return pattern
