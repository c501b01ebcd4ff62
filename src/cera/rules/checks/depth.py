"""Heads and patterns that are nested deeper than an event can be: XC405."""

from __future__ import annotations

from collections.abc import Iterator

from cera.diagnostics import Diagnostic, Span
from cera.model.expressions import constructs
from cera.model.expressions.constructs import Construct, ConstructTerm
from cera.model.matching import patterns
from cera.model.matching.patterns import Pattern, TermPattern
from cera.model.terms.term import MAX_DEPTH
from cera.rules.analysis.dependencies import event_patterns
from cera.rules.rule import RuleProgram


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
    """A term inside that many others."""
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
