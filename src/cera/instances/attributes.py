"""The attributes of events that event types ask for: `E1.sensor` where E1 is a component of a label."""

from __future__ import annotations

from collections.abc import Iterator

from cera.instances.types import ComplexType, InstanceModule
from cera.model.events.attributes import AskedAttribute
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Expression, Variable
from cera.modules.history_module import asked_by_partition, attribute_of, is_needed


def asked_by_types(module: InstanceModule) -> Iterator[AskedAttribute]:
    """Yields the attributes of labelled events that types and the partition ask for; other components are open."""
    monitored = {each.predicate: each for each in module.monitored}
    for type_ in module.types:
        if not isinstance(type_, ComplexType):
            continue
        primitive = {each.name: monitored[each.type] for each in type_.components if each.type in monitored}
        folds = {each.name: each for each in type_.folds}
        for expression in (*type_.where, *(value for _, value in type_.fields or ())):
            for part in _variables(expression):
                fold = folds.get(part.name)
                component, _, attribute = part.name.partition(".")
                if fold is not None:
                    component, attribute = fold.component, fold.attribute or ""
                if component in primitive:
                    yield from attribute_of(primitive[component], attribute, needed=is_needed(expression), at=part)
    yield from asked_by_partition(module.monitored, module.partition)


def _variables(expression: Expression) -> Iterator[Variable]:
    return (part for part in expressions.walk(expression) if isinstance(part, Variable))
