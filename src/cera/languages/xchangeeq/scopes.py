"""Event identifiers: where they are declared and where they may be used.

The scope of an identifier is the whole branch of the body that declares it. A place in a body lies in several branches
when there is an `or` beside it or below it; an identifier may be used there if every one of them declares it. That can
be seen without writing the branches out: the identifiers that every branch of a query declares are, for `and`, those
of any part, and for `or`, those of all parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from cera.diagnostics import Diagnostic, Note, Span, did_you_mean
from cera.languages.xchangeeq.naming import declaration
from cera.languages.xchangeeq.syntax import (
    AbsoluteTimerLiteral,
    Conjunction,
    Disjunction,
    EventLiteral,
    Identifier,
    Query,
    RelativeTimerLiteral,
    RuleSyntax,
    WhileLiteral,
    literals,
)
from cera.model import constructs, expressions, patterns
from cera.model.expressions import EventReference, Expression
from cera.model.patterns import TermPattern

Declarations = Mapping[str, Identifier]


def check_scopes(rule: RuleSyntax) -> list[Diagnostic]:
    """Identifiers that are not declared where they are used (XC101) or declared twice in one branch (XC102)."""
    scopes = _Scopes(rule)
    scopes.check()
    return scopes.problems


@dataclass
class _Scopes:
    rule: RuleSyntax
    problems: list[Diagnostic] = field(default_factory=list)

    def check(self) -> None:
        self._declared(self.rule.query)
        always, sometimes = _in_every_branch(self.rule.query), _in_some_branch(self.rule.query)
        for construct in constructs.walk(self.rule.head.construct):
            for expression in constructs.own_expressions(construct):
                self._check_expression(expression, always, sometimes)
        self._check_query(self.rule.query, always, sometimes)

    def _declared(self, query: Query) -> Declarations:
        """The identifiers of the query, the first place for each; reports those that meet in one branch (XC102)."""
        if not isinstance(query, Conjunction | Disjunction):
            identifier = declaration(query)
            return {} if identifier is None else {identifier.name: identifier}
        declared: dict[str, Identifier] = {}
        for part in query.queries:
            for name, identifier in self._declared(part).items():
                if isinstance(query, Conjunction) and name in declared:
                    self.problems.append(_declared_twice(identifier, declared[name]))
                declared.setdefault(name, identifier)
        return declared

    def _check_query(self, query: Query, always: Declarations, sometimes: Declarations) -> None:
        """`always` and `sometimes` are declared in all and in some of the branches that this place lies in."""
        match query:
            case Conjunction():
                for part in query.queries:
                    self._check_query(part, always, sometimes)
            case Disjunction():
                outside = {name: place for name, place in sometimes.items() if name not in _in_some_branch(query)}
                for part in query.queries:
                    self._check_query(
                        part,
                        {**always, **_in_every_branch(part)},
                        {**outside, **always, **_in_some_branch(part)},
                    )
            case RelativeTimerLiteral():
                self._check_use(query.anchor.name, query.anchor.span, always, sometimes)
            case WhileLiteral():
                self._check_use(query.window.name, query.window.span, always, sometimes)
            case EventLiteral() | AbsoluteTimerLiteral():
                pass
        if not isinstance(query, RelativeTimerLiteral):
            for condition in query.conditions:
                self._check_expression(condition, always, sometimes)

    def _check_expression(self, expression: Expression, always: Declarations, sometimes: Declarations) -> None:
        for part in expressions.walk(expression):
            if isinstance(part, EventReference):
                self._check_use(part.identifier, part.span, always, sometimes)

    def _check_use(self, name: str, span: Span | None, always: Declarations, sometimes: Declarations) -> None:
        if name in always:
            return
        elsewhere = _in_some_branch(self.rule.query).get(name)
        if name in sometimes:
            message, note = f"`{name}` is declared in some branches of `or` only", "not every branch declares it"
        elif elsewhere is not None:
            message, note = f"`{name}` is declared only in the other branch of `or`", "this is another branch"
        else:
            hint = self._hint(name, always)
            self.problems.append(Diagnostic("XC101", "error", f"no event `{name}` is declared here", span, hint))
            return
        place = sometimes.get(name, elsewhere)
        notes = (Note(f"`{name}` is declared here; {note}", place.span if place else None),)
        hint = f"declare `{name}` in every branch, or put what uses it into the branch that declares it"
        self.problems.append(Diagnostic("XC101", "error", message, span, hint, notes))

    def _hint(self, name: str, always: Declarations) -> str | None:
        if any(name in patterns.variables(pattern) for pattern in _patterns(self.rule.query)):
            return f"a variable has this name; write `var {name}`"
        if any(name == label for label in _labels_without_identifier(self.rule.query)):
            return f"the query for `{name}` has no identifier; write for example `event {name}: {name}{{{{…}}}}`"
        return did_you_mean(name, always) or "declare it with `event " + name + ": …` in this body"


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
            case EventLiteral() | WhileLiteral():
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
            case _:
                pass


def _declared_twice(identifier: Identifier, first: Identifier) -> Diagnostic:
    return Diagnostic(
        "XC102",
        "error",
        f"the identifier `{identifier.name}` is declared twice",
        identifier.span,
        "events that are different have different identifiers; rename one of them and the places that mean it",
        (Note(f"`{identifier.name}` is declared here first", first.span),),
    )
