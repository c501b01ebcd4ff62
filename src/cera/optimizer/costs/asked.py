"""What rules ask of single events, as texts without variables: the keys of sampled shares.

bid(bidderID("007"))        events bid that have this value
bid: value > 0              events bid whose values satisfy the condition
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cera.algebra.plan_notation import condition_text
from cera.model.expressions.expression import Expression, Variable, event_references, rebuild, variables
from cera.model.matching import patterns
from cera.model.matching.patterns import Pattern, ScalarPattern, TermPattern, VariablePattern
from cera.model.terms.term import format_scalar
from cera.model.terms.values import Scalar
from cera.rules.analysis.unification import query_label
from cera.rules.rule import EventQuery, Rule

_ASCII = {"≤": "<=", "≥": ">=", "≠": "!=", "−": "-", "·": "*", "∧": "and", "∨": "or", "¬": "not "}


@dataclass(frozen=True)
class Question:
    """What is asked of events of one label: a pattern, or a condition on the values that it binds."""

    label: str
    pattern: Pattern
    condition: Expression | None
    key: str


def attributes_of(pattern: Pattern) -> dict[str, str]:
    """Returns the attribute whose value each variable of a pattern has, `position.x` for one inside another."""
    return {part.name: path for path, part in _leaves(pattern) if isinstance(part, VariablePattern)}


def constants_of(pattern: Pattern) -> list[tuple[str, Scalar]]:
    """Returns the values that a pattern demands of attributes."""
    return [(path, part.value) for path, part in _leaves(pattern) if isinstance(part, ScalarPattern)]


def _leaves(pattern: Pattern, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Pattern]]:
    """Yields the values and variables below plain labels, each with the way to it."""
    match pattern:
        case TermPattern(children=children):
            for child in children:
                if not isinstance(child, TermPattern):
                    yield from _leaves(child, path)
                elif isinstance(child.label, str):
                    yield from _leaves(child, (*path, child.label))
        case ScalarPattern() | VariablePattern():
            yield ".".join(path), pattern
        case _:
            return


def pattern_key(pattern: Pattern) -> str | None:
    """Returns the key of the values that a pattern demands; None if it demands none, or more than that."""
    label, constants = query_label(pattern), constants_of(pattern)
    if label is None or not constants or not _is_plain(pattern):
        return None
    return f"{label}({', '.join(sorted(f'{path}({format_scalar(value)})' for path, value in constants))})"


def condition_key(pattern: Pattern, condition: Expression) -> str | None:
    """Returns the key of a condition on the values of one event; None if it is about other things too."""
    attributes, label = attributes_of(pattern), query_label(pattern)
    used = variables(condition)
    if label is None or not used or event_references(condition) or not used <= attributes.keys():
        return None

    def named(part: Expression) -> Expression:
        if isinstance(part, Variable):
            return replace(part, name=attributes[part.name])
        return rebuild(part, named)

    return f"{label}: {as_written(condition_text(named(condition), repr))}"


def as_written(key: str) -> str:
    """Returns a key with the signs that a keyboard has."""
    for sign, text in _ASCII.items():
        key = key.replace(sign, text)
    return key


def questions(rule: Rule) -> Iterator[Question]:
    """Yields what a rule asks of single events."""
    for branch in rule.branches:
        queries: list[tuple[Pattern, tuple[Expression, ...]]] = [
            (query.pattern, branch.conditions) for query in branch.events if query.kind == "event"
        ]
        queries += [(part.pattern, part.conditions) for part in branch.accumulations]
        for pattern, conditions in queries:
            label, key = query_label(pattern), pattern_key(pattern)
            if label is not None and key is not None:
                yield Question(label, pattern, None, key)
            for condition in conditions:
                key = condition_key(pattern, condition)
                if label is not None and key is not None:
                    yield Question(label, pattern, condition, key)


def unsampled(rule: Rule) -> Iterator[EventQuery]:
    """Yields the queries of a rule of which no share can be sampled: they demand more than values of attributes."""
    for branch in rule.branches:
        yield from (query for query in branch.events if query.kind == "event" and not _is_plain(query.pattern))


def _is_plain(pattern: Pattern) -> bool:
    return query_label(pattern) is not None and all(
        isinstance(part, ScalarPattern)
        or (isinstance(part, TermPattern) and isinstance(part.label, str))
        or (isinstance(part, VariablePattern) and part.pattern is None)
        for part in patterns.walk(pattern)
    )
