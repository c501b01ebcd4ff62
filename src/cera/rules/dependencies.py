"""Which rule depends on which, and how (seed 001 section 4.2).

A rule depends on another if one of its queries could match what the other derives:

    temporal    the query's event anchors a relative timer
    grouping    the rule groups or aggregates
    negative    the query is negated
    positive    none of these

The first three are strict: all events of the other rule must be known first. What a RAISE rule sends leaves the
system, so nothing depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from cera.diagnostics import Span
from cera.model.patterns import Pattern
from cera.rules.rule import Rule
from cera.rules.unification import could_match, head_label, query_label

DependencyKind = Literal["temporal", "grouping", "negative", "positive"]


@dataclass(frozen=True)
class Dependency:
    """`rule` depends on `on`; the places are those of the first query for which it does and of the head it meets."""

    rule: Rule
    on: Rule
    kind: DependencyKind
    query_span: Span | None = field(default=None, compare=False, repr=False)
    head_span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def strict(self) -> bool:
        return self.kind != "positive"


@dataclass(frozen=True)
class EventPattern:
    """A pattern of a rule's body that is matched against events, and how the rule uses it."""

    pattern: Pattern
    negated: bool
    anchor: bool
    span: Span | None


def event_patterns(rule: Rule) -> Iterator[EventPattern]:
    """The patterns of a rule's body from branch to branch."""
    for branch in rule.branches:
        anchors = {timer.anchor for timer in branch.relative_timers}
        for query in branch.events:
            yield EventPattern(query.pattern, False, query.identifier in anchors, query.span)
        for part in branch.accumulations:
            yield EventPattern(part.pattern, part.negated, False, part.span)


class Producers:
    """The rules by the labels of their heads, to find those that derive what a pattern matches."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._deductive = [i for i, rule in enumerate(rules) if rule.recipient is None]
        self._by_label: dict[str, list[int]] = {}
        self._any_label: list[int] = []
        for i in self._deductive:
            label = head_label(rules[i].head)
            (self._any_label if label is None else self._by_label.setdefault(label, [])).append(i)

    @property
    def labels(self) -> frozenset[str]:
        return frozenset(self._by_label)

    def with_label(self, label: str) -> list[int]:
        """The rules whose events have that label."""
        return self._by_label.get(label, [])

    def of(self, pattern: Pattern) -> list[int]:
        """The positions of the rules whose heads the pattern could match, in the order of the text."""
        label = query_label(pattern)
        candidates = self._deductive
        if label is not None:
            candidates = sorted((*self._by_label.get(label, ()), *self._any_label))
        return [i for i in candidates if could_match(pattern, self._rules[i].head)]


def dependencies(rules: Sequence[Rule]) -> tuple[Dependency, ...]:
    """All dependencies between the rules, by dependent rule, then by the rule it depends on."""
    return tuple(dependency for _, _, dependency in dependency_edges(rules))


def dependency_edges(rules: Sequence[Rule]) -> Iterator[tuple[int, int, Dependency]]:
    """The dependencies with the positions of the two rules."""
    producers = Producers(rules)
    for i, rule in enumerate(rules):
        grouping = rule.grouping
        found: dict[tuple[int, DependencyKind], EventPattern] = {}
        known: dict[int, list[int]] = {}
        for query in event_patterns(rule):
            # the branches of a disjunction share the objects of their common literals
            if id(query.pattern) not in known:
                known[id(query.pattern)] = producers.of(query.pattern)
            kinds = _kinds(query, grouping)
            for j in known[id(query.pattern)]:
                for kind in kinds:
                    found.setdefault((j, kind), query)
        strict = {j for j, kind in found if kind != "positive"}
        for (j, kind), query in sorted(found.items(), key=lambda item: item[0]):
            if kind != "positive" or j not in strict:
                on = rules[j]
                yield i, j, Dependency(rule, on, kind, query.span, on.head.span or on.span)


def _kinds(query: EventPattern, grouping: bool) -> list[DependencyKind]:
    kinds: list[DependencyKind] = []
    if query.anchor:
        kinds.append("temporal")
    if grouping:
        kinds.append("grouping")
    if query.negated:
        kinds.append("negative")
    return kinds or ["positive"]
