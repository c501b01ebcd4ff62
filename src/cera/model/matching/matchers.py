"""Patterns made ready for matching: a matcher gives the distinct substitutions of its pattern on one value.

This file has the matchers that look at one value as a whole; `cera.model.matching.term_matcher` adds labels and
children. Answers may be shared between results and are never changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cera.model.matching.combination import Search
from cera.model.matching.patterns import Pattern
from cera.model.matching.substitutions import NOTHING_BOUND, Substitution, bindings_key, identity, join, restrict
from cera.model.regex.regular_expressions import CompiledRegex
from cera.model.terms.term import Term, Value
from cera.model.terms.values import Scalar

MATCHED: Sequence[Substitution] = (NOTHING_BOUND,)
FAILED: Sequence[Substitution] = ()

_NO_NAMES: frozenset[str] = frozenset()


class Matcher:
    """The base of all matchers. `names` are the variables that an answer may bind, `bound` those that every answer
    binds.

    `context` are the variables that the pattern mentions only inside `without` or `optional` and that are bound outside
    of it: a match depends on their values, which are `given`.
    """

    names: frozenset[str] = _NO_NAMES
    bound: frozenset[str] = _NO_NAMES
    context: frozenset[str] = _NO_NAMES
    #: The one label that the value must have, if there is such a label.
    label: str | None = None

    def answers(self, value: Value, given: Substitution, search: Search) -> Sequence[Substitution]:
        raise NotImplementedError


def distinct(answers: Iterable[Substitution], names: Sequence[str]) -> list[Substitution]:
    """Returns the answers that differ in these variables, in the order in which they come."""
    found: dict[object, Substitution] = {}
    for answer in answers:
        found.setdefault(bindings_key(answer, names), answer)
    return list(found.values())


class AnyValue(Matcher):
    """A matcher for everything that binds nothing: a variable that is never used."""

    def answers(self, value: Value, given: Substitution, search: Search) -> Sequence[Substitution]:
        return MATCHED


class ScalarMatcher(Matcher):
    def __init__(self, value: Scalar) -> None:
        self._identity = identity(value)

    def answers(self, value: Value, given: Substitution, search: Search) -> Sequence[Substitution]:
        return MATCHED if identity(value) == self._identity else FAILED


class TextMatcher(Matcher):
    def __init__(self, expression: CompiledRegex) -> None:
        self._matches = expression.matches

    def answers(self, value: Value, given: Substitution, search: Search) -> Sequence[Substitution]:
        return MATCHED if isinstance(value, str) and self._matches(value) else FAILED


class VariableMatcher(Matcher):
    """σ(X) = v, and σ is an answer of the pattern after the arrow, if there is one."""

    def __init__(self, name: str, pattern: Matcher | None) -> None:
        self._name = name
        self._pattern = pattern
        self.bound = frozenset({name})
        self.names = self.bound
        if pattern is not None:
            self.bound |= pattern.bound
            self.names |= pattern.names
            self.context = pattern.context - {name}
            self.label = pattern.label

    def answers(self, value: Value, given: Substitution, search: Search) -> Sequence[Substitution]:
        own = {self._name: value}
        if self._pattern is None:
            return (own,)
        inner_given = restrict({**given, **own}, self._pattern.context)
        joined = (join(own, answer) for answer in self._pattern.answers(value, inner_given, search))
        return [answer for answer in joined if answer is not None]


class ProjectionMatcher(Matcher):
    """The answers of a pattern cut down to some variables: the others only have to have some value."""

    def __init__(self, pattern: Matcher, kept: frozenset[str]) -> None:
        self._pattern = pattern
        self.names = pattern.names & kept
        self.bound = pattern.bound & kept
        self.context = pattern.context
        self.label = pattern.label
        self._order = tuple(sorted(self.names))

    def answers(self, value: Value, given: Substitution, search: Search) -> Sequence[Substitution]:
        full = self._pattern.answers(value, given, search)
        return distinct((restrict(answer, self.names) for answer in full), self._order)


class DescendantMatcher(Matcher):
    """The union of the answers on the value itself and on everything below it."""

    def __init__(self, source: Pattern, pattern: Matcher) -> None:
        self._source = source
        self._pattern = pattern
        self._order = tuple(sorted(pattern.names))
        self._given_order = tuple(sorted(pattern.context))
        self.names, self.bound, self.context = pattern.names, pattern.bound, pattern.context

    def answers(self, value: Value, given: Substitution, search: Search) -> Sequence[Substitution]:
        if not isinstance(value, Term):
            return self._pattern.answers(value, given, search)
        # Inside another `desc` the same place is asked for repeatedly, so its answers are cached.
        key = (id(self), id(value), bindings_key(given, self._given_order))
        found = search.found_below.get(key)
        if found is None:
            everywhere = [self._pattern.answers(value, given, search)]
            everywhere += [self.answers(child, given, search) for child in value.children]
            search.step(self._source, sum(map(len, everywhere)))
            found = distinct((answer for answers in everywhere for answer in answers), self._order)
            search.admit(self._source, len(found))
            search.found_below[key] = found
        return found
