"""Matching against a deliberately naive evaluation of its definition.

The oracle tries every injective (order-preserving) mapping of pattern children to data children and never shares any
work. It shares the definition with the implementation, and `bound_variables` and its like, but no algorithm: it finds
every answer that cleverness loses or invents, but not a definition that is wrong; `test_matching.py` is for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cera.model.matching.matching import compile_regex, match, substitution_key
from cera.model.matching.patterns import (
    AnyLabel,
    Descendant,
    OptionalPattern,
    Pattern,
    RegexLabel,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
    bound_variables,
    optional_variables,
    variables,
)
from cera.model.terms.term import Term, Value, same
from hypothesis_profiles import examples
from pattern_strategies import competing_children, everything_in, patterns_and_terms

Bindings = dict[str, Value]
#: σ, and for each matched child, by its position, the bindings that were given to it and its answer.
Match = tuple[Bindings, dict[int, tuple[Bindings, Bindings]]]


def union(one: Bindings, other: Bindings) -> Bindings | None:
    agree = all(same(one[name], value) for name, value in other.items() if name in one)
    return {**one, **other} if agree else None


def equal(one: Bindings, other: Bindings) -> bool:
    return substitution_key(one) == substitution_key(other)


def answers(pattern: Pattern, value: Value, outer: Bindings) -> Iterator[Bindings]:
    """The substitutions of a pattern, `outer` being what is bound outside of it; repeated as it happens."""
    match pattern:
        case VariablePattern(name=name, pattern=None):
            yield {name: value}
        case VariablePattern(name=name, pattern=inner):
            assert inner is not None
            for answer in answers(inner, value, {**outer, name: value}):
                if (joined := union({name: value}, answer)) is not None:
                    yield joined
        case ScalarPattern(value=scalar):
            if same(scalar, value):
                yield {}
        case RegexPattern(expression=expression):
            if isinstance(value, str) and compile_regex(expression).matches(value):
                yield {}
        case Descendant(pattern=inner):
            for below in everything_in(value):
                yield from answers(inner, below, outer)
        case TermPattern():
            if isinstance(value, Term) and label_fits(pattern, value) and order_fits(pattern, value):
                yield from Children(pattern, value, outer).answers()
        case _:
            raise AssertionError(pattern)


def label_fits(pattern: TermPattern, value: Term) -> bool:
    match pattern.label:
        case AnyLabel():
            return True
        case RegexLabel(expression):
            return compile_regex(expression).matches(value.label)
        case label:
            return label == value.label


def order_fits(pattern: TermPattern, value: Term) -> bool:
    return not pattern.ordered or value.ordered or len(value.children) <= 1


def core(pattern: Pattern) -> Pattern:
    """The pattern without `without` and `optional`."""
    match pattern:
        case TermPattern():
            kept = [core(c) for c in pattern.children if not isinstance(c, Without | OptionalPattern)]
            some_optional = any(isinstance(c, OptionalPattern) for c in pattern.children)
            return TermPattern(pattern.label, tuple(kept), pattern.ordered, pattern.total and not some_optional)
        case VariablePattern(name=name, pattern=inner) if inner is not None:
            return VariablePattern(name, core(inner))
        case Descendant(pattern=inner):
            return Descendant(core(inner))
        case _:
            return pattern


class Children:
    """Steps (1) to (4) of `cera.model.matching.term_matcher`, word for word."""

    def __init__(self, pattern: TermPattern, value: Term, outer: Bindings) -> None:
        self.pattern = pattern
        self.data = value.children
        self.outer = {name: bound for name, bound in outer.items() if name in variables(pattern)}
        self.inner = [c.pattern if isinstance(c, Without | OptionalPattern) else c for c in pattern.children]
        self.required = self.positions(lambda c: not isinstance(c, Without | OptionalPattern))
        self.optional = self.positions(lambda c: isinstance(c, OptionalPattern))
        self.without = self.positions(lambda c: isinstance(c, Without))
        self.surely = frozenset().union(*(bound_variables(self.inner[i]) for i in self.required))
        # The variables that a child may see: bound in required places anywhere, or as optional ones to the left.
        self.visible: dict[int, frozenset[str]] = {}
        seen = frozenset(outer) | self.surely
        for position in (*self.required, *self.optional, *self.without):
            self.visible[position] = seen - bound_variables(self.inner[position])
            if position not in self.without:
                seen |= bound_variables(self.inner[position]) | optional_variables(self.inner[position])

    def positions(self, wanted: object) -> list[int]:
        return [i for i, child in enumerate(self.pattern.children) if wanted(child)]  # type: ignore[operator]

    def given_to(self, position: int, sigma: Bindings) -> Bindings:
        return {name: value for name, value in sigma.items() if name in self.visible[position]}

    def placements(self, positions: Sequence[int]) -> Iterator[dict[int, Value]]:
        ordered = sorted(positions)
        for places in permutations(range(len(self.data)), len(ordered)):
            if not self.pattern.ordered or list(places) == sorted(places):
                yield {position: self.data[place] for position, place in zip(ordered, places, strict=True)}

    def can_be_placed(self, chosen: dict[int, tuple[Bindings, Bindings]]) -> bool:
        return any(
            all(
                any(equal(answer, found) for found in answers(self.inner[i], placement[i], given))
                for i, (given, answer) in chosen.items()
            )
            for placement in self.placements(list(chosen))
        )

    def joint(self) -> Iterator[Match]:
        """Step (1)."""
        for placement in self.placements(self.required):
            cores = [list(answers(core(self.inner[i]), placement[i], {})) for i in self.required]
            for choice in product(*cores):
                matches: list[Match] = [(self.outer, {})]
                for answer in choice:
                    matches = [(joined, {}) for sigma, _ in matches if (joined := union(sigma, answer)) is not None]
                for position in self.required:
                    matches = [
                        (joined, {**chosen, position: (given, answer)})
                        for sigma, chosen in matches
                        for given in [self.given_to(position, sigma)]
                        for answer in answers(self.inner[position], placement[position], given)
                        if (joined := union(sigma, answer)) is not None
                    ]
                yield from matches

    def extensions(self, found: Match, position: int) -> list[Match]:
        sigma, chosen = found
        given = self.given_to(position, sigma)
        return [
            (joined, extended)
            for value in self.data
            for answer in answers(self.inner[position], value, given)
            for extended in [{**chosen, position: (given, answer)}]
            if (joined := union(sigma, answer)) is not None and self.can_be_placed(extended)
        ]

    def answers(self) -> Iterator[Bindings]:
        for first in self.joint():
            matches = [first]
            for position in self.optional:
                matches = [new for old in matches for new in self.extensions(old, position) or [old]]
            for found in matches:
                if self.pattern.total and len(found[1]) != len(self.data):
                    continue
                if not any(self.extensions(found, position) for position in self.without):
                    yield found[0]


def as_set(substitutions: Sequence[Bindings]) -> set[object]:
    return {substitution_key(s) for s in substitutions}


def agrees_with_the_definition(pattern: Pattern, term: Term) -> None:
    found = match(pattern, term)
    assert as_set(found) == as_set(list(answers(pattern, term, {})))
    assert len(as_set(found)) == len(found)


@settings(max_examples=examples(300), deadline=None)
@given(patterns_and_terms())
def test_matching_gives_exactly_the_substitutions_of_the_naive_definition(case: tuple[Pattern, Term]) -> None:
    agrees_with_the_definition(*case)


@settings(max_examples=examples(300), deadline=None)
@given(competing_children())
def test_matching_agrees_with_the_definition_where_children_compete(case: tuple[Pattern, Term]) -> None:
    agrees_with_the_definition(*case)


@pytest.mark.long
@settings(max_examples=examples(20_000), deadline=None)
@given(st.one_of(patterns_and_terms(), competing_children()))
def test_matching_agrees_with_the_definition_on_many_more_cases(case: tuple[Pattern, Term]) -> None:
    agrees_with_the_definition(*case)
