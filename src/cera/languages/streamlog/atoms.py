"""Atoms as heads, and the variables in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cera.languages.streamlog.scopes import ANONYMOUS
from cera.model.expressions.atoms import Atom, Renaming
from cera.model.expressions.constructs import Construct, ConstructTerm, ConstructValue
from cera.model.expressions.expression import Aggregate, Call, Expression, Variable, operands, rebuild

_UNNAMED = "_#"


def head_of(atom: Atom) -> ConstructTerm:
    """Returns the head that an atom is."""
    children = tuple(_construct(argument) for argument in atom.arguments)
    several = len(children) > 1 and not any(isinstance(argument, Atom) for argument in atom.arguments)
    return ConstructTerm(atom.label, children, ordered=several, span=atom.span)


def _construct(argument: Atom | Expression) -> Construct:
    if isinstance(argument, Atom):
        return head_of(argument)
    return ConstructValue(_aggregated(argument), argument.span)


def _aggregated(expression: Expression) -> Expression:
    """Returns the expression with `count(A, I)`, which names the variables of its groups, as a count (ERR-38)."""
    if isinstance(expression, Call) and expression.function == "count":
        variables = [part for part in expression.arguments if isinstance(part, Variable)]
        return Aggregate("count", variables[0], span=expression.span)
    return rebuild(expression, _aggregated)


def has_aggregate(atom: Atom) -> bool:
    """Returns whether a head aggregates."""
    return any(has_aggregate(a) if isinstance(a, Atom) else _aggregates(a) for a in atom.arguments)


def group_variables(atom: Atom) -> frozenset[str]:
    """Returns the variables of a head that stand outside of its aggregates."""
    return frozenset(name for argument in atom.arguments for name in _grouping(argument))


def _grouping(part: Atom | Expression) -> Iterator[str]:
    if isinstance(part, Atom):
        yield from group_variables(part)
    elif isinstance(part, Variable):
        yield part.name
    elif not isinstance(part, Aggregate) and not (isinstance(part, Call) and part.function == "count"):
        for operand in operands(part):
            yield from _grouping(operand)


def _aggregates(expression: Expression) -> bool:
    if isinstance(expression, Aggregate) or (isinstance(expression, Call) and expression.function == "count"):
        return True
    found: list[bool] = []

    def look(part: Expression) -> Expression:
        found.append(_aggregates(part))
        return part

    rebuild(expression, look)
    return any(found)


def renamed(expression: Expression, name: Renaming) -> Expression:
    """Returns an expression with the names that variables have in the rule."""
    if isinstance(expression, Variable):
        return replace(expression, name=name(expression.name))
    return rebuild(expression, lambda part: renamed(part, name))


def is_anonymous(variable: str) -> bool:
    return variable == ANONYMOUS


def unnamed_variable(number: int, mark: str) -> str:
    """Returns the name that a `_` has in a branch."""
    return f"{_UNNAMED}{number}{mark}"


def is_unnamed(variable: str) -> bool:
    """Returns whether a variable of a branch is a `_`."""
    return variable.startswith(_UNNAMED)
