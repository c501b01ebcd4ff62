"""The subject of a comparison: one event type, in a module that detects it and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from cera.instances.types import ComplexType, Component, EventType, InstanceModule, TimerType
from cera.modules.monitoring import MonitoredEvents, Output


@dataclass(frozen=True)
class Subject:
    """An event type and its display name."""

    name: str
    module: InstanceModule


def subject(name: str, module: InstanceModule, type_name: str) -> Subject:
    """Returns one type of a module as a subject. A timer is compared by its ticks."""
    by_name = {each.name: each for each in module.types}
    target = by_name[type_name]
    inside = _inside(target, by_name)
    types = tuple(_hidden(each) for each in module.types if each.name in inside)
    visible = _visible(target)
    output = Output(f"{module.name}.{visible.name}", visible.name, (), visible.label, ())
    made = replace(module, types=(*types, visible), outputs=(output,))
    return Subject(name, replace(made, monitored=tuple(_monitored(made))))


def _inside(target: EventType, by_name: Mapping[str, EventType]) -> set[str]:
    """Returns the types that it is made of; a timer is among them, because its ticks need a type that reads them."""
    found = {target.name} if isinstance(target, TimerType) else set()
    waiting = [target]
    while waiting:
        for name in component_types(waiting.pop()):
            if name in by_name and name not in found:
                found.add(name)
                waiting.append(by_name[name])
    return found


def component_types(type_: EventType) -> tuple[str, ...]:
    match type_:
        case ComplexType():
            return tuple(each.type for each in type_.components)
        case TimerType():
            return (type_.start,) if type_.stop is None else (type_.start, type_.stop)


def _hidden(type_: EventType) -> EventType:
    """Hides a type that is not compared itself; it keeps its attributes."""
    return replace(type_, hidden=True) if isinstance(type_, ComplexType) else type_


def _visible(type_: EventType) -> ComplexType:
    """Returns the compared type without children: its detections are compared by what they are based on."""
    match type_:
        case ComplexType():
            return replace(type_, hidden=False, fields=(), folds=())
        case TimerType():
            ticks = (Component(type_.name, type_.name),)
            return ComplexType(f"{type_.name}/", "or", ticks, label=type_.name, fields=())


def _monitored(module: InstanceModule) -> Iterator[MonitoredEvents]:
    """Returns the events that matter: those of its components, and all if every event interrupts something."""
    named = {name for each in module.types for name in component_types(each)}
    every = any(isinstance(each, ComplexType) and each.continuous for each in module.types)
    return (each for each in module.monitored if every or each.predicate in named)


def complex_types(modules: Iterable[InstanceModule]) -> Iterator[tuple[InstanceModule, ComplexType]]:
    for module in modules:
        for each in module.types:
            if isinstance(each, ComplexType):
                yield module, each
