"""Bodies that are larger than they look (XC113), heads and patterns nested deeper than an event can be (XC405)."""

from __future__ import annotations

from collections.abc import Iterator

from cera.diagnostics import Diagnostic, Span
from cera.model.expressions import constructs
from cera.model.expressions.constructs import Construct, ConstructTerm
from cera.model.matching import patterns
from cera.model.matching.patterns import Pattern, TermPattern
from cera.model.terms.term import MAX_DEPTH
from cera.rules.analysis.dependencies import event_patterns
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


def check_depth(program: RuleProgram) -> Iterator[Diagnostic]:
    for rule in program.rules:
        if (part := _first_too_deep(rule.head)) is not None:
            yield _too_deep("this head derives nothing", part.span or rule.span)
        for query in event_patterns(rule):
            if (found := _first_too_deep(query.pattern)) is not None:
                yield _too_deep("this query matches nothing", found.span or query.span)


def _too_deep(consequence: str, span: Span | None) -> Diagnostic:
    return Diagnostic(
        "XC405",
        "error",
        f"{consequence}: a term is nested in at most {MAX_DEPTH} levels, and here begins one more",
        span,
    )


def _first_too_deep(whole: Construct | Pattern) -> Construct | Pattern | None:
    """Returns the first term that is inside too many others, if there is one."""
    waiting: list[tuple[Construct | Pattern, int]] = [(whole, 0)]
    while waiting:
        part, around = waiting.pop()
        if isinstance(part, ConstructTerm | TermPattern):
            around += 1
            if around > MAX_DEPTH:
                return part
        waiting += [(inner, around) for inner in _parts(part)]
    return None


def _parts(part: Construct | Pattern) -> tuple[Construct | Pattern, ...]:
    match part:
        case ConstructTerm() | constructs.ConstructValue() | constructs.All() | constructs.OptionalConstruct():
            return constructs.parts(part)
        case _:
            return patterns.parts(part)
