"""A program as what runs over events: an EventTypeModule.

A type that is written in the place of a component becomes a hidden type of its own, `E6/2` for the second component of
E6. Names that nothing defines are labels of the stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from cera.diagnostics import Diagnostic, Span, in_source_order
from cera.instances.events.module import EventTypeModule
from cera.instances.types import (
    ComplexType,
    Component,
    Delimiter,
    EventType,
    Fold,
    FoldedValue,
    OperatorName,
    TimerType,
)
from cera.languages.cet.checks import check_program
from cera.languages.cet.printer import print_expression
from cera.languages.cet.run_warnings import running
from cera.languages.cet.syntax import Complex, Definition, Operand, Program, Timer, references
from cera.languages.expressions.lengths import in_microseconds
from cera.languages.text.nodes import Field, Identifier
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Aggregate, EventReference, Expression, Variable
from cera.modules.monitoring import MonitoredEvents, Output

#: The names of components that are types written in place without a name.
_NAMELESS: dict[OperatorName, str] = {
    ";": "sequence",
    "==": "together",
    "and": "and",
    "or": "or",
    "not": "not",
    "of": "some",
}


def instance_module(
    program: Program, name: str, span: Span | None = None
) -> tuple[EventTypeModule | None, tuple[Diagnostic, ...]]:
    """Returns the module, None if there are errors, and the diagnostics: the errors, or else warnings and notes."""
    errors = check_program(program)
    if errors:
        return None, tuple(errors)
    module = lowered(program, name, span)
    return module, tuple(in_source_order(list(running(module))))


def lowered(program: Program, name: str, span: Span | None = None) -> EventTypeModule:
    """Returns the module of a program without errors."""
    types: list[EventType] = []
    for definition in _in_order(program):
        types += _types(definition)
    outputs = tuple(
        Output(
            f"{name}.{each.name}",
            each.name,
            tuple(dict.fromkeys(_causes(each, {type_.name: type_ for type_ in types}))),
            each.label,
            each.fields or (),
            each.span,
        )
        for each in types
        if isinstance(each, ComplexType) and not each.hidden
    )
    partition = program.partitions[0].attribute if program.partitions else None
    return EventTypeModule(name, tuple(_monitored(program)), tuple(types), outputs, "operation", partition, span)


def _monitored(program: Program) -> Iterator[MonitoredEvents]:
    """Yields the declared events, then the labels that definitions name, in the order of the text."""
    known = {definition.name.name for definition in program.definitions}
    for event in program.events:
        known.add(event.name.name)
        yield MonitoredEvents(event.name.name, event.type.name, event.type.kind, event.attributes, event.name.span)
    for definition in program.definitions:
        for reference in references(definition):
            if reference.name not in known:
                known.add(reference.name)
                yield MonitoredEvents(reference.name, reference.name, span=reference.span)


def _in_order(program: Program) -> list[Definition]:
    """Returns the definitions, each after those that it is made of, else in the order of the text."""
    by_name = {definition.name.name: definition for definition in program.definitions}
    ordered: dict[str, Definition] = {}
    pending = [(definition, False) for definition in reversed(program.definitions)]
    while pending:
        definition, ready = pending.pop()
        if definition.name.name in ordered:
            continue
        if ready:
            ordered[definition.name.name] = definition
            continue
        pending.append((definition, True))
        needed = [by_name[each.name] for each in references(definition) if each.name in by_name]
        pending += [(each, False) for each in reversed(needed)]
    return list(ordered.values())


def _types(definition: Definition) -> list[EventType]:
    match definition.type:
        case Timer() as timer:
            stop = None if timer.stop is None else timer.stop.name
            after = timer.after.microseconds
            span = definition.name.span
            return [
                TimerType(definition.name.name, after, timer.start.name, timer.repeats, stop, timer.latest, span),
            ]
        case Complex() as type_:
            head = definition.head
            lowering = _DefinitionLowering()
            label = definition.name.name if head is None else head.label
            lowering.add(type_, definition.name.name, label, head.fields if head else None, definition.name.span)
            return lowering.types


@dataclass(frozen=True)
class _DefinitionLowering:
    """Lowering of one definition; `types` are those inside of it before itself."""

    types: list[EventType] = field(default_factory=list)

    def add(
        self,
        type_: Complex,
        name: str,
        label: str,
        fields: tuple[Field, ...] | None,
        span: Span | None,
        *,
        hidden: bool = False,
    ) -> None:
        names: list[str] = []
        components = []
        for place, operand in enumerate(type_.operands, 1):
            own = _component_name(operand, names)
            names.append(own)
            components.append(self._component(operand, own, f"{name}/{place}"))
        folds = dict.fromkeys(fold for each in fields or () for fold in _folds(each.expression))
        lowered_fields = None if fields is None else tuple((each.name, _value(each.expression)) for each in fields)
        self.types.append(
            ComplexType(
                name,
                type_.operator,
                tuple(components),
                type_.overlapping,
                type_.continuous,
                type_.right_to_left,
                type_.time,
                type_.required,
                tuple(in_microseconds(conjunct) for conjunct in type_.where),
                None if type_.within is None else type_.within.microseconds,
                label,
                lowered_fields,
                tuple(folds),
                hidden,
                span,
            )
        )

    def _component(self, operand: Operand, own: str, hidden_name: str) -> Component:
        if isinstance(operand.type, Identifier):
            type_name = operand.type.name
        else:
            type_name = hidden_name
            self.add(operand.type, hidden_name, own, operand.fields, operand.span, hidden=True)
        return Component(
            type_name,
            own,
            operand.selection,
            operand.inside,
            operand.outside,
            operand.delimiter or Delimiter(),
            operand.span,
        )


def _component_name(operand: Operand, before: list[str]) -> str:
    if operand.name is not None:
        return operand.name
    assert isinstance(operand.type, Complex)
    name = _NAMELESS[operand.type.operator]
    number = 2
    while name in before:
        name = f"{_NAMELESS[operand.type.operator]}{number}"
        number += 1
    return name


def _folds(expression: Expression) -> Iterator[FoldedValue]:
    for part in expressions.walk(expression):
        if isinstance(part, Aggregate):
            name, function = print_expression(part), cast(Fold, part.function)
            match part.operand:
                case EventReference(identifier=component):
                    yield FoldedValue(name, function, component)
                case Variable(name=variable):
                    component, _, attribute = variable.partition(".")
                    yield FoldedValue(name, function, component, attribute)
                case _:
                    raise AssertionError("the checks let a fold pass that is not of an attribute")


def _value(expression: Expression) -> Expression:
    """Returns the expression with its folds as variables of the same name, and durations as numbers."""
    if isinstance(expression, Aggregate):
        return Variable(print_expression(expression), expression.span)
    return in_microseconds(expressions.rebuild(expression, _value))


def _causes(type_: ComplexType, types: Mapping[str, EventType]) -> Iterator[str]:
    """Yields the names of the causes of a type's events: its components, and those inside of hidden ones."""
    for component in (type_.components[place] for place in type_.bound):
        match types.get(component.type):
            case ComplexType(hidden=True) as inside:
                yield from _causes(inside, types)
            case _:
                yield component.name
