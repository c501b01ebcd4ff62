"""Variables, aggregates and functions: whether there is a value where one is used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from cera.diagnostics import Diagnostic, Note, Span, did_you_mean
from cera.languages.streamlog.scopes import ANONYMOUS, Scope, atom_values, places, rule_scope, time_scope
from cera.languages.streamlog.syntax import (
    EvaluationTime,
    Leaf,
    Literal,
    Module,
    Query,
    Rule,
    TimerLiteral,
    WindowLiteral,
    leaves,
)
from cera.model.evaluation.functions import FUNCTIONS, arity
from cera.model.expressions.atoms import Atom, Between
from cera.model.expressions.expression import (
    AGGREGATES,
    Aggregate,
    Call,
    Comparison,
    Expression,
    Not,
    Temporal,
    Variable,
    Within,
    operands,
    variables,
    walk,
)

#: The least similarity of an atom's label to the name of the aggregate that was meant.
_NEAR = 0.8


def check_variables(module: Module, rule: Rule) -> Iterator[Diagnostic]:
    """Reports variables of the head (SL201) and of conditions (SL202) that no positive literal binds."""
    known = rule_scope(module, rule)
    values = [*atom_values(rule.head.atom), *(inner for each in rule.head.conditions for inner in walk(each))]
    yield from _unbound(values, known, rule.query, "SL201", "in the head")
    for leaf, scope in places(rule.query, time_scope(module.time)):
        yield from _unbound(_used(leaf), scope, rule.query, "SL202", "in a condition")


def _unbound(values: Iterable[Expression], scope: Scope, query: Query, code: str, where: str) -> Iterator[Diagnostic]:
    reported: set[str] = set()
    for each in values:
        if not isinstance(each, Variable) or each.name in scope.variables or each.name in reported:
            continue
        reported.add(each.name)
        if each.name == ANONYMOUS:
            message = f"`_` stands for any value, and has none {where}"
            yield Diagnostic(code, "error", message, each.span, "give the variable a name")
            continue
        message = f"no positive literal binds the variable `{each.name}`, which is used {where}"
        hint = did_you_mean(each.name, scope.variables) or f"ask for it in an atom: `p(x({each.name}))`"
        yield Diagnostic(code, "error", message, each.span, hint, tuple(_elsewhere(each.name, query)))


def _elsewhere(name: str, query: Query) -> Iterator[Note]:
    """Yields the literals that have a variable and do not bind it."""
    for leaf in leaves(query):
        if isinstance(leaf, Literal):
            place = next((v.span for v in atom_values(leaf.atom) if isinstance(v, Variable) and v.name == name), None)
            if place is not None:
                reason = "this one is in a negation" if leaf.negated else "this one is in one alternative only"
                yield Note(reason, place)


def check_values(module: Module, rule: Rule) -> Iterator[Diagnostic]:
    """Reports aggregates in the wrong place or over nothing (SL203), unknown functions (SL105), and atoms that were
    meant to be aggregates (SL108)."""
    for argument in rule.head.atom.arguments:
        yield from _meant_aggregate(argument)
    for value in atom_values(rule.head.atom):
        yield from _aggregate(value)
        yield from _function(value)
    body = [*_bounds(module.time), *(inner for leaf in leaves(rule.query) for inner in _used(leaf))]
    for value in [*body, *(inner for each in rule.head.conditions for inner in walk(each))]:
        yield from _function(value)
        if _is_aggregate(value):
            hint = "derive it by a rule of its own, and ask for it here"
            yield _wrong_aggregate(f"`{_name(value)}` is an aggregate, which only heads have", value.span, hint)


def _meant_aggregate(attribute: Atom | Expression) -> Iterator[Diagnostic]:
    """Yields a warning for an atom of variables inside of an attribute that is nearly called as an aggregate is."""
    for inner in attribute.arguments if isinstance(attribute, Atom) else ():
        if not isinstance(inner, Atom) or not all(isinstance(each, Variable) for each in inner.arguments):
            continue
        close = get_close_matches(inner.label.lower(), AGGREGATES, n=1, cutoff=_NEAR)
        if close and inner.arguments:
            message = f"`{inner.label}` is not an aggregate, so this is a term with this label"
            yield Diagnostic("SL108", "warning", message, inner.span, f"did you mean `{close[0]}`?")


def _aggregate(value: Expression) -> Iterator[Diagnostic]:
    if not _is_aggregate(value):
        return
    name, inside = _name(value), operands(value)
    if not any(variables(each) for each in inside):
        hint = f"say of which variable: `{name}(V)`"
        yield _wrong_aggregate(f"`{name}` is an aggregate over nothing: there is no variable in it", value.span, hint)
    elif len(inside) > 1 and name != "count":
        hint = f"write one value: `{name}(V)`; only `count` may have several"
        yield _wrong_aggregate(f"`{name}` is the aggregate of one value, found {len(inside)}", value.span, hint)
    elif nested := next((inner for each in inside for inner in walk(each) if _is_aggregate(inner)), None):
        hint = "derive the inner one by a rule of its own"
        yield _wrong_aggregate("an aggregate cannot be aggregated again", nested.span, hint)


def _wrong_aggregate(message: str, span: Span | None, hint: str) -> Diagnostic:
    return Diagnostic("SL203", "error", message, span, hint)


def _function(value: Expression) -> Iterator[Diagnostic]:
    if not isinstance(value, Call) or value.function in AGGREGATES:
        return
    function = FUNCTIONS.get(value.function)
    if function is None:
        hint = did_you_mean(value.function, FUNCTIONS) or "an atom is a query by itself, joined to conditions by `and`"
        yield Diagnostic("SL105", "error", f"there is no function `{value.function}`", value.span, hint)
    elif not function.accepts(len(value.arguments)):
        message = f"`{value.function}` takes {arity(function)}, found {len(value.arguments)}"
        yield Diagnostic("SL105", "error", message, value.span)


def _is_aggregate(value: Expression) -> bool:
    return isinstance(value, Aggregate) or (isinstance(value, Call) and value.function in AGGREGATES)


def _name(value: Expression) -> str:
    return value.function if isinstance(value, Aggregate | Call) else ""


def aggregates(rule: Rule) -> list[Expression]:
    """Returns the aggregates of a head."""
    return [value for value in atom_values(rule.head.atom) if _is_aggregate(value)]


def _used(leaf: Leaf) -> Iterator[Expression]:
    """Yields the expressions that a leaf computes with, and all that is inside of them."""
    match leaf:
        case Comparison() | Temporal() | Within() | Not():
            yield from walk(leaf)
        case Literal():
            yield from _bounds(leaf.time)
        case TimerLiteral() | WindowLiteral():
            yield from _bounds(leaf)
        case _:
            pass


def _bounds(time: EvaluationTime | None) -> Iterator[Expression]:
    if isinstance(time, WindowLiteral) and isinstance(time.window, Between):
        yield from walk(time.window.begin)
        yield from walk(time.window.end)
