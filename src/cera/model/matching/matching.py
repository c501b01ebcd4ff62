"""Matching: the distinct substitutions of a pattern on a value, Xcerpt's simulation (seed 001 section 3.1).

    ⟦var X⟧(v)        = {{X ↦ v}}
    ⟦var X -> p⟧(v)   = {σ ∪ {X ↦ v} | σ ∈ ⟦p⟧(v)}, where they agree on X
    ⟦scalar⟧(v)       = {∅} if v is that scalar, else ∅; 1 is 1.0, true is not 1
    ⟦/expression/⟧(v) = {∅} if v is a string that matches as a whole, else ∅
    ⟦desc p⟧(v)       = the union of ⟦p⟧(v') over v and everything below it
    ⟦label{…}⟧(v)     : `cera.model.matching.term_matcher`

An ordered pattern matches ordered data, or unordered data with at most one child; an unordered one matches both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from cera.model.matching import patterns
from cera.model.matching.combination import Search
from cera.model.matching.data_children import Child
from cera.model.matching.matchers import (
    AnyValue,
    DescendantMatcher,
    Matcher,
    ProjectionMatcher,
    ScalarMatcher,
    TextMatcher,
    VariableMatcher,
)
from cera.model.matching.patterns import (
    Descendant,
    OptionalPattern,
    Pattern,
    RegexLabel,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)
from cera.model.matching.substitutions import NOTHING_BOUND, Substitution, join, substitution_key
from cera.model.matching.term_matcher import Children, TermMatcher
from cera.model.regex.regular_expressions import RegexError, compile_regex
from cera.model.terms.term import Value

__all__ = ["MATCH_LIMIT", "RegexError", "Substitution", "compile_regex", "join", "match", "substitution_key"]

#: More answers than this on one event are taken for a mistake in the pattern.
MATCH_LIMIT = 100_000

_CACHED = 4096
_matchers: dict[int, tuple[Pattern, Matcher]] = {}


def match(pattern: Pattern, value: Value, limit: int = MATCH_LIMIT) -> list[Substitution]:
    """Returns all distinct substitutions under which the pattern matches the value; none if it does not match.

    The order depends on the pattern and the value only. Raises MatchLimitError if the pattern, or a part of it on a
    part of the value, has more answers than the limit, or if the search takes many times as many steps.
    """
    search = Search(limit)
    answers = _matcher(pattern).answers(value, NOTHING_BOUND, search)
    search.admit(pattern, len(answers))
    return [dict(answer) for answer in answers]


def _matcher(pattern: Pattern) -> Matcher:
    """Returns the matcher of this very object: to find it by equality would walk the whole pattern at every event."""
    entry = _matchers.get(id(pattern))
    if entry is None or entry[0] is not pattern:
        if len(_matchers) >= _CACHED:
            _matchers.clear()
        entry = (pattern, _Compiler(pattern).matcher(pattern, frozenset()))
        _matchers[id(pattern)] = entry
    return entry[1]


class _Compiler:
    """The compiler of the parts of one pattern into matchers."""

    def __init__(self, whole: Pattern) -> None:
        #: Variables that occur once, inside a plain `without`: any value does, so that none is worth enumerating.
        self._anonymous = _plainly_negated(whole) - _repeated(whole)

    def matcher(self, pattern: Pattern, outside: frozenset[str]) -> Matcher:
        """Returns the matcher of a part; `outside` are the variables that are bound elsewhere before its turn."""
        match pattern:
            case TermPattern():
                return self._term_matcher(pattern, outside)
            case ScalarPattern():
                return ScalarMatcher(pattern.value)
            case RegexPattern():
                return TextMatcher(compile_regex(pattern.expression))
            case VariablePattern():
                inner = pattern.pattern
                if pattern.name in self._anonymous:
                    return AnyValue() if inner is None else self.matcher(inner, outside)
                return VariableMatcher(
                    pattern.name, None if inner is None else self.matcher(inner, outside | {pattern.name})
                )
            case Descendant():
                return DescendantMatcher(pattern, self.matcher(pattern.pattern, outside))
            case Without() | OptionalPattern():
                raise ValueError("`without` and `optional` stand directly among the children of a term pattern only")

    def _term_matcher(self, pattern: TermPattern, outside: frozenset[str]) -> Matcher:
        numbered = list(enumerate(pattern.children))
        wanted = [(i, p) for i, p in numbered if not isinstance(p, Without | OptionalPattern)]
        surely = self._bound(p for _, p in wanted)
        seen = outside | surely
        required, dependent, optional = [], [], []
        for position, child in wanted:
            full = self._child(position, child, seen, surely)
            if full.core is not None:
                dependent.append(full)
            required.append(full if full.core is None else Child(position, full.core))
            seen |= patterns.optional_variables(child)
        for position, inner in [(i, p.pattern) for i, p in numbered if isinstance(p, OptionalPattern)]:
            optional.append(self._child(position, inner, seen, surely))
            seen |= self._bound([inner]) | patterns.optional_variables(inner)
        without = [
            self._child(position, p.pattern, seen, surely, kept=seen)
            for position, p in numbered
            if isinstance(p, Without)
        ]
        children = Children(tuple(required), tuple(dependent), tuple(optional), tuple(without))
        accepts = compile_regex(pattern.label.expression).matches if isinstance(pattern.label, RegexLabel) else None
        return TermMatcher(pattern, accepts, children, (patterns.variables(pattern) - surely) & outside)

    def _child(
        self,
        position: int,
        pattern: Pattern,
        outside: frozenset[str],
        known: frozenset[str],
        kept: frozenset[str] | None = None,
    ) -> Child:
        matcher = self.matcher(pattern, outside)
        core = self.matcher(_core(pattern), frozenset()) if matcher.context else None
        if kept is not None:
            matcher = ProjectionMatcher(matcher, kept)
        return Child(position, matcher, core, known)

    def _bound(self, parts: Iterable[Pattern]) -> frozenset[str]:
        return frozenset[str]().union(*(patterns.bound_variables(p) for p in parts)) - self._anonymous


def _repeated(pattern: Pattern) -> frozenset[str]:
    occurrences = Counter(part.name for part in patterns.walk(pattern) if isinstance(part, VariablePattern))
    return frozenset(name for name, count in occurrences.items() if count > 1)


def _plainly_negated(pattern: Pattern) -> frozenset[str]:
    """Returns the variables inside a `without` that has no `without` or `optional` in it: there, it would matter which
    of the data children a variable stands for."""
    negated = [part.pattern for part in patterns.walk(pattern) if isinstance(part, Without)]
    return frozenset[str]().union(*(patterns.variables(inner) for inner in negated if _is_plain(inner)))


def _is_plain(pattern: Pattern) -> bool:
    return not any(isinstance(part, Without | OptionalPattern) for part in patterns.walk(pattern))


def _core(pattern: Pattern) -> Pattern:
    """Returns the pattern without its `without` and `optional` parts; it has an answer wherever the pattern has one."""
    match pattern:
        case TermPattern():
            kept = [child for child in pattern.children if not isinstance(child, Without | OptionalPattern)]
            total = pattern.total and not any(isinstance(child, OptionalPattern) for child in pattern.children)
            return replace(pattern, children=tuple(_core(child) for child in kept), total=total)
        case VariablePattern(pattern=inner) if inner is not None:
            return replace(pattern, pattern=_core(inner))
        case Descendant():
            return replace(pattern, pattern=_core(pattern.pattern))
        case _:
            return pattern
