"""`w: p(X)` where `w` is a window, a timer or a state that is declared before it: its evaluation time, not its name."""

from __future__ import annotations

from dataclasses import replace

from cera.languages.streamlog.scopes import declarations
from cera.languages.streamlog.syntax import (
    Conjunction,
    Disjunction,
    Literal,
    Module,
    Program,
    Query,
    TimerLiteral,
    WindowLiteral,
)


def with_declared_times(program: Program) -> Program:
    """Returns a program in which `w: p(X)` is `while w: p(X)`, if `w` can be nothing else.

    The grammar of the paper writes a name and an evaluation time in the same way. A name that was given to an event is
    left as it is: two events with one name are a mistake.
    """
    return replace(program, modules=tuple(map(_module, program.modules)))


def _module(module: Module) -> Module:
    outer = frozenset(each.name for each in declarations(module.time))
    rules = tuple(replace(rule, query=_resolved(rule.query, outer)[0]) for rule in module.rules)
    return replace(module, rules=rules)


def _resolved(query: Query, times: frozenset[str]) -> tuple[Query, frozenset[str]]:
    """Returns a query, and what is known after it as an evaluation time."""
    match query:
        case Conjunction():
            parts: list[Query] = []
            for part in query.queries:
                made, times = _resolved(part, times)
                parts.append(made)
            return replace(query, queries=tuple(parts)), times
        case Disjunction():
            return replace(query, queries=tuple(_resolved(part, times)[0] for part in query.queries)), times
        case WindowLiteral() | TimerLiteral():
            return query, times | {each.name for each in declarations(query)}
        case Literal(identifier=name, time=None) if name is not None and name.name in times:
            return replace(query, identifier=None, time=name), times
        case Literal(identifier=name, kind="state", negated=False) if name is not None:
            return query, times | {name.name}
        case _:
            return query, times
