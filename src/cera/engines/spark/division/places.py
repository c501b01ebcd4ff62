"""Places of variables' values in events.

A place is the path of labels from the event to the term whose one child is the value: in `temp{{ area{{ var A }} }}`
the variable A stands at ("area",). Only such places are known that every match shares, and that a column or a field of
JSON can stand for.
"""

from __future__ import annotations

from collections import Counter

from cera.model.expressions.constructs import Construct, ConstructTerm, ConstructValue
from cera.model.expressions.expression import Variable
from cera.model.matching.patterns import Pattern, TermPattern, VariablePattern

Place = tuple[str, ...]


def places(pattern: Pattern, variable: str) -> frozenset[Place]:
    """Returns the places of a variable in a pattern; several stand for the same value."""
    return frozenset(_places(_inner(pattern), variable, ()))


def _places(pattern: Pattern | None, variable: str, path: Place) -> list[Place]:
    if not isinstance(pattern, TermPattern):
        return []
    found: list[Place] = []
    labels = Counter(label for child in pattern.children if (label := _label(child)) is not None)
    for child in pattern.children:
        inner = _inner(child)
        if isinstance(child, VariablePattern) and child.name == variable and child.pattern is None:
            in_list = pattern.ordered and not pattern.total  # `path[[var X]]` is for terms of many values
            if path and len(pattern.children) == 1 and not in_list:
                found.append(path)
        elif isinstance(inner, TermPattern) and isinstance(inner.label, str) and labels[inner.label] == 1:
            found += _places(inner, variable, (*path, inner.label))
    return found


def _inner(pattern: Pattern) -> Pattern | None:
    """Returns the pattern of the term that a variable is bound to; any other pattern as it is."""
    while isinstance(pattern, VariablePattern):
        if pattern.pattern is None:
            return None
        pattern = pattern.pattern
    return pattern


def _label(pattern: Pattern) -> str | None:
    inner = _inner(pattern)
    return inner.label if isinstance(inner, TermPattern) and isinstance(inner.label, str) else None


def value_at(head: Construct, place: Place) -> ConstructValue | None:
    """Returns the value that stands at a place in every event of a head, if it is a single value."""
    construct = head
    for label in place:
        if not isinstance(construct, ConstructTerm):
            return None
        below = [child for child in construct.children if isinstance(child, ConstructTerm) and child.label == label]
        if len(below) != 1 or not all(isinstance(child, ConstructTerm) for child in construct.children):
            return None
        [construct] = below
    match construct:
        case ConstructTerm(children=(ConstructValue() as value,)):
            return value
        case _:
            return None


def variable_at(head: Construct, place: Place) -> str | None:
    """Returns the variable whose value, and nothing else, every event of a head has at a place."""
    value = value_at(head, place)
    return value.expression.name if value is not None and isinstance(value.expression, Variable) else None
