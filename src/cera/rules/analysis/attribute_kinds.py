"""The kinds of values that rules expect of attributes: `temp{ var T }` with `var T > 3` expects a number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cera.diagnostics import Span
from cera.model.events.attributes import Path
from cera.model.expressions.expression import Comparison, Expression, Variable
from cera.model.matching.patterns import (
    OptionalPattern,
    Pattern,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)
from cera.model.terms.values import is_number
from cera.rules.reasoning.value_kinds import BOOLEAN, NUMBER, STRING, Kinds, possible_kinds
from cera.rules.rule import Branch, Rule


@dataclass(frozen=True)
class ExpectedKind:
    """The kinds of values of an attribute that can satisfy a query; `needed` as in `AskedAttribute`."""

    label: str
    path: Path
    kinds: Kinds
    needed: bool
    span: Span | None = field(default=None, compare=False, repr=False)


def expected_row_kinds(rules: Sequence[Rule]) -> tuple[ExpectedKind, ...]:
    """Returns the same of the attributes of relations."""
    found: dict[ExpectedKind, None] = {}
    for branch in (branch for rule in rules for branch in rule.branches):
        kinds = _kinds(branch.conditions)
        for query in branch.relations:
            found.update(dict.fromkeys(_of_event(query.pattern, kinds, needed=True)))
    return tuple(found)


def expected_kinds(rules: Sequence[Rule]) -> tuple[ExpectedKind, ...]:
    """Returns the kinds expected of attributes that hold only a variable or a value, unless every kind is possible."""
    found: dict[ExpectedKind, None] = {}
    for rule in rules:
        for branch in rule.branches:
            for each in _of_branch(branch, needed=len(rule.branches) == 1):
                found.setdefault(each)
    return tuple(found)


def _of_branch(branch: Branch, *, needed: bool) -> Iterator[ExpectedKind]:
    kinds = _kinds(branch.conditions)
    for query in branch.events:
        yield from _of_event(query.pattern, kinds, needed=needed)
    for part in branch.accumulations:
        own = _kinds((*branch.conditions, *part.conditions))
        yield from _of_event(part.pattern, own, needed=needed and not part.negated)


def _kinds(conditions: Iterable[Expression]) -> Mapping[str, Kinds]:
    """Returns the kinds that variables must have for all comparisons to hold."""
    return possible_kinds([condition for condition in conditions if isinstance(condition, Comparison)])


def _of_event(pattern: Pattern, kinds: Mapping[str, Kinds], *, needed: bool) -> Iterator[ExpectedKind]:
    match pattern:
        case VariablePattern(pattern=inner) if inner is not None:
            yield from _of_event(inner, kinds, needed=needed)
        case TermPattern(label=str(label)):
            for child in pattern.children:
                yield from _of_child(child, kinds, label, (), needed=needed)
        case _:
            pass


def _of_child(
    pattern: Pattern, kinds: Mapping[str, Kinds], label: str, parent: Path, *, needed: bool
) -> Iterator[ExpectedKind]:
    match pattern:
        case VariablePattern(pattern=inner) if inner is not None:
            yield from _of_child(inner, kinds, label, parent, needed=needed)
        case Without() | OptionalPattern():
            yield from _of_child(pattern.pattern, kinds, label, parent, needed=False)
        case TermPattern(label=str(name), children=(only,)) if (expected := _of_value(only, kinds)) is not None:
            yield ExpectedKind(label, (*parent, name), expected, needed, pattern.span)
        case TermPattern(label=str(name)):
            for child in pattern.children:
                yield from _of_child(child, kinds, label, (*parent, name), needed=needed)
        case _:
            pass


def _of_value(pattern: Pattern, kinds: Mapping[str, Kinds]) -> Kinds | None:
    """Returns the kinds of leaves that the pattern can match, None if it can match any or is not a leaf."""
    match pattern:
        case ScalarPattern(value=value):
            return BOOLEAN if isinstance(value, bool) else NUMBER if is_number(value) else STRING
        case RegexPattern():
            return STRING
        case VariablePattern(pattern=None):
            return kinds.get(repr(Variable(pattern.name)))
        case VariablePattern(pattern=inner) if inner is not None:
            return _of_value(inner, kinds)
        case _:
            return None
