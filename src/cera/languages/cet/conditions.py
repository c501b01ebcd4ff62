"""Conditions and heads: the components that they speak of, their attributes, functions and folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cera.diagnostics import Diagnostic, Note, Span, did_you_mean
from cera.languages.cet.names import TIME, Attributes, KnownAttributes, Scope, holders, scope_of
from cera.languages.cet.printer import print_expression
from cera.languages.cet.syntax import Complex, Definition, Operand, Program
from cera.languages.text.nodes import Field
from cera.model.evaluation.functions import FUNCTIONS, arity
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import (
    AGGREGATES,
    Aggregate,
    Call,
    DurationLiteral,
    EventReference,
    Expression,
    Variable,
)


def check_conditions(program: Program) -> Iterator[Diagnostic]:
    """Reports names and attributes (CE103, CE201 to CE203), values (CE004, CE104, CE307), folds (CE204), inner
    components of `not` (CE205), fields (CE206)."""
    known = KnownAttributes(program)
    for definition in program.definitions:
        yield from _definition(definition, known)
    yield from _partition(program)


def _definition(definition: Definition, known: KnownAttributes) -> Iterator[Diagnostic]:
    if isinstance(definition.type, Complex):
        head = definition.head
        yield from _type(definition.type, head.fields if head is not None else None, known)


def _type(type_: Complex, fields: tuple[Field, ...] | None, known: KnownAttributes) -> Iterator[Diagnostic]:
    scope = scope_of(type_)
    yield from _called_twice(scope)
    for conjunct in type_.where:
        yield from _expression(conjunct, scope, known)
        yield from check_folds(conjunct, in_head=False)
        yield from _several_inner(conjunct, scope)
    for field in fields or ():
        yield from _expression(field.expression, scope, known)
        yield from check_folds(field.expression, in_head=True)
        yield from _inner_in_head(field.expression, scope)
    yield from _fields(fields or ())
    for operand in type_.operands:
        if isinstance(operand.type, Complex):
            yield from _type(operand.type, operand.fields, known)


def _called_twice(scope: Scope) -> Iterator[Diagnostic]:
    for name, operands in scope.components.items():
        named = [operand for operand in operands if operand.alias is not None]
        if len(operands) > 1 and named:
            first, second = (operands[0], operands[1])
            alias = second.alias or named[0].alias
            note = Note("here is the other", first.span if alias is second.alias else second.span)
            message = f"two components are called `{name}`"
            place = alias.span if alias is not None else second.span
            yield Diagnostic("CE203", "error", message, place, "give one of them another name", (note,))


def _expression(expression: Expression, scope: Scope, known: KnownAttributes) -> Iterator[Diagnostic]:
    counted = {
        id(part.operand)
        for part in expressions.walk(expression)
        if isinstance(part, Aggregate) and isinstance(part.operand, EventReference)
    }
    for part in expressions.walk(expression):
        match part:
            case Variable(name=name):
                component, _, attribute = name.partition(".")
                found = list(_component(component, part.span, scope))
                yield from found or _attribute(scope.components[component][0], attribute, part.span, known)
            case EventReference(identifier=name) if id(part) in counted:
                yield from _component(name, part.span, scope)
            case EventReference(identifier=name):
                yield _no_value(name, part.span, scope)
            case Call():
                yield from _function(part)
            case DurationLiteral(duration=duration) if duration.months:
                message = "months and years have no fixed length, and times are compared in microseconds"
                yield Diagnostic("CE307", "error", message, part.span, "write days: `30 days`")
            case _:
                pass


def _component(name: str, span: Span | None, scope: Scope) -> Iterator[Diagnostic]:
    operands = scope.components.get(name, ())
    if len(operands) == 1 or any(operand.alias is not None for operand in operands):
        return  # several with a name of their own are reported where they are
    if operands:
        message = f"which `{name}` is meant? There are {len(operands)} of them"
        hint = f"give them names: `{name} as first, {name} as second`"
        notes = tuple(Note("one is here", operand.span) for operand in operands)
        yield Diagnostic("CE202", "error", message, span, hint, notes)
        return
    message = f"no component is called `{name}`"
    for holder in holders(scope.type, name):
        note = Note(f"`{name}` is inside of this component", holder.span)
        called = holder.name or "p"
        inside = f"conditions on it stand behind that type; of the whole, attributes: `… as {called}`, `{called}.…`"
        yield Diagnostic("CE201", "error", message, span, inside, (note,))
        return
    there = list(scope.components)
    listed = f"the components are {', '.join(there)}" if there else "give the component a name: `and(E1, E2) as p`"
    yield Diagnostic("CE201", "error", message, span, did_you_mean(name, there) or listed)


def _no_value(name: str, span: Span | None, scope: Scope) -> Diagnostic:
    message = f"`{name}` is not a value"
    if name in scope.components:
        hint = f"write one of its attributes, as in `{name}.{TIME}`; in a head, `count({name})` is how many there are"
    else:
        owner = next(iter(scope.components), "E1")
        hint = f'a string is written in quotes, "{name}"; an attribute stands behind its component, `{owner}.{name}`'
    return Diagnostic("CE004", "error", message, span, hint)


def _attribute(operand: Operand, name: str, span: Span | None, known: KnownAttributes) -> Iterator[Diagnostic]:
    attributes = known.attributes(operand)
    if attributes is None or name == TIME or name in attributes.names:
        return
    plain = name[4:] if attributes.change and name[:4] in ("old_", "new_") else name
    if plain in attributes.names:
        return
    listed = f"; it has {', '.join(attributes.names)}" if attributes.names else ""
    message = f"{_kind(attributes)} `{attributes.of}` has no attribute `{plain}`{listed}"
    notes: tuple[Note, ...] = ()
    if attributes.identifier is not None:
        notes = (Note(f"`{attributes.of}` is {_made(attributes)} here", attributes.identifier.span),)
    yield Diagnostic("CE103", "error", message, span, did_you_mean(plain, (*attributes.names, TIME)), notes)


def _made(attributes: Attributes) -> str:
    return "declared" if attributes.kind == "event" else "defined"


def _kind(attributes: Attributes) -> str:
    return {"event": "the event", "timer": "the timer"}.get(attributes.kind, "the type")


def _function(call: Call) -> Iterator[Diagnostic]:
    function = FUNCTIONS.get(call.function)
    if function is None:
        hint = did_you_mean(call.function, [*FUNCTIONS, *expressions.AGGREGATES])
        yield Diagnostic("CE104", "error", f"there is no function `{call.function}`", call.span, hint)
    elif not function.accepts(len(call.arguments)):
        message = f"`{call.function}` takes {arity(function)}, found {len(call.arguments)}"
        yield Diagnostic("CE104", "error", message, call.span)


def _mentioned_inner(expression: Expression, scope: Scope) -> list[str]:
    """Returns the names of inner components of `not` that an expression is about."""
    names = dict.fromkeys(
        part.name.partition(".")[0] if isinstance(part, Variable) else part.identifier
        for part in expressions.walk(expression)
        if isinstance(part, Variable | EventReference)
    )
    return [name for name in names if any(map(scope.inner, scope.components.get(name, ())))]


def _several_inner(conjunct: Expression, scope: Scope) -> Iterator[Diagnostic]:
    inner = _mentioned_inner(conjunct, scope)
    if len(inner) > 1:
        message = f"this is about `{inner[0]}` and `{inner[1]}`, which both must not occur"
        hint = (
            "a condition says which instances of one of them count; two as one are a type: `not(E1, and(E2, E3), E4)`"
        )
        yield Diagnostic("CE205", "error", message, conjunct.span, hint)


def _inner_in_head(expression: Expression, scope: Scope) -> Iterator[Diagnostic]:
    for name in _mentioned_inner(expression, scope):
        message = f"`{name}` must not occur, so there is nothing to tell of it"
        hint = "a head can speak of the first and the last component of `not`"
        yield Diagnostic("CE205", "error", message, expression.span, hint)


def _fields(fields: Iterable[Field]) -> Iterator[Diagnostic]:
    first: dict[str, Field] = {}
    for field in fields:
        before = first.setdefault(field.name, field)
        if before is not field:
            note = Note("here is the first", before.span)
            message = f"two fields are called `{field.name}`"
            hint = "give one of them another name, as in `name: E1.v`"
            yield Diagnostic("CE206", "error", message, field.span, hint, (note,))


def _partition(program: Program) -> Iterator[Diagnostic]:
    for declared in program.partitions[:1]:
        for event in program.events:
            if event.attributes and declared.attribute not in event.attributes:
                message = f"the event `{event.name.name}` has no attribute `{declared.attribute}` to partition by"
                hint = did_you_mean(declared.attribute, event.attributes)
                note = Note("it is declared here", event.span)
                yield Diagnostic("CE103", "error", message, declared.span, hint, (note,))


def check_folds(expression: Expression, *, in_head: bool) -> Iterator[Diagnostic]:
    """Reports folds in conditions, and folds of anything but an attribute (CE204)."""
    if not isinstance(expression, Aggregate):
        for operand in expressions.operands(expression):
            yield from check_folds(operand, in_head=in_head)
        return
    text = print_expression(expression)
    if not in_head:
        message = f"`{text}` is made of all instances of a component, and a condition is about one of each"
        hint = _instead(expression)
        yield Diagnostic("CE204", "error", message, expression.span, hint)
        return
    match expression.operand:
        case Variable():
            return
        case EventReference(identifier=name):
            if expression.function == "count":
                return
            hint = f"write the attribute: `{expression.function}({name}.…)`"
        case Call(function=function) if function in AGGREGATES:
            hint = f"`{expression.function}` takes one attribute"
        case _:
            hint = f"fold one attribute and compute with the result: `2 * {expression.function}(E1.v)`"
    message = f"`{expression.function}` folds an attribute of a component, as in `{expression.function}(E1.v)`"
    yield Diagnostic("CE204", "error", message, expression.span, hint)


def _instead(expression: Aggregate) -> str:
    if expression.function == "count":
        return "how many there have to be says a delimiter: `(3-): E1`"
    given_on = f"as total(value: {expression.function}(…))"
    return f"give it on in a head, `T := … {given_on}`, and compare it in a type of that: `or(T) where T.value > 3`"
