"""Joins on values that are always there: XC207, XC208.

Two literals of a branch that share a variable must agree on its value. Where `optional` may have left it unbound there
is nothing to agree on, and whether that counts as agreement has no clear answer, so it is refused. A variable that
stands only under `without` is bound by nothing in its pattern, which is matched on one event alone: the value that
another literal gives it is not known there.
"""

from __future__ import annotations

from collections.abc import Iterator

from cera.diagnostics import Diagnostic, Note, Span
from cera.model.matching import patterns
from cera.model.matching.patterns import Pattern, VariablePattern
from cera.rules.rule import Branch, RuleProgram


def check_joins(program: RuleProgram) -> Iterator[Diagnostic]:
    for rule in program.rules:
        for branch in rule.branches:
            yield from _joined_optionals(branch)
            yield from _joined_negations(branch)


def _joined_optionals(branch: Branch) -> Iterator[Diagnostic]:
    among = list(_patterns(branch))
    for index, pattern in enumerate(among):
        for name in sorted(patterns.optional_variables(pattern)):
            others = [other for at, other in enumerate(among) if at != index and name in patterns.variables(other)]
            if others:
                yield Diagnostic(
                    "XC207",
                    "error",
                    f"`var {name}` may be missing here, so it cannot be shared with another query",
                    _place(pattern, name),
                    f"leave out `optional`, or use another variable and compare the two in a condition, "
                    f"which is false where `var {name}` is missing",
                    tuple(Note("the other query is here", _place(other, name)) for other in others),
                )


def _joined_negations(branch: Branch) -> Iterator[Diagnostic]:
    among = list(_patterns(branch))
    for index, pattern in enumerate(among):
        for name in sorted(patterns.variables(pattern) - _bindable(pattern)):
            others = [other for at, other in enumerate(among) if at != index and name in _bindable(other)]
            if others:
                yield Diagnostic(
                    "XC208",
                    "error",
                    f"`var {name}` stands only under `without` here, so it cannot be shared with another query",
                    _place(pattern, name),
                    f"bind `var {name}` outside of `without` in this query as well, or use another variable if any "
                    "value will do",
                    tuple(Note("the other query is here", _place(other, name)) for other in others),
                )


def _bindable(pattern: Pattern) -> frozenset[str]:
    return patterns.bound_variables(pattern) | patterns.optional_variables(pattern)


def _patterns(branch: Branch) -> Iterator[Pattern]:
    yield from branch.positive_patterns()
    yield from (absence.pattern for absence in branch.absences)


def _place(pattern: Pattern, name: str) -> Span | None:
    """Returns the first occurrence of the variable."""
    occurrences = (p for p in patterns.walk(pattern) if isinstance(p, VariablePattern) and p.name == name)
    return next(occurrences).span
