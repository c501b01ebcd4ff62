"""By which attributes the events of clauses can be divided: those that all literals of a clause have with one variable.

    IF event: order(id(N)) THEN exists >= 3 event: item(id(N)) END        by id

What a clause finds then has one value of the attribute, and what happens with other values says nothing about it.
Windows of the clock and times before an event depend on when the stream begins, and places that nobody knows are
reported once: such clauses have no such attribute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from cera.constraints.clause import Clause
from cera.constraints.definitions import literals_of
from cera.constraints.names import ANONYMOUS
from cera.constraints.places import located_literals
from cera.constraints.queries import Literal, Part, TimerLiteral, WindowLiteral
from cera.model.expressions.atoms import Atom, Unbounded
from cera.model.expressions.expression import Variable

#: The timers that begin before what they are relative to.
_BACKWARD = ("extend-begin", "shift-backward", "from-end-backward", "from-start-backward")


def parts_of_clause(clause: Clause, bodies: Sequence[Sequence[Part]]) -> Iterator[Part]:
    """Yields all parts of a clause, with those of some bodies."""
    yield from clause.body
    for alternative in (*clause.head, *bodies):
        yield from alternative


def bodies_of(clause: Clause) -> list[tuple[Part, ...]]:
    """Returns the bodies of the definitions of a clause."""
    return [body for each in clause.definitions for body in each.bodies]


def asks_for_begin(clause: Clause) -> bool:
    """Returns whether the begin of the stream matters: something is judged in times that could begin before it."""
    parts = list(parts_of_clause(clause, bodies_of(clause)))
    backward = any(isinstance(part, TimerLiteral) and part.timer in _BACKWARD for part in parts)
    windows = any(isinstance(part, WindowLiteral) and not isinstance(part.window, Unbounded) for part in parts)
    return backward or windows or not any(isinstance(part, Literal) and part.count is None for part in clause.body)


def partitions(clause: Clause) -> frozenset[str]:
    """Returns the attributes by which the events of a clause can be divided."""
    if asks_for_begin(clause) or located_literals(clause):
        return frozenset()
    found = _shared(clause.body, [part for alternative in clause.head for part in alternative])
    for definition in clause.definitions:
        for body in definition.bodies:
            found &= _shared(body, [definition.head])
    return found


def _shared(body: Sequence[Part], others: Sequence[Part]) -> frozenset[str]:
    """Returns the attributes that all literals have with the same variable, to which the body gives its value."""
    needed = [part for part in body if isinstance(part, Literal) and _gives_values(part)]
    if not needed:
        return frozenset()
    literals = [each for part in (*body, *others) for each in literals_of(part) if each.kind != "relation"]
    keys = frozenset[tuple[str, str]].intersection(*(_variables(each.atom) for each in literals))
    return frozenset(attribute for attribute, _ in keys)


def _gives_values(literal: Literal) -> bool:
    return literal.kind != "relation" and literal.count is None and not literal.negated


def _variables(atom: Atom) -> frozenset[tuple[str, str]]:
    """Returns the attributes that an atom has once and with a variable, each with its name."""
    inside = [argument for argument in atom.arguments if isinstance(argument, Atom)]
    often = Counter(argument.label for argument in inside)
    return frozenset(
        (argument.label, inner.name)
        for argument in inside
        if often[argument.label] == 1 and len(argument.arguments) == 1
        for inner in argument.arguments
        if isinstance(inner, Variable) and inner.name != ANONYMOUS
    )
