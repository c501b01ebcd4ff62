"""Range restriction (seed 001 section 3.2, X-06): every variable that is used has been given a value. XC201 to XC206.

A variable is bound by a query outside of `not` and `without`. One that only `optional` binds may be missing: it can be
used in conditions, which are false without it, and inside `optional` in the head. With `or` this holds for each branch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from cera.diagnostics import Diagnostic, Note, Span, did_you_mean, notation
from cera.model.expressions import expression as expressions
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct
from cera.model.expressions.expression import Expression, Variable
from cera.model.matching import patterns
from cera.model.matching.patterns import OptionalPattern, Pattern, VariablePattern, Without
from cera.rules.rule import Accumulation, Branch, Rule, RuleProgram

#: An `and` of several `or`s has many branches; a few of them show what is missing.
_MOST_BRANCHES_SHOWN = 5


@dataclass(frozen=True)
class _BranchBindings:
    """A branch with the variables that have a value in all of its matches, and in some."""

    branch: Branch
    always: frozenset[str]
    sometimes: frozenset[str]

    @property
    def known(self) -> frozenset[str]:
        return self.always | self.sometimes


@dataclass(frozen=True)
class _Use:
    """A place where a variable is used; `guarded` inside `optional`, where it may be missing."""

    name: str
    span: Span | None
    guarded: bool = False


_NEEDS_START = "windows and relative timers need one to start from"


def check_ranges(program: RuleProgram) -> Iterator[Diagnostic]:
    for rule in program.rules:
        bound = [_BranchBindings(branch, branch.bound_variables, branch.optional_variables) for branch in rule.branches]
        yield from _without_positive_query(rule)
        yield from _head(rule, bound)
        for branch in bound:
            yield from _conditions(rule, bound, branch)


def _without_positive_query(rule: Rule) -> Iterator[Diagnostic]:
    for branch in rule.branches:
        if not branch.events and not branch.absolute_timers:
            yield Diagnostic(
                "XC206",
                "error",
                f"the body of rule `{rule.name}` waits for nothing that happens by itself",
                _place(branch) or rule.span,
                f"add {notation(rule.span).start}; "
                + ("a row of a relation is there, but nothing happens with it" if branch.relations else _NEEDS_START),
            )


def _head(rule: Rule, branches: Sequence[_BranchBindings]) -> Iterator[Diagnostic]:
    reported: set[str] = set()
    for use in _uses(rule.head):
        problem = None if use.name in reported else _head_problem(rule, branches, use)
        if problem is not None:
            reported.add(use.name)
            yield problem


def _uses(construct: Construct, guarded: bool = False) -> Iterator[_Use]:
    match construct:
        case ConstructTerm():
            for child in construct.children:
                yield from _uses(child, guarded)
        case ConstructValue():
            for variable in _variables(construct.expression):
                yield _Use(variable.name, variable.span or construct.span, guarded)
        case All():
            yield from _uses(construct.construct, guarded)
            for key in construct.order_by:
                for variable in _variables(key.expression):
                    yield _Use(variable.name, variable.span or construct.span, guarded)
            for name in construct.group_by:
                yield _Use(name, construct.span, guarded)
        case OptionalConstruct():
            yield from _uses(construct.construct, guarded=True)
            if construct.default is not None:
                yield from _uses(construct.default, guarded)


def _variables(expression: Expression) -> Iterator[Variable]:
    return (part for part in expressions.walk(expression) if isinstance(part, Variable))


def _head_problem(rule: Rule, branches: Sequence[_BranchBindings], use: _Use) -> Diagnostic | None:
    if all(use.name in branch.always for branch in branches):
        return None
    missing = [branch.branch for branch in branches if use.name not in branch.known]
    if len(missing) == len(branches):
        negated = _negated_place(rule.branches, use.name)
        return _unbound(rule, branches, use) if negated is None else _only_negated(use, negated)
    if use.guarded:
        return None
    if missing:
        instead = "put `optional` before this part of the head"
        return _not_in_every_branch(rule, use, missing, "the head uses", instead)
    return Diagnostic(
        "XC205",
        "error",
        f"the head uses `var {use.name}`, which is bound by `optional` only and may be missing",
        use.span or rule.span,
        f"put `optional` before the part of the head with `var {use.name}`, perhaps with a default",
        tuple(Note("it may be bound here", span) for span in _optional_places(rule.branches, use.name)[:1]),
    )


def _unbound(rule: Rule, branches: Sequence[_BranchBindings], use: _Use) -> Diagnostic:
    known = sorted(frozenset[str]().union(*(branch.known for branch in branches)))
    return Diagnostic(
        "XC201",
        "error",
        f"the head uses `var {use.name}`, which no query of the body binds",
        use.span or rule.span,
        did_you_mean(use.name, known) or f"bind it in an event query of the body: name{{{{ var {use.name} }}}}",
    )


def _only_negated(use: _Use, negated: VariablePattern) -> Diagnostic:
    return Diagnostic(
        "XC202",
        "error",
        f"the head uses `var {use.name}`, which occurs in the body only inside a negation",
        use.span,
        f"where nothing matches there is no value; bind `var {use.name}` in an event query outside of the negation",
        (Note("it occurs here, where it gets no value", negated.span),),
    )


def _not_in_every_branch(rule: Rule, use: _Use, missing: Sequence[Branch], who: str, instead: str) -> Diagnostic:
    places = dict.fromkeys(_own_place(branch, rule) for branch in missing[:_MOST_BRANCHES_SHOWN])
    return Diagnostic(
        "XC204",
        "error",
        f"{who} `var {use.name}`, which is not bound in every branch of the `or`",
        use.span,
        f"bind `var {use.name}` in each branch, or {instead}",
        tuple(Note("this branch does not bind it", place) for place in places),
    )


def _conditions(rule: Rule, branches: Sequence[_BranchBindings], bound: _BranchBindings) -> Iterator[Diagnostic]:
    for condition in bound.branch.conditions:
        yield from _condition_problems(rule, branches, bound, condition)
    for accumulation in bound.branch.accumulations:
        inside = replace(bound, sometimes=bound.sometimes | _own_variables(accumulation))
        for condition in accumulation.conditions:
            yield from _condition_problems(rule, branches, inside, condition)


def _own_variables(accumulation: Accumulation) -> frozenset[str]:
    pattern = accumulation.pattern
    return patterns.bound_variables(pattern) | patterns.optional_variables(pattern)


def _condition_problems(
    rule: Rule, branches: Sequence[_BranchBindings], bound: _BranchBindings, condition: Expression
) -> Iterator[Diagnostic]:
    known = bound.known
    for variable in _variables(condition):
        if variable.name in known:
            continue
        use = _Use(variable.name, variable.span or condition.span)
        if any(use.name in other.known for other in branches):
            missing = [b.branch for b in branches if use.name not in b.known and _has(b.branch, condition)]
            if missing and missing[0] is bound.branch:  # a condition on the whole `or` is in all of its branches
                yield _not_in_every_branch(rule, use, missing, "a condition uses", "make a rule of each branch")
            continue
        negated = _negated_place(rule.branches, use.name)
        yield Diagnostic(
            "XC203",
            "error",
            f"a condition uses `var {use.name}`, which no query binds"
            + ("" if negated is None else " outside of a negation"),
            use.span or rule.span,
            did_you_mean(use.name, sorted(known)) or f"bind it in an event query: name{{{{ var {use.name} }}}}",
            () if negated is None else (Note("it occurs here, where it gets no value", negated.span),),
        )


def _place(branch: Branch) -> Span | None:
    """Returns where a branch begins in the text."""
    literals = (*branch.positive, *branch.relations, *branch.accumulations)
    return min((literal.span for literal in literals if literal.span is not None), key=_start, default=None)


def _own_place(branch: Branch, rule: Rule) -> Span | None:
    """Returns the first literal that only this branch has: those outside of the `or` are in all of them."""
    literals = (*branch.positive, *branch.relations, *branch.accumulations)
    for literal in literals:
        if any(literal not in (*other.positive, *other.relations, *other.accumulations) for other in rule.branches):
            return literal.span
    return _place(branch)


def _has(branch: Branch, condition: Expression) -> bool:
    accumulated = (c for accumulation in branch.accumulations for c in accumulation.conditions)
    return any(condition is other for other in (*branch.conditions, *accumulated))


def _start(span: Span) -> int:
    return span.start


def _negated_place(branches: Iterable[Branch], name: str) -> VariablePattern | None:
    for branch in branches:
        for absence in branch.absences:
            for part in patterns.walk(absence.pattern):
                if isinstance(part, VariablePattern) and part.name == name:
                    return part
        for found in _inside(branch.positive_patterns(), Without, name):
            return found
    return None


def _optional_places(branches: Iterable[Branch], name: str) -> list[Span | None]:
    return [found.span for branch in branches for found in _inside(branch.positive_patterns(), OptionalPattern, name)]


def _inside(
    among: Iterable[Pattern], kind: type[Without] | type[OptionalPattern], name: str
) -> Iterator[VariablePattern]:
    """Yields the occurrences of a variable inside of `without` or `optional`."""
    for pattern in among:
        for part in patterns.walk(pattern):
            if isinstance(part, kind):
                for inner in patterns.walk(part):
                    if isinstance(inner, VariablePattern) and inner.name == name:
                        yield inner
