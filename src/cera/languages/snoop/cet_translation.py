"""From Snoop to event types (seed 004, Fig. 3): a definition becomes one of `.cet`, and a timer for each P.

    E1 △ E2             and(E1, E2)                  ANY(m, E1, …, En)   m of (E1, …, En), and(…) where m = n
    E1 ▽ E2             or(E1, E2)                   A(E1, E2, E3)       not(E1, E3, E2)
    E1 ; E2             ;(E1, E2)                    A*(E1, E2, E3)      ;(E1, (0-): E2, E3)
    NOT(E2)[E1, E3]     not(E1, E2, E3)              P, P*               A and A* of the ticks of a timer

The paper writes A* as or(not(E1, E2, E3), ;(E1, E2, E3)). Consumption in one type does not touch another (M-03), so an
E1 that one alternative has used would be there for the other; as one type with an optional E2 it is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cera.instances.types import Delimiter, OperatorName
from cera.languages.cet import syntax as cet
from cera.languages.snoop.modes import Modes, marked, modes_of
from cera.languages.snoop.scopes import Scope, scope_of, scopes
from cera.languages.snoop.syntax import Definition, Operation, Program, TypeName
from cera.languages.text.nodes import Field, Identifier
from cera.model.expressions.expression import Comparison, Variable


def translated(program: Program) -> cet.Program:
    """Returns the event types of a program that the checks have passed."""
    taken = {definition.name.name for definition in program.definitions}
    items: list[cet.Item] = []
    for item in program.items:
        if isinstance(item, Definition):
            types = definitions_of(item, taken)
            taken |= {each.name.name for each in types}
            items += types
        else:
            items.append(item)
    return cet.Program(tuple(items))


def definitions_of(definition: Definition, taken: set[str]) -> list[cet.Definition]:
    """Returns the types of one definition after its timers, whose names are not among those taken."""
    scope = conditioned(definition, taken)
    head = definition.head
    if head is not None and head.fields is not None:
        fields = tuple(Field(each.name, scope.resolved(each.expression), each.span) for each in head.fields)
        head = cet.Head(head.label, fields, head.span)
    timers = [_timer(each) for each in scopes(scope) if each.timer is not None]
    return [*timers, cet.Definition(definition.name, _complex(scope), head, definition.span)]


def conditioned(definition: Definition, taken: set[str]) -> Scope:
    """Returns the operators of a definition with every condition in its place. Raises AmbiguousError if unclear."""
    assert isinstance(definition.event, Operation)
    scope = scope_of(definition.event)
    names = _free_names(f"{definition.name.name}_tick", taken)
    every = list(scopes(scope))
    for inner in every:
        if inner.operation.every is not None:
            inner.timer = next(names)
    for inner in every:
        for conjunct in inner.operation.where:
            inner.add(conjunct)
        if inner.timer is not None:
            since, began = Variable(f"{inner.ticks}.since"), Variable(f"{inner.names[0]}.evtime")
            inner.where.append(Comparison("=", since, began))
    return scope


def _free_names(name: str, taken: set[str]) -> Iterator[str]:
    number = 1
    while True:
        candidate = name if number == 1 else f"{name}{number}"
        number += 1
        if candidate not in taken:
            yield candidate


def _timer(scope: Scope) -> cet.Definition:
    """Returns `every 5 min after E1 until E3`; in the recent context a new E1 replaces the one before."""
    operation = scope.operation
    assert scope.timer is not None
    assert operation.every is not None
    start, stop = (_identifier(operand.event) for operand in operation.operands)
    latest = scope.context == "recent"
    timer = cet.Timer(operation.every, start, repeats=True, stop=stop, latest=latest, span=operation.span)
    return cet.Definition(Identifier(scope.timer, operation.span), timer, span=operation.span)


def _complex(scope: Scope) -> cet.Complex:
    operation = scope.operation
    operands = [_operand(scope, place) for place in range(len(operation.operands))]
    match operation.kind:
        case "and" | "or" | ";":
            return _type(scope, operation.kind, operands)
        case "any" if operation.required == len(operands):
            return _type(scope, "and", operands)
        case "any":
            return replace(_type(scope, "of", operands), required=operation.required)
        case "not":
            first, absent, last = operands
            return _type(scope, "not", (first, last), absent)
        case "A":
            first, occurring, last = operands
            return _type(scope, "not", (first, occurring), last)
        case "A*":
            first, collected, last = operands
            return _type(scope, ";", (first, replace(collected, delimiter=Delimiter(0)), last))
        case "P":
            first, last = operands
            return _type(scope, "not", (first, _ticks(scope)), last)
        case "P*":
            first, last = operands
            return _type(scope, ";", (first, replace(_ticks(scope), delimiter=Delimiter(0)), last))


def _type(
    scope: Scope, operator: OperatorName, bound: Sequence[cet.Operand], absent: cet.Operand | None = None
) -> cet.Complex:
    """Returns the type over the bound components, with the modes of the context, and the forbidden component."""
    operation = scope.operation
    modes = modes_of(operation.kind, scope.context, len(bound))
    assert modes is not None
    if scope.context == "samos":
        signs = [operand.mark for operand in operation.operands]
        bound_signs = signs if absent is None else [signs[0], signs[-1]]
        modes = tuple(marked(each, sign, operation.kind) for each, sign in zip(modes, bound_signs, strict=True))
    operands = [_with_modes(operand, each) for operand, each in zip(bound, modes, strict=True)]
    if absent is not None:
        operands.insert(1, absent)
    return cet.Complex(
        operator,
        tuple(operands),
        where=tuple(scope.where),
        within=operation.within,
        operator_span=operation.span,
        limit_span=operation.limit_span,
        span=operation.span,
    )


def _with_modes(operand: cet.Operand, modes: Modes) -> cet.Operand:
    return replace(operand, selection=modes.selection, inside=modes.inside, outside=modes.outside)


def _operand(scope: Scope, place: int) -> cet.Operand:
    """Returns a component with default modes."""
    operand = scope.operation.operands[place]
    inner = scope.nested.get(place)
    if inner is None:
        return cet.Operand(_identifier(operand.event), alias=operand.name, span=operand.span)
    fields = tuple(Field(name, value) for name, value in inner.fields.items()) or None
    return cet.Operand(_complex(inner), alias=scope.alias(place), fields=fields, span=operand.span)


def _ticks(scope: Scope) -> cet.Operand:
    operation = scope.operation
    assert scope.timer is not None
    return cet.Operand(Identifier(scope.timer, operation.span), alias=operation.ticks, span=operation.span)


def _identifier(event: TypeName | Operation) -> Identifier:
    assert isinstance(event, TypeName)
    return Identifier(event.name, event.span)
