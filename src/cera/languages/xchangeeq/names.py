"""Names: those of rules, and event identifiers, where they are declared and where they may be used.

Rules, and event queries without an identifier (ERR-16), get names that are not taken.

The scope of an identifier is the whole branch of the body that declares it. A place in a body lies in several branches
when there is an `or` beside it or below it; an identifier may be used there if every one of them declares it. That can
be seen without writing the branches out: the identifiers that every branch of a query declares are, for `and`, those
of any part, and for `or`, those of all parts.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from cera.diagnostics import Diagnostic, Note, Span, did_you_mean
from cera.languages.xchangeeq.syntax import (
    AbsoluteTimerLiteral,
    Conjunction,
    Disjunction,
    EventLiteral,
    Identifier,
    Literal,
    Query,
    RaiseHead,
    RelationLiteral,
    RelativeTimerLiteral,
    RuleSyntax,
    StateLiteral,
    WhileLiteral,
    literals,
)
from cera.model.expressions import constructs
from cera.model.expressions import expression as expressions
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct
from cera.model.expressions.expression import EventReference, Expression
from cera.model.matching import patterns
from cera.model.matching.patterns import Pattern, TermPattern, VariablePattern

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*")


class Names:
    """Names that are all different: `name`, `name#2`, `name#3`."""

    def __init__(self, separator: str, taken: Iterable[str] = ()) -> None:
        self._separator = separator
        self._taken = set(taken)

    def fresh(self, name: str) -> str:
        numbered = (f"{name}{self._separator}{number}" for number in itertools.count(2))
        free = next(candidate for candidate in itertools.chain([name], numbered) if candidate not in self._taken)
        self._taken.add(free)
        return free


def rule_name(rule: RuleSyntax) -> str:
    """Returns the label of the rule's head; `raise` or `detect` if that is not known before the run."""
    return _head_label(rule.head.construct) or ("raise" if isinstance(rule.head, RaiseHead) else "detect")


def _head_label(construct: Construct) -> str | None:
    match construct:
        case ConstructTerm():
            return construct.label
        case All() | OptionalConstruct():
            return _head_label(construct.construct)
        case ConstructValue():
            return None


def declaration(literal: Literal) -> Identifier | None:
    """Returns the identifier that the literal declares, if any."""
    return None if isinstance(literal, WhileLiteral) else literal.identifier


def identifier_names(query: Query) -> Names:
    """Returns a source of names for the literals of a body that have none; never one that the body declares."""
    declared = (declaration(literal) for literal in literals(query))
    return Names("_", (identifier.name for identifier in declared if identifier is not None))


def plain_label(pattern: Pattern) -> str | None:
    """Returns the one label of the events that the pattern matches, if it can serve as an identifier."""
    match pattern:
        case TermPattern(label=str(label)) if _IDENTIFIER.fullmatch(label):
            return label
        case VariablePattern(pattern=TermPattern() as inner):
            return plain_label(inner)
        case _:
            return None


Declarations = Mapping[str, Identifier]


def check_scopes(rule: RuleSyntax) -> list[Diagnostic]:
    """Reports identifiers that are not declared where they are used (XC101) or declared twice in one branch (XC102)."""
    checks = _Checks(rule)
    checks.declarations(rule.query)
    scope = _Scope(_in_every_branch(rule.query), _in_some_branch(rule.query))
    for construct in constructs.walk(rule.head.construct):
        checks.expressions(constructs.own_expressions(construct), scope)
    checks.query(rule.query, scope)
    return checks.problems


@dataclass(frozen=True)
class _Scope:
    """The identifiers that all and that some of the branches declare that a place lies in."""

    always: Declarations
    sometimes: Declarations

    def inside(self, disjunction: Disjunction, part: Query) -> _Scope:
        """Returns the scope of one part of a disjunction that has this scope."""
        parts = _in_some_branch(disjunction)
        beside = {name: place for name, place in self.sometimes.items() if name in self.always or name not in parts}
        return _Scope({**self.always, **_in_every_branch(part)}, {**beside, **_in_some_branch(part)})


@dataclass(frozen=True)
class _Checks:
    rule: RuleSyntax
    problems: list[Diagnostic] = field(default_factory=list)

    def declarations(self, query: Query) -> Declarations:
        """Returns the identifiers of the query, the first place for each; reports repetitions in one branch (XC102)."""
        if not isinstance(query, Conjunction | Disjunction):
            identifier = declaration(query)
            return {} if identifier is None else {identifier.name: identifier}
        declared: dict[str, Identifier] = {}
        for part in query.queries:
            for name, identifier in self.declarations(part).items():
                if isinstance(query, Conjunction) and name in declared:
                    self.problems.append(_declared_twice(identifier, declared[name]))
                declared.setdefault(name, identifier)
        return declared

    def query(self, query: Query, scope: _Scope) -> None:
        match query:
            case Conjunction():
                for part in query.queries:
                    self.query(part, scope)
            case Disjunction():
                for part in query.queries:
                    self.query(part, scope.inside(query, part))
            case WhileLiteral():
                self._use(query.window.name, query.window.span, scope)
            case RelativeTimerLiteral():
                self._use(query.anchor.name, query.anchor.span, scope)
                return
            case EventLiteral() | StateLiteral() | AbsoluteTimerLiteral() | RelationLiteral():
                pass
        self.expressions(query.conditions, scope)

    def expressions(self, found: Iterable[Expression], scope: _Scope) -> None:
        for expression in found:
            for part in expressions.walk(expression):
                if isinstance(part, EventReference):
                    self._use(part.identifier, part.span, scope)

    def _use(self, name: str, span: Span | None, scope: _Scope) -> None:
        if name in self._rows:
            self.problems.append(_without_time(name, span, self._rows[name]))
            return
        if name in scope.always:
            return
        declared = scope.sometimes.get(name) or _in_some_branch(self.rule.query).get(name)
        if declared is None:
            message, hint = f"no event `{name}` is declared here", self._hint(name, scope)
            self.problems.append(Diagnostic("XC101", "error", message, span, hint))
        else:
            self.problems.append(_not_in_every_branch(name, span, declared, name in scope.sometimes))

    @cached_property
    def _rows(self) -> Declarations:
        """The identifiers of relations."""
        among = (one.identifier for one in literals(self.rule.query) if isinstance(one, RelationLiteral))
        return {identifier.name: identifier for identifier in among if identifier is not None}

    def _hint(self, name: str, scope: _Scope) -> str:
        if any(name in patterns.variables(pattern) for pattern in _patterns(self.rule.query)):
            return f"a variable has this name; write `var {name}`"
        if any(name == label for label in _labels_without_identifier(self.rule.query)):
            return f"the query for `{name}` has no identifier; write for example `event {name}: {name}{{{{…}}}}`"
        return did_you_mean(name, scope.always) or f"declare it in this body: `event {name}: …`"


def _in_every_branch(query: Query) -> Declarations:
    match query:
        case Conjunction():
            return {name: place for part in query.queries for name, place in _in_every_branch(part).items()}
        case Disjunction():
            first, *others = [_in_every_branch(part) for part in query.queries] or [{}]
            return {name: place for name, place in first.items() if all(name in other for other in others)}
        case _:
            identifier = declaration(query)
            return {} if identifier is None else {identifier.name: identifier}


def _in_some_branch(query: Query) -> Declarations:
    declared = [identifier for literal in literals(query) if (identifier := declaration(literal)) is not None]
    return {identifier.name: identifier for identifier in reversed(declared)}


def _patterns(query: Query) -> Iterator[patterns.Pattern]:
    for literal in literals(query):
        match literal:
            case EventLiteral() | StateLiteral() | WhileLiteral() | RelationLiteral():
                yield literal.pattern
            case AbsoluteTimerLiteral():
                yield literal.timer.pattern
            case RelativeTimerLiteral():
                pass


def _labels_without_identifier(query: Query) -> Iterator[str]:
    for literal in literals(query):
        match literal:
            case EventLiteral(identifier=None, pattern=TermPattern(label=str(label))):
                yield label
            case StateLiteral(identifier=None, pattern=TermPattern(label=str(label))):
                yield label
            case _:
                pass


def _without_time(name: str, span: Span | None, declared: Identifier) -> Diagnostic:
    return Diagnostic(
        "XC116",
        "error",
        f"`{name}` is a row of a relation, and has no time",
        span,
        "use the identifier of an event; a row only gives values to variables",
        (Note(f"`{name}` is declared here", declared.span),),
    )


def _not_in_every_branch(name: str, span: Span | None, declared: Identifier, here_too: bool) -> Diagnostic:
    where = "in some branches of `or` only" if here_too else "only in the other branch of `or`"
    return Diagnostic(
        "XC101",
        "error",
        f"`{name}` is declared {where}",
        span,
        f"declare `{name}` in every branch, or put what uses it into the branch that declares it",
        (Note(f"`{name}` is declared here", declared.span),),
    )


def _declared_twice(identifier: Identifier, first: Identifier) -> Diagnostic:
    return Diagnostic(
        "XC102",
        "error",
        f"the identifier `{identifier.name}` is declared twice",
        identifier.span,
        "events that are different have different identifiers; rename one of them and the places that mean it",
        (Note(f"`{identifier.name}` is declared here first", first.span),),
    )
