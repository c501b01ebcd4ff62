"""Heads of rules: what is derived from the variables and events of a body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cera.languages.xchangeeq.syntax import DetectHead, RaiseHead
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct, OrderKey
from cera.model.expressions.expression import AGGREGATES, Aggregate, Arithmetic, Expression, Literal, Variable
from cera.model.terms.values import Scalar

from .choices import Choices
from .expressions import Scope, call, number, reference, text
from .patterns import TERM_VARIABLE

#: The children of heads have labels that no base event but `d` has, so that a rule does not match its own events.
_CHILDREN = ("x", "y", "entry")
_CONSTANTS: tuple[Scalar, ...] = (0, "x", 2.5, True, -1)


def detect_head(choices: Choices, scope: Scope, label: str, *, wrapped: bool) -> DetectHead:
    """A head with up to three children; when `wrapped`, none of them is a bare variable."""
    children = [
        _child(choices, scope, wrapped=wrapped) for _ in range(choices.weighted(((5, 1), (4, 2), (1, 3), (1, 0))))
    ]
    if not wrapped and scope.variables and choices.chance(15):
        children.append(_bare(choices, scope))
    if children and choices.may("ordered head", 10):
        children[0] = ConstructTerm(choices.one_of(_CHILDREN), (children[0],), ordered=True)
    return DetectHead(ConstructTerm(label, tuple(children), choices.may("ordered head", 15)))


def raise_head(choices: Choices, scope: Scope) -> RaiseHead:
    recipient = choices.one_of(("http://auditor.example", "mailto:a@b.example"))
    transport = choices.one_of((None, "http://www.w3.org/2003/05/soap/bindings/HTTP/"))
    if TERM_VARIABLE in scope.variables and choices.may("raise variable", 70):
        return RaiseHead(recipient, transport, ConstructValue(Variable(TERM_VARIABLE)))
    return RaiseHead(recipient, transport, detect_head(choices, scope, "message", wrapped=False).construct)


def _child(choices: Choices, scope: Scope, *, wrapped: bool) -> Construct:
    label = choices.one_of(_CHILDREN)
    makers: list[tuple[int, Callable[[], Construct]]] = [(1, lambda: _term(label, ConstructValue(_constant(choices))))]
    if scope.variables:
        makers.append((8, lambda: _term(label, ConstructValue(Variable(choices.one_of(scope.variables))))))
        makers.append((3, lambda: _term(label, ConstructValue(_calculated(choices, scope)))))
        often = 10 if scope.collected else 4
        makers.append((often, lambda: _aggregated(choices, scope, label)))
        if choices.allows("all"):
            makers.append((often, lambda: _all(choices, scope, label)))
            makers.append((1, lambda: _term(label, _all_of(choices, scope))))
    missing = _missing(choices, scope)
    if (missing or scope.variables) and choices.allows("optional construct"):
        makers.append((4 + 8 * bool(missing), lambda: _optional(choices, scope, label, wrapped=wrapped)))
    if scope.identifiers and choices.allows("head time"):
        makers.append((1, lambda: _time(choices, scope, label)))
    return choices.weighted(makers)()


def _term(label: str, *children: Construct) -> ConstructTerm:
    return ConstructTerm(label, children)


def _value(choices: Choices, scope: Scope) -> Construct:
    return ConstructValue(_gathered(choices, scope))


def _bare(choices: Choices, scope: Scope) -> Construct:
    """A value without a term around it."""
    makers: list[Callable[[], Expression | None]] = [
        lambda: _gathered(choices, scope),
        lambda: _constant(choices),
        lambda: _calculated(choices, scope),
        lambda: _aggregate(choices, scope),
    ]
    return ConstructValue(choices.one_of(makers)() or _gathered(choices, scope))


def _gathered(choices: Choices, scope: Scope) -> Variable:
    """A variable that is likely to have several values."""
    return Variable(choices.one_of(scope.collected if scope.collected and choices.chance(75) else scope.variables))


def _constant(choices: Choices) -> Literal:
    return Literal(choices.one_of(_CONSTANTS))


def _calculated(choices: Choices, scope: Scope) -> Expression:
    """Arithmetic on what every branch binds, or a text made from it."""
    if not choices.allows("head arithmetic"):
        return Variable(choices.one_of(scope.variables))
    scope = scope if choices.allows("head time") else replace(scope, identifiers=())
    return text(choices, scope) if choices.chance(30) else number(choices, scope)


def _time(choices: Choices, scope: Scope, label: str) -> Construct:
    """How long an event was, or when it began or ended."""
    event = reference(choices, scope)
    edge = choices.featured(("begin", "end"), lambda name: f"function {name}")
    if edge is not None and choices.may("function iso", 40):
        return _term(label, ConstructValue(call("iso", call(edge, event))))
    if choices.allows("function seconds") and choices.allows("function length"):
        return _term(label, ConstructValue(call("seconds", call("length", event))))
    return _term(label, ConstructValue(_constant(choices)))


def _aggregated(choices: Choices, scope: Scope, label: str) -> Construct:
    aggregate = _aggregate(choices, scope)
    if aggregate is None:
        return _term(label, _value(choices, scope))
    if choices.allows("arithmetic *") and choices.may("head arithmetic", 15):
        return _term(label, ConstructValue(Arithmetic("*", Literal(2), aggregate)))
    return _term(label, ConstructValue(aggregate))


def _aggregate(choices: Choices, scope: Scope) -> Aggregate | None:
    options = [(function, distinct) for function in AGGREGATES for distinct in (False, True)]
    chosen = choices.featured(options, lambda o: f"aggregate {o[0]} distinct" if o[1] else f"aggregate {o[0]}")
    if chosen is None:
        return None
    operand: Expression = _gathered(choices, scope)
    if choices.allows("head time") and choices.may("head arithmetic", 15):
        operand = number(choices, scope, 1)
    return Aggregate(chosen[0], operand, chosen[1])


def _all(choices: Choices, scope: Scope, label: str, depth: int = 1) -> Construct:
    """`all label{…}`, with or without an aggregate for each group, an order, and another `all` inside."""
    children: list[Construct] = [_value(choices, scope)] if choices.chance(80) else []
    if choices.chance(35):
        children.append(_aggregated(choices, scope, "y"))
    if depth and choices.may("nested all", 10):
        children.append(_all(choices, scope, "x", depth - 1))
    group_by = (choices.one_of(scope.variables),) if choices.may("group-by", 35) else ()
    order_by: list[OrderKey] = []
    while choices.may("order-by", 30) and len(order_by) < 2:
        order_by.append(OrderKey(_gathered(choices, scope), choices.may("order-by desc", 50)))
    return All(_term(label, *children), group_by, tuple(order_by))


def _all_of(choices: Choices, scope: Scope) -> Construct:
    """`all` of something else than a plain term: values, ordered terms, `optional`."""
    inner = _bare(choices, scope)
    if choices.may("ordered head", 20):
        inner = ConstructTerm("x", (inner, ConstructValue(_constant(choices))), ordered=True)
    elif choices.allows("optional construct") and choices.chance(20):
        inner = OptionalConstruct(
            ConstructValue(Variable(choices.one_of((*_missing(choices, scope), *scope.variables))))
        )
    order = (OrderKey(_gathered(choices, scope)),) if choices.may("order-by", 30) else ()
    return All(inner, (choices.one_of(scope.variables),) if choices.may("group-by", 35) else (), order)


def _missing(choices: Choices, scope: Scope) -> tuple[str, ...]:
    return scope.missing if choices.allows("branch variable") else scope.optional


def _optional(choices: Choices, scope: Scope, label: str, depth: int = 1, *, wrapped: bool) -> Construct:
    """`optional …` around what may be missing, in every form that a construct has, with or without a default."""
    missing = _missing(choices, scope)
    known = replace(scope, variables=(*missing, *missing, *missing, *scope.variables))
    inner = _guarded(choices, known, label, wrapped=wrapped)
    if depth and choices.chance(8):
        inner = _optional(choices, scope, label, 0, wrapped=wrapped)
    if not choices.may("default", 50):
        return OptionalConstruct(inner)
    if depth and choices.chance(20):
        return OptionalConstruct(inner, _optional(choices, scope, label, 0, wrapped=wrapped))
    default: Construct = ConstructValue(_constant(choices))
    if scope.variables and choices.chance(35):
        default = _bare(choices, scope)
    if choices.may("ordered head", 10):
        default = ConstructTerm(label, (default,), ordered=True)
        return OptionalConstruct(inner, default)
    if scope.variables and choices.allows("all") and choices.chance(15):
        default = _all(choices, scope, label)
    return OptionalConstruct(inner, _term(label, default) if wrapped or choices.chance(70) else default)


def _guarded(choices: Choices, known: Scope, label: str, *, wrapped: bool) -> Construct:
    """A construct over variables that may be missing."""
    value = ConstructValue(Variable(choices.one_of(known.variables)))
    makers: list[tuple[int, Callable[[], Construct]]] = [
        (6, lambda: _term(label, value)),
        (3, lambda: _term(label) if wrapped else _bare(choices, known)),
        (1, lambda: ConstructTerm(label, (value,), ordered=choices.may("ordered head", 50))),
        (2, lambda: _term(label, value, ConstructValue(Variable(choices.one_of(known.variables))))),
        (2, lambda: _term(label, ConstructValue(_calculated(choices, known)))),
        (3, lambda: _aggregated(choices, known, label)),
    ]
    if choices.allows("all"):
        makers.append((3, lambda: _all(choices, known, label)))
    return choices.weighted(makers)()
