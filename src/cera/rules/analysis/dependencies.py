"""Which rule depends on which, and how (seed 001 section 4.2).

A rule depends on another if one of its queries could match what the other derives:

    temporal    the query's event anchors a relative timer, or a periodic window is over it
    grouping    the rule groups or aggregates, or collects or gathers what the query matches (decision 0019)
    negative    the query is negated
    positive    none of these

The first three are strict: all events of the other rule must be known first. A RAISE rule sends its events out of the
system, so nothing depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from cera.diagnostics import Span
from cera.model.matching.patterns import Pattern
from cera.rules.analysis.producers import Producers
from cera.rules.rule import Rule
from cera.rules.settlements import ClosingEvent
from cera.rules.states import arriving

DependencyKind = Literal["temporal", "grouping", "negative", "positive"]


@dataclass(frozen=True)
class Dependency:
    """A dependency of `rule` on `on`; the places are those of the first query that causes it and of the head it
    meets."""

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
    collected: bool
    span: Span | None


def event_patterns(rule: Rule) -> Iterator[EventPattern]:
    """Yields the patterns of a rule's body from branch to branch, and those of events that settle it."""
    for branch in rule.branches:
        anchors = {timer.anchor for timer in branch.relative_timers}
        anchors.update(name for window in branch.windows for name in window.over)
        for query in branch.events:
            anchor, gathered = query.identifier in anchors, query.identifier in branch.gathered
            for pattern in arriving(query):
                yield EventPattern(pattern, False, anchor, gathered, query.span)
        for part in branch.accumulations:
            yield EventPattern(part.pattern, part.negated, False, not part.negated, part.span)
            if part.opening is not None:
                yield EventPattern(part.opening.pattern, False, False, False, part.opening.span)
    for settlement in rule.settlements:
        if isinstance(settlement, ClosingEvent):
            yield EventPattern(settlement.pattern, False, False, False, None)


def dependencies(rules: Sequence[Rule]) -> tuple[Dependency, ...]:
    """Returns all dependencies between the rules, by dependent rule, then by the rule it depends on."""
    uses = rule_uses(rules)
    return tuple(d for i, use in enumerate(uses) for d in use.dependencies(rules, i, use.all))


@dataclass(frozen=True)
class RuleUses:
    """The positions of the rules that one rule depends on, for each kind of dependency, with the first such query.

    Where thousands of rules derive the same label these are millions, so the dependencies are made when asked for.
    """

    by_kind: Mapping[DependencyKind, Mapping[int, EventPattern]]

    @cached_property
    def strict(self) -> frozenset[int]:
        return frozenset(j for kind, found in self.by_kind.items() if kind != "positive" for j in found)

    @cached_property
    def all(self) -> tuple[int, ...]:
        return tuple(sorted(frozenset().union(*self.by_kind.values())))

    def strict_dependencies(self, rules: Sequence[Rule], i: int, j: int) -> Iterator[Dependency]:
        if j in self.strict:
            yield from self.dependencies(rules, i, (j,))

    def dependencies(self, rules: Sequence[Rule], i: int, on: Iterable[int]) -> Iterator[Dependency]:
        """Yields how the rule at i depends on those others; positively only if in no other way."""
        kinds = sorted(self.by_kind.items())
        for j in on:
            head = rules[j].head.span or rules[j].span
            for kind, found in kinds:
                if j in found and (kind != "positive" or j not in self.strict):
                    yield Dependency(rules[i], rules[j], kind, found[j].span, head)


def rule_uses(rules: Sequence[Rule]) -> list[RuleUses]:
    """Returns the uses of each rule."""
    producers = Producers(rules)
    return [_uses(rule, producers) for rule in rules]


def _uses(rule: Rule, producers: Producers) -> RuleUses:
    grouping = rule.grouping
    found: dict[DependencyKind, dict[int, EventPattern]] = {}
    known: dict[int, tuple[int, ...]] = {}
    for query in event_patterns(rule):
        # the branches of a disjunction share the objects of their common literals
        if id(query.pattern) not in known:
            known[id(query.pattern)] = producers.of(query.pattern)
        met = dict.fromkeys(known[id(query.pattern)], query)
        for kind in _kinds(query, grouping):
            found[kind] = {**met, **found[kind]} if kind in found else met
    return RuleUses(found)


def _kinds(query: EventPattern, grouping: bool) -> list[DependencyKind]:
    kinds: list[DependencyKind] = []
    if query.anchor:
        kinds.append("temporal")
    if grouping or query.collected:
        kinds.append("grouping")
    if query.negated:
        kinds.append("negative")
    return kinds or ["positive"]
