"""Literals about states: what can be said of a state, and what only of an event. XC121 to XC123."""

from __future__ import annotations

from collections.abc import Iterator

from cera.diagnostics import Diagnostic
from cera.languages.xchangeeq.syntax import (
    Query,
    RelativeTimerLiteral,
    RuleSyntax,
    StateLiteral,
    WhileLiteral,
    literals,
)
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Expression, InState
from cera.model.matching.patterns import Pattern, TermPattern
from cera.rules.states import STATE_TIMERS

#: Stands for a pattern that was refused.
_ANY_STATE = TermPattern("state", (), total=False)


def labelled(pattern: Pattern) -> TermPattern:
    """Returns the pattern of a literal about states, which has a label; one that has none was refused."""
    return pattern if isinstance(pattern, TermPattern) and isinstance(pattern.label, str) else _ANY_STATE


def check_states(rule: RuleSyntax) -> Iterator[Diagnostic]:
    """Reports patterns of states without a label, timers that states cannot have, and `in` of what is no state."""
    found = list(literals(rule.query))
    lasting = {each.identifier.name for each in found if isinstance(each, StateLiteral) and each.identifier}
    timers = [each for each in found if isinstance(each, RelativeTimerLiteral)]
    for _ in timers:  # a timer on a state is a state, and so is a timer on that
        lasting |= {each.identifier.name for each in timers if each.anchor.name in lasting and each.identifier}
    for literal in found:
        if isinstance(literal, StateLiteral) or (isinstance(literal, WhileLiteral) and literal.of_states):
            yield from _without_label(literal)
        elif isinstance(literal, RelativeTimerLiteral) and literal.anchor.name in lasting:
            yield from _impossible_timer(literal)
    for condition in _conditions(rule.query):
        for part in expressions.walk(condition):
            if isinstance(part, InState) and part.state.identifier not in lasting:
                name = part.state.identifier
                yield Diagnostic(
                    "XC123",
                    "error",
                    f"`{name}` is not a state: `in` asks whether an event is in a state",
                    part.state.span,
                    f"ask for the state with `state {name}: …`, or use an Allen relation such as `during`",
                )


def _conditions(query: Query) -> Iterator[Expression]:
    for literal in (query, *literals(query)):
        yield from getattr(literal, "conditions", ())
    for part in getattr(query, "queries", ()):
        yield from _conditions(part)


def _without_label(literal: StateLiteral | WhileLiteral) -> Iterator[Diagnostic]:
    pattern = literal.pattern
    if not isinstance(pattern, TermPattern) or not isinstance(pattern.label, str):
        yield Diagnostic(
            "XC121",
            "error",
            "a query for states names the label of the states",
            pattern.span or literal.span,
            "write for example `state s: auction{{ id{ var A } }}`",
        )


def _impossible_timer(timer: RelativeTimerLiteral) -> Iterator[Diagnostic]:
    if timer.kind not in STATE_TIMERS:
        yield Diagnostic(
            "XC122",
            "error",
            f"`{timer.kind}` cannot be a timer on the state `{timer.anchor.name}`: its time could be over before it is "
            "known",
            timer.span,
            f"a state can have {', '.join(STATE_TIMERS[:-1])} and {STATE_TIMERS[-1]}",
        )
