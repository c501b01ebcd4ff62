"""What is known at each place of a rule: the identifiers that are declared and the variables that are bound.

A conjunction knows what any of its parts declares or binds, a disjunction what all of its alternatives do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce

from cera.languages.streamlog.syntax import (
    Conjunction,
    Disjunction,
    EvaluationTime,
    Leaf,
    Literal,
    Module,
    Query,
    Rule,
    Timer,
    TimerLiteral,
    WindowLiteral,
    anchored,
)
from cera.languages.text.nodes import Identifier
from cera.model.expressions.atoms import Atom
from cera.model.expressions.expression import Expression, Variable, walk

#: The variable that is another one wherever it stands.
ANONYMOUS = "_"


@dataclass(frozen=True)
class Scope:
    """Identifiers with what they stand for, and variables."""

    times: Mapping[str, EvaluationTime]
    variables: frozenset[str]

    def with_(self, other: Scope) -> Scope:
        return Scope({**self.times, **other.times}, self.variables | other.variables)


NOTHING = Scope({}, frozenset())


def scope_of(query: Query) -> Scope:
    """Returns what a query declares and binds for others."""
    match query:
        case Conjunction():
            return reduce(Scope.with_, map(scope_of, query.queries), NOTHING)
        case Disjunction():
            first, *others = map(scope_of, query.queries)
            return reduce(_common, others, first)
        case Literal():
            inside = time_scope(query.time)
            if query.negated:
                return inside
            return inside.with_(_named(query, query.identifier, frozenset(atom_variables(query.atom))))
        case TimerLiteral() | WindowLiteral():
            return time_scope(query)
        case _:
            return NOTHING


def time_scope(time: EvaluationTime | None) -> Scope:
    """Returns what an evaluation time declares and binds."""
    anchor = anchored(time)
    bound = NOTHING if anchor is None else _named(anchor, anchor.identifier, frozenset(atom_variables(anchor.atom)))
    match time:
        case TimerLiteral() | WindowLiteral():
            return bound.with_(_named(time, time.identifier, frozenset()))
        case _:
            return bound


def rule_scope(module: Module, rule: Rule) -> Scope:
    """Returns what the head of a rule can use, itself apart."""
    return time_scope(module.time).with_(scope_of(rule.query))


def places(query: Query, outer: Scope) -> Iterator[tuple[Leaf, Scope]]:
    """Yields the leaves of a query, each with what is known there."""
    match query:
        case Conjunction():
            known = outer.with_(scope_of(query))
            for part in query.queries:
                yield from places(part, known)
        case Disjunction():
            for part in query.queries:
                yield from places(part, outer)
        case _:
            yield query, outer.with_(scope_of(query))


def atom_variables(atom: Atom) -> Iterator[str]:
    """Yields the variables of an atom; `_` is not one."""
    return (each.name for each in atom_values(atom) if isinstance(each, Variable) and each.name != ANONYMOUS)


def atom_values(atom: Atom) -> Iterator[Expression]:
    """Yields the expressions of an atom and of those in it, with all that is inside of them."""
    for argument in atom.arguments:
        if isinstance(argument, Atom):
            yield from atom_values(argument)
        else:
            yield from walk(argument)


def declarations(time: EvaluationTime | None) -> Iterator[Identifier]:
    """Yields the identifiers that an evaluation time declares."""
    match time:
        case Literal() | WindowLiteral():
            declared = [time.identifier]
        case TimerLiteral(timer=Timer(anchor=Literal() as anchor)):
            declared = [time.identifier, anchor.identifier]
        case TimerLiteral():
            declared = [time.identifier]
        case _:
            declared = []
    yield from (each for each in declared if each is not None)


def _named(time: EvaluationTime, identifier: Identifier | None, variables: frozenset[str]) -> Scope:
    return Scope({} if identifier is None else {identifier.name: time}, variables)


def _common(one: Scope, other: Scope) -> Scope:
    times = {name: time for name, time in one.times.items() if name in other.times}
    return Scope(times, one.variables & other.variables)
