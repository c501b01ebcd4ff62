"""Bodies that are larger than they look: XC113."""

from __future__ import annotations

from collections.abc import Iterator

from cera.diagnostics import Diagnostic
from cera.model.matching import patterns
from cera.rules.rule import Branch, Rule, RuleProgram

#: A body with more branches than this is large.
LARGE_BODY = 100

#: So is a branch that joins more events than this; fewer where no variable is in all of its queries.
LARGE_JOIN = 10
LARGE_PRODUCT = 6


def check_sizes(program: RuleProgram) -> Iterator[Diagnostic]:
    for rule in program.rules:
        yield from _branches(rule)
        yield from _joined(rule)


def _branches(rule: Rule) -> Iterator[Diagnostic]:
    count = len(rule.branches)
    if count > LARGE_BODY:
        queries = sum(len(branch.events) for branch in rule.branches)
        yield Diagnostic(
            "XC113",
            "warning",
            f"the body of `{rule.name}` has {count:,} branches with {queries:,} queries, each evaluated by itself",
            rule.span,
            "every `or` inside an `and` multiplies the branches; define some of the alternatives by rules of their own",
        )


def _is_large(branch: Branch) -> bool:
    if len(branch.events) <= LARGE_PRODUCT:
        return False
    shared = frozenset.intersection(*(patterns.bound_variables(query.pattern) for query in branch.events))
    return len(branch.events) > LARGE_JOIN or not shared


def _joined(rule: Rule) -> Iterator[Diagnostic]:
    count = max((len(branch.events) for branch in rule.branches if _is_large(branch)), default=0)
    if count:
        yield Diagnostic(
            "XC113",
            "warning",
            f"`{rule.name}` joins {count:,} queries: where each finds 10 events, that may be 10^{count} combinations",
            rule.span,
            "let rules of their own derive an event from some of the queries, and query that; shared variables and "
            "bounds of time leave fewer combinations",
        )
