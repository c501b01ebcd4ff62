"""Patterns that match hardly anything, or `without` that excludes hardly anything: XC408, XC409.

A bare `reading` is `reading{}`, an event without children, and `reading{ fridge{ var F } }` one whose only child is
`fridge`. Both are legal and seldom meant: events have other attributes too. They are meant where the program itself
constructs, or declares, events that are exactly so; a value in braces (`temp{ var T }`) is how a value is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cera.diagnostics import Diagnostic, Span
from cera.model.expressions import constructs
from cera.model.expressions.constructs import Construct, ConstructTerm
from cera.model.matching.patterns import (
    Descendant,
    OptionalPattern,
    Pattern,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
    parts,
)
from cera.rules.analysis.producers import Producers
from cera.rules.analysis.unification import query_label
from cera.rules.checks.names import anchor_in
from cera.rules.declarations import Attribute, SourceLabel
from cera.rules.rule import Rule, RuleProgram
from cera.rules.states import as_written


def check_exact_patterns(program: RuleProgram) -> Iterator[Diagnostic]:
    """XC408: a query for events without other children. XC409: `without` of a child that is empty."""
    producers = Producers(program.rules)
    empty = frozenset(_empty_terms(rule.head for rule in program.rules)) | _declared_empty(program)
    for matched in _patterns(program.rules):
        pattern = as_written(matched)
        label, event = query_label(pattern), _term(pattern)
        if event is not None and label is not None and _from_outside(program, label) and not producers.of(matched):
            what = "events" if pattern is matched else "states"
            yield from _exact_event(event, label, program.declared or (), what)
        yield from _without_empty(pattern, empty)


def _patterns(rules: Iterable[Rule]) -> Iterator[Pattern]:
    """Yields the patterns that are matched against events, but for those that look like timers (XC109)."""
    for rule in rules:
        for branch in rule.branches:
            yield from (q.pattern for q in branch.events if not q.auxiliary and anchor_in(q, branch) is None)
            yield from (part.pattern for part in branch.accumulations)


def _from_outside(program: RuleProgram, label: str) -> bool:
    """Returns whether such events may come from outside; if none do, XC104 says so."""
    return label not in program.from_modules and (program.sources is None or label in program.sources)


def _exact_event(event: TermPattern, label: str, declared: Sequence[SourceLabel], what: str) -> Iterator[Diagnostic]:
    if not event.total or any(map(_is_value, event.children)):
        return
    named = {child.label for part in event.children if (child := _term(part)) is not None}
    for form in declared:
        if form.label == label and form.attributes is not None and named == {each.name for each in form.attributes}:
            return
    opening, closing = ("[[", "]]") if event.ordered else ("{{", "}}")
    alone = f"SOURCE {label}{{{', '.join(sorted(str(name) for name in named))}}}"
    if event.children:
        inside = _inside(event)
        message = f"this matches only {what} `{label}` that have no children but those listed here"
        meant = f"write `{label}{opening} {inside} {closing}` if there may be others"
    else:
        message = f"this matches only {what} `{label}` that have no children at all"
        meant = f"write `{label}{opening}{closing}` for any {what.removesuffix('s')} `{label}`"
    yield Diagnostic("XC408", "warning", message, event.span, f"{meant}; if it is meant, declare it: `{alone}`")


def _inside(event: TermPattern) -> str:
    """Returns the children as they were written, where they are short and on one line."""
    spans = [child.span for child in event.children]
    if any(span is None for span in spans):
        return "…"
    first, last = spans[0], spans[-1]
    assert first is not None
    assert last is not None
    text = " ".join(Span(first.source, first.start, last.end).text.split())
    return text if len(text) <= 40 else "…"


def _is_value(child: Pattern) -> bool:
    """Returns whether the child is a leaf, or anything: then the braces hold a value and not attributes."""
    match child:
        case ScalarPattern() | RegexPattern():
            return True
        case VariablePattern(pattern=inner):
            return inner is None or _is_value(inner)
        case OptionalPattern(pattern=inner) | Descendant(pattern=inner):
            return _is_value(inner)
        case _:
            return False


def _term(pattern: Pattern) -> TermPattern | None:
    """Returns the term that the pattern is, under a variable or `optional`."""
    match pattern:
        case TermPattern():
            return pattern
        case VariablePattern(pattern=inner) if inner is not None:
            return _term(inner)
        case OptionalPattern(pattern=inner):
            return _term(inner)
        case _:
            return None


def _without_empty(pattern: Pattern, empty: frozenset[str]) -> Iterator[Diagnostic]:
    match pattern:
        case Without(pattern=TermPattern(label=str(label), children=(), total=True, ordered=False)):
            if label not in empty:
                yield Diagnostic(
                    "XC409",
                    "warning",
                    f"this excludes only an empty `{label}`; what has a `{label}` with a value matches too, "
                    "so answers are too many",
                    pattern.span,
                    f"write `without {label}{{{{}}}}` for no `{label}` at all",
                )
        case _:
            for part in parts(pattern):
                yield from _without_empty(part, empty)


def _empty_terms(heads: Iterable[Construct]) -> Iterator[str]:
    """Yields the labels of terms without children that heads construct."""
    for head in heads:
        for part in constructs.walk(head):
            if isinstance(part, ConstructTerm) and not part.children:
                yield part.label


def _declared_empty(program: RuleProgram) -> frozenset[str]:
    """Returns the attributes that are declared to have no children, `SOURCE reading{ broken{} }`."""

    def inside(attributes: Iterable[Attribute]) -> Iterator[str]:
        for attribute in attributes:
            if attribute.children == ():
                yield attribute.name
            yield from inside(attribute.children or ())

    return frozenset(name for attributes in program.attributes.values() for name in inside(attributes))
