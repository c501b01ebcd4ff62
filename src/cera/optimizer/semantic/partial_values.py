"""Values of rules of which constraints say nothing, because there may be several: `area{{var A}}`.

    smoke{{ area{{var A}} }}        each area, of one or several
    smoke{{ area{var A} }}          the area, if there is one: what smoke(area(A)) asks for

A constraint on `smoke(area(A))` judges events with one area, so no law uses it on a rule that also finds others. Which
patterns hinder a law is found by rewriting the rule as if they asked for one value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from cera.model.matching.patterns import Pattern, ScalarPattern, TermPattern, VariablePattern, parts
from cera.optimizer.semantic.driver import Knowledge, Rewriter, Rewriting
from cera.rules.rule import Accumulation, Branch, Rule, RuleProgram


@dataclass(frozen=True)
class PartialValues:
    """The patterns of a rule, from the text, that would let a law use a constraint if they asked for one value."""

    rule: Rule
    patterns: tuple[TermPattern, ...]


def partial_values(
    program: RuleProgram, knowledge: Knowledge, *, without: Collection[str] = ()
) -> Iterator[PartialValues]:
    """Yields the rules to which more laws would apply, if some of their patterns asked for one value."""
    rewriter = Rewriter.of(program, knowledge)
    for rule in program.rules:
        partial = {each.span: each for pattern in _patterns(rule) for each in _partial(pattern)}
        if not partial or not knowledge.clauses:
            continue

        def gained(spans: Collection[object], rule: Rule = rule) -> frozenset[tuple[str, tuple[str, ...]]]:
            found = rewriter.in_place_of(rule, _with_one_value(rule, spans), without)
            return _used(found.rewritings)

        every = gained(partial)
        if every <= gained(()):
            continue
        needed = {*partial}
        for span in partial:
            if every <= gained(needed - {span}):
                needed.remove(span)
        yield PartialValues(rule, tuple(pattern for span, pattern in partial.items() if span in needed))


def _patterns(rule: Rule) -> Iterator[Pattern]:
    for branch in rule.branches:
        yield from (query.pattern for query in branch.events)
        yield from (query.pattern for query in branch.relations)
        yield from (part.pattern for part in branch.accumulations)


def _used(rewritings: Collection[Rewriting]) -> frozenset[tuple[str, tuple[str, ...]]]:
    return frozenset((each.law, each.constraints) for each in rewritings)


def with_one_value(pattern: TermPattern) -> TermPattern:
    """Returns `area{var A}` for `area{{var A}}`."""
    return replace(pattern, total=True)


def _partial(pattern: Pattern) -> Iterator[TermPattern]:
    """Yields the patterns inside this one that ask for one value of one or several."""
    for part in parts(pattern):
        if isinstance(part, TermPattern):
            if _is_partial(part):
                yield part
            yield from _partial(part)


def _is_partial(pattern: TermPattern) -> bool:
    if pattern.total or pattern.ordered or len(pattern.children) != 1:
        return False
    [child] = pattern.children
    return isinstance(child, ScalarPattern) or (isinstance(child, VariablePattern) and child.pattern is None)


def _with_one_value(rule: Rule, spans: Collection[object]) -> Rule:
    """Returns a rule in which the patterns at some places of the text ask for one value."""

    def changed(pattern: Pattern) -> Pattern:
        if not isinstance(pattern, TermPattern):
            return pattern
        if _is_partial(pattern) and pattern.span in spans:
            return with_one_value(pattern)
        return replace(pattern, children=tuple(map(changed, pattern.children)))

    def accumulated(part: Accumulation) -> Accumulation:
        return replace(part, pattern=changed(part.pattern))

    def of_branch(branch: Branch) -> Branch:
        return replace(
            branch,
            events=tuple(replace(each, pattern=changed(each.pattern)) for each in branch.events),
            relations=tuple(replace(each, pattern=changed(each.pattern)) for each in branch.relations),
            collections=tuple(map(accumulated, branch.collections)),
            absences=tuple(map(accumulated, branch.absences)),
        )

    return replace(rule, branches=tuple(map(of_branch, rule.branches)))
