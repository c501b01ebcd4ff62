"""Identifiers, variables and functions: whether there is something behind each where it is used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cera.constraints.groups import binds, counting_variable
from cera.constraints.names import ANONYMOUS, atom_variables, declared_identifier, quantities_of, used_identifiers
from cera.constraints.numbers import counts
from cera.constraints.queries import GapContent, Literal, Membership, Part, WindowLiteral
from cera.constraints.specification import limits
from cera.diagnostics import Diagnostic, Note, did_you_mean
from cera.languages.escl.scopes import Scope
from cera.model.evaluation.functions import FUNCTIONS, arity
from cera.model.expressions.atoms import Atom, Between
from cera.model.expressions.expression import (
    AGGREGATES,
    Aggregate,
    Call,
    Comparison,
    EventReference,
    Expression,
    Variable,
    walk,
)
from cera.model.expressions.expression import Literal as Constant
from cera.rules.reasoning.expression_kinds import KindInference


def check_values(scope: Scope) -> Iterator[Diagnostic]:
    yield from _identifiers(scope)
    yield from _variables(scope)
    yield from _groups(scope)
    names = {each.identifier for part in scope.parts if (each := declared_identifier(part)) is not None}
    for part in scope.parts:
        yield from _functions(part)
        if isinstance(part, Comparison):
            yield from _kinds(part)
            yield from _words(part, names)


def _identifiers(scope: Scope) -> Iterator[Diagnostic]:
    """Reports identifiers that are declared twice (EC102), not at all (EC101), or may stand for nothing (EC203)."""
    declared: dict[str, Part] = {}
    for part in scope.parts:
        identifier = declared_identifier(part)
        if identifier is None:
            continue
        if identifier.identifier in declared:
            other = declared_identifier(declared[identifier.identifier])
            note = (Note("it is declared here first", None if other is None else other.span),)
            message = f"the identifier `{identifier.identifier}` is declared twice"
            yield Diagnostic("EC102", "error", message, identifier.span, "give one of them another name", note)
        declared.setdefault(identifier.identifier, part)
    inside = {declared_identifier(part) for part in (*scope.modules, *scope.body)}
    outer = {each.identifier for each in inside if each is not None}
    for part in scope.parts:
        own = declared_identifier(part)
        for used in used_identifiers(part):
            if used.identifier in declared:
                if own is None or own.identifier != used.identifier:
                    yield from _may_be_nothing(used, declared[used.identifier])
                continue
            hint = did_you_mean(used.identifier, declared) or _declare(used.identifier, part)
            message = f"the identifier `{used.identifier}` is not declared"
            yield Diagnostic("EC101", "error", message, used.span, hint)
    for part in (*scope.modules, *scope.body):
        for used in used_identifiers(part):
            if used.identifier in declared and used.identifier not in outer:
                message = f"the identifier `{used.identifier}` is declared in the head, and used in the body"
                yield Diagnostic("EC101", "error", message, used.span, "declare it in the body")


def _declare(name: str, part: Part) -> str:
    if isinstance(part, Membership) and part.identifier.identifier == name:
        return f"declare it, `event {name}: p(X)`; an atom without attributes is written `{name}()`"
    return f"declare it before an atom: `event {name}: p(X)`"


def _may_be_nothing(used: EventReference, part: Part) -> Iterator[Diagnostic]:
    if not isinstance(part, Literal) or (part.count is None and not part.negated):
        return
    numbers = None if part.count is None or part.negated else counts(part.count)
    if part.negated or numbers is None or 0 in numbers:
        message = f"`{used.identifier}` may stand for nothing: its count can be zero"
        note = (Note("it is declared here", None if part.identifier is None else part.identifier.span),)
        hint = "only what there is at least one of can be referred to: `exists >= 1 …`"
        yield Diagnostic("EC203", "error", message, used.span, hint, note)


def _variables(scope: Scope) -> Iterator[Diagnostic]:
    """Reports variables without a value (EC201), and those that are counted over and used elsewhere (EC204)."""
    bound = {name for part in scope.parts for name in binds(part)}
    in_body = {name for part in (*scope.modules, *scope.body) for name in binds(part)}
    for part in scope.parts:
        known = in_body if part in scope.body or part in scope.modules else bound
        for each in _computed(part):
            if each.name not in known:
                yield _unbound(each, scope, known)
    if scope.definition is not None:
        for variable in _atom_values(scope.definition.head.atom):
            if variable.name not in in_body:
                yield _unbound(variable, scope, in_body)


def _unbound(variable: Variable, scope: Scope, known: set[str]) -> Diagnostic:
    name = variable.name
    if name == ANONYMOUS:
        message = "`_` stands for any value, and has none here"
        return Diagnostic("EC201", "error", message, variable.span, "give the variable a name")
    for part in scope.parts:
        if isinstance(part, Literal) and part.count is not None and name in atom_variables(part.atom):
            message = f"`{name}` is counted over, and has no value outside of the literal"
            hint = f"group by it, if each value is to be counted by itself: `group-by {{{name}}}`"
            return Diagnostic("EC204", "error", message, variable.span, hint, (Note("it is counted here", part.span),))
    hint = did_you_mean(name, known) or f"ask for it in an atom: `p(x({name}))`"
    return Diagnostic("EC201", "error", f"no literal gives the variable `{name}` a value", variable.span, hint)


def _computed(part: Part) -> Iterator[Variable]:
    """Yields the variables that a part needs the values of."""
    match part:
        case Comparison():
            yield from (each for each in walk(part) if isinstance(each, Variable))
        case Literal() | Membership() if part.count is not None:
            free = counting_variable(part)
            for each in limits(part.count):
                if isinstance(each.amount, Variable) and each.amount.name not in free:
                    yield each.amount
        case GapContent():
            for quantity in quantities_of(part.quantities):
                yield from (e.amount for e in limits(quantity.count) if isinstance(e.amount, Variable))
        case WindowLiteral(window=Between() as window):
            for bound in (window.begin, window.end):
                yield from (each for each in walk(bound) if isinstance(each, Variable))
        case _:
            return


def _atom_values(atom: Atom) -> Iterator[Variable]:
    for argument in atom.arguments:
        if isinstance(argument, Atom):
            yield from _atom_values(argument)
        elif isinstance(argument, Variable):
            yield argument


def _kinds(part: Comparison) -> Iterator[Diagnostic]:
    """Reports what has no value whatever happens, such as the comparison of a time with a number (EC206)."""
    if any(isinstance(each, Call) and each.function not in FUNCTIONS for each in walk(part)):
        return  # EC105
    inference = KindInference()
    inference.kind(part)
    for each in inference.problems:
        if each.code == "XC405":
            time = 'a time is written `datetime("2026-01-01")`; `seconds(b(i))` is one as a number'
            yield replace(each, code="EC206", hint=time if "a time interval" in each.message else each.hint)


def _words(part: Comparison, names: set[str]) -> Iterator[Diagnostic]:
    """Reports words that are compared as texts, and are identifiers of events, states or times (EC207)."""
    for each in (part.left, part.right):
        match each:
            case Constant(str() as word) if word in names and each.span is not None and each.span.text == word:
                message = f"`{word}` is compared as the text of itself, and is an identifier"
                hint = "times are compared by relations, `i before j`, or by their bounds, `e(i) < b(j)`"
                yield Diagnostic("EC207", "warning", message, each.span, hint)
                return
            case _:
                pass


def _groups(scope: Scope) -> Iterator[Diagnostic]:
    """Reports groups by variables that the atom does not have (EC202), groups of a body that are always empty (EC205),
    and counts of groups that occur, in a head, that no number is in (EC208; EC403 is about others)."""
    positive = {name for part in (*scope.modules, *scope.body) if _is_plain(part) for name in binds(part)}
    for part in scope.parts:
        if not isinstance(part, Literal) or part.count is None:
            continue
        known = atom_variables(part.atom)
        for name in part.group_by or ():
            if name not in known:
                hint = did_you_mean(name, known) or f"the variables of the atom are {', '.join(known) or 'none'}"
                message = f"`group-by` names `{name}`, which the atom does not have"
                yield Diagnostic("EC202", "error", message, part.span, hint)
        numbers = counts(part.count)
        groups = known if part.group_by is None else part.group_by
        if numbers is not None and not numbers and part in scope.head and not set(groups) <= positive:
            message = "no number is in this count"
            hint = "limits that are joined by `and` hold all; write `or` if one of them is enough"
            yield Diagnostic("EC208", "error", message, part.span, hint)
        if numbers is not None and not numbers.reaches(1) and part in scope.body and not set(groups) <= positive:
            message = "this can never be: of groups whose values nothing else gives, only those are counted that occur"
            hint = "write `not p(X)`, or give the variables values in another literal"
            yield Diagnostic("EC205", "error", message, part.span, hint)


def _is_plain(part: Part) -> bool:
    return isinstance(part, Literal) and part.count is None and not part.negated


def _functions(part: Part) -> Iterator[Diagnostic]:
    """Reports functions that there are not (EC105)."""
    values: list[Expression] = [part] if isinstance(part, Comparison) else []
    if isinstance(part, WindowLiteral) and isinstance(part.window, Between):
        values = [part.window.begin, part.window.end]
    for value in (each for one in values for each in walk(one)):
        if isinstance(value, Aggregate) or (isinstance(value, Call) and value.function in AGGREGATES):
            message = f"`{value.function}` is an aggregate, which constraints do not have"
            hint = "count with `exists`, or derive it by a rule in another file"
            yield Diagnostic("EC105", "error", message, value.span, hint)
        elif isinstance(value, Call):
            function = FUNCTIONS.get(value.function)
            if function is None:
                hint = did_you_mean(value.function, FUNCTIONS) or "an atom stands by itself, joined by `and`"
                yield Diagnostic("EC105", "error", f"there is no function `{value.function}`", value.span, hint)
            elif not function.accepts(len(value.arguments)):
                message = f"`{value.function}` takes {arity(function)}, found {len(value.arguments)}"
                yield Diagnostic("EC105", "error", message, value.span)
