"""Finding the rules that derive what a query could match, without trying every rule.

Rules are taken together by the label and the shape of their heads. A shape is what unification sees of a query or a
head: queries and heads of the same shape meet the same others. The names of variables do not count, because each
occurrence of one is taken by itself, and of an expression in a head only its kind does. A program of many rules has few
shapes.

Among the heads of one label a query with a child such as `sensor{"s1"}` meets only those that have this child, or one
whose value is open, or a variable in the place of a child; whichever child leaves the fewest heads is looked at first.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, assert_never

from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct
from cera.model.expressions.expression import Literal
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
from cera.model.terms.values import scalar_key
from cera.rules.analysis.unification import choices_of, could_match, head_label, query_label
from cera.rules.reasoning.expression_kinds import kind_of
from cera.rules.rule import Rule

#: A child by its label and by the only value in it, if it is written out.
_ChildKey = tuple[str, tuple[Any, ...] | None]


class Producers:
    """An index of the rules by what they derive, to find those that derive what a pattern matches."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._heads: list[Construct] = []
        self._rules_of_head: list[list[int]] = []
        self._by_label: dict[str, _Heads] = {}
        self._any_label: list[int] = []
        self._labelled: dict[str, list[int]] = {}
        self._known: dict[Hashable, tuple[int, ...]] = {}
        heads: dict[Hashable, int] = {}
        for i, rule in enumerate(rules):
            if rule.recipient is not None:
                continue
            label, shape = head_label(rule.head), head_shape(rule.head)
            if label is not None:
                self._labelled.setdefault(label, []).append(i)
            if shape in heads:
                self._rules_of_head[heads[shape]].append(i)
                continue
            heads[shape] = number = len(self._heads)
            self._heads.append(rule.head)
            self._rules_of_head.append([i])
            if label is None:
                self._any_label.append(number)
            else:
                self._by_label.setdefault(label, _Heads()).add(number, rule.head)

    @property
    def labels(self) -> frozenset[str]:
        return frozenset(self._labelled)

    def with_label(self, label: str) -> list[int]:
        """Returns the rules whose events have that label."""
        return self._labelled.get(label, [])

    def of(self, pattern: Pattern) -> tuple[int, ...]:
        """Returns the positions of the rules whose heads the pattern could match, in the order of the text."""
        shape = pattern_shape(pattern)
        if shape not in self._known:
            met = [head for head in self._candidates(pattern) if could_match(pattern, self._heads[head])]
            self._known[shape] = tuple(sorted(i for head in met for i in self._rules_of_head[head]))
        return self._known[shape]

    def _candidates(self, pattern: Pattern) -> Iterator[int]:
        label = query_label(pattern)
        if label is None:
            yield from range(len(self._heads))
            return
        yield from self._any_label
        if label in self._by_label:
            yield from self._by_label[label].candidates(pattern)


class _Heads:
    """Heads of one label by their children."""

    def __init__(self) -> None:
        self._all: list[int] = []
        self._anything: set[int] = set()
        self._by_child: dict[_ChildKey, set[int]] = {}
        self._by_child_label: dict[str, set[int]] = {}

    def add(self, number: int, head: Construct) -> None:
        self._all.append(number)
        for term in choices_of(head):
            for child in term.children if isinstance(term, ConstructTerm) else ():
                for choice in choices_of(child):
                    if isinstance(choice, ConstructTerm):
                        self._by_child.setdefault(_written(choice), set()).add(number)
                        self._by_child_label.setdefault(choice.label, set()).add(number)
                    else:
                        self._anything.add(number)

    def candidates(self, pattern: Pattern) -> Sequence[int]:
        """Returns the heads that have something for each child of the pattern."""
        needed = [self._having(label, value) for label, value in _needed(pattern)]
        if not needed:
            return self._all
        needed.sort(key=lambda sets: sum(map(len, sets)))
        first, *others = needed
        found = frozenset().union(*first)
        return sorted(head for head in found if all(any(head in one for one in sets) for sets in others))

    def _having(self, label: str, value: tuple[Any, ...] | None) -> tuple[set[int], ...]:
        if value is None:
            return (self._by_child_label.get(label, set()), self._anything)
        exact, still_open = self._by_child.get((label, value), set()), self._by_child.get((label, None), set())
        return (exact, still_open, self._anything)


def _written(term: ConstructTerm) -> _ChildKey:
    match term.children:
        case (ConstructValue(expression=Literal(value=value)),):
            return term.label, scalar_key(value)
        case _:
            return term.label, None


def _needed(pattern: Pattern) -> Iterator[_ChildKey]:
    """Yields the children with a label without which the pattern cannot match."""
    match pattern:
        case VariablePattern(pattern=inner) if inner is not None:
            yield from _needed(inner)
        case TermPattern():
            for child in map(_without_variable, pattern.children):
                if isinstance(child, TermPattern) and isinstance(child.label, str):
                    values = [scalar_key(part.value) for part in child.children if isinstance(part, ScalarPattern)]
                    yield child.label, values[0] if values else None
        case _:
            pass


def _without_variable(pattern: Pattern) -> Pattern:
    if isinstance(pattern, VariablePattern) and pattern.pattern is not None:
        return _without_variable(pattern.pattern)
    return pattern


def pattern_shape(pattern: Pattern) -> Hashable:
    match pattern:
        case TermPattern():
            children = tuple(pattern_shape(child) for child in pattern.children)
            return (pattern.label, pattern.ordered, pattern.total, children)
        case ScalarPattern():
            return ("scalar", scalar_key(pattern.value))
        case RegexPattern():
            return ("regex", pattern.expression)
        case VariablePattern():
            return None if pattern.pattern is None else pattern_shape(pattern.pattern)
        case Descendant():
            return ("desc", pattern_shape(pattern.pattern))
        case OptionalPattern():
            return ("optional", pattern_shape(pattern.pattern))
        case Without():
            return "without"
        case _:
            assert_never(pattern)


def head_shape(head: Construct) -> Hashable:
    match head:
        case ConstructTerm():
            return (head.label, head.ordered, tuple(head_shape(child) for child in head.children))
        case ConstructValue(expression=Literal(value=value)):
            return ("scalar", scalar_key(value))
        case ConstructValue():
            return kind_of(head.expression)
        case All():
            return ("all", head_shape(head.construct))
        case OptionalConstruct():
            default = None if head.default is None else head_shape(head.default)
            return ("optional", head_shape(head.construct), default)
        case _:
            assert_never(head)
