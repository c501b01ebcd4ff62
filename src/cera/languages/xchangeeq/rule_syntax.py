"""Written rules as syntax trees: branches as `or`, a literal a line, conditions behind them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from cera.languages.xchangeeq.syntax import (
    AbsoluteTimerLiteral,
    Conjunction,
    DetectHead,
    Disjunction,
    EventLiteral,
    Identifier,
    Literal,
    Query,
    RaiseHead,
    RelationLiteral,
    RelativeTimerLiteral,
    RuleSyntax,
    StateLiteral,
    WhileLiteral,
)
from cera.rules.written import WrittenAccumulation, WrittenBranch, WrittenRule


def as_syntax(rule: WrittenRule, unnamed: Collection[str] = ()) -> RuleSyntax:
    """Returns the rule as it would be written; the identifiers that are `unnamed` are left out."""
    branches = [_branch(branch, unnamed) for branch in rule.branches]
    recipient = rule.recipient
    return RuleSyntax(
        RaiseHead(recipient.address, recipient.transport, rule.head) if recipient else DetectHead(rule.head),
        branches[0] if len(branches) == 1 else Disjunction(tuple(branches)),
    )


def _branch(branch: WrittenBranch, unnamed: Collection[str]) -> Query:
    literals = tuple(sorted(literals_of(branch, unnamed), key=lambda each: not isinstance(each, StateLiteral)))
    match literals:
        case [EventLiteral() | StateLiteral() as only]:
            kind = type(only)
            return kind(only.identifier, only.pattern, branch.conditions)
        case _:
            return Conjunction(literals, branch.conditions)


def literals_of(branch: WrittenBranch, unnamed: Collection[str] = ()) -> Iterator[Literal]:
    """Yields the literals of a branch, in the order of their kinds."""

    def name(identifier: str) -> Identifier | None:
        return None if identifier in unnamed else Identifier(identifier)

    for event in branch.events:
        yield EventLiteral(name(event.identifier), event.pattern)
    for state in branch.states:
        yield StateLiteral(name(state.identifier), state.pattern)
    for absolute in branch.absolute_timers:
        yield AbsoluteTimerLiteral(name(absolute.identifier), absolute.timer)
    for rows in branch.relations:
        yield RelationLiteral(name(rows.identifier), rows.pattern)
    for timer in branch.relative_timers:
        yield RelativeTimerLiteral(name(timer.identifier), timer.kind, Identifier(timer.anchor), timer.duration)
    for part in branch.accumulations:
        yield _while(part)


def _while(part: WrittenAccumulation) -> WhileLiteral:
    window = Identifier(part.window)
    return WhileLiteral(window, part.negated, part.pattern, part.conditions, of_states=part.of_states)
