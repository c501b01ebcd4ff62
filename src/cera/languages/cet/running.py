"""How a module will run: what it has to remember, and what it looks at."""

from __future__ import annotations

from collections.abc import Iterator

from cera.diagnostics import Diagnostic
from cera.instances.keys import key_of
from cera.instances.types import ComplexType, InstanceModule
from cera.languages.cet.unbounded import unbounded

#: So many instances make a number of sets that one can wait for.
_FEW = 10


def running(module: InstanceModule) -> Iterator[Diagnostic]:
    """Warnings and notes about a module without errors (CE501 to CE504)."""
    yield from unbounded(module)
    yield from _partitioning(module)
    for type_ in module.types:
        if isinstance(type_, ComplexType):
            yield from _combinations(type_)
            yield from _continuous(type_, module)


def _partitioning(module: InstanceModule) -> Iterator[Diagnostic]:
    """That the module has one history, so that one machine has to see it all."""
    if module.partition is None and module.types:
        message = f"the module `{module.name}` runs unpartitioned: all its events make one history"
        attribute = _common_key(module)
        hint = "where types relate events of the same sensor only: `partition by sensor;`"
        if attribute is not None:
            hint = f"its types relate events with the same `{attribute}` only: `partition by {attribute};`"
        yield Diagnostic("CE502", "note", message, module.span or module.types[0].span, hint)


def _common_key(module: InstanceModule) -> str | None:
    """The attribute that all types equate."""
    attributes: set[str] = set()
    for type_ in module.types:
        found = key_of(type_) if isinstance(type_, ComplexType) else None
        if found is None:
            return None
        attributes |= set(found[0].values())
    return attributes.pop() if len(attributes) == 1 else None


def _combinations(type_: ComplexType) -> Iterator[Diagnostic]:
    for place in type_.bound:
        component = type_.components[place]
        most = component.delimiter.most
        if component.selection == "combinations" and (most is None or most > _FEW):
            message = f"`combinations` makes an event for every set of `{component.name}`: 65,535 of 16 instances"
            hint = "`combinations minimum` makes one for each instance"
            yield Diagnostic("CE503", "warning", message, component.span, hint)


def _continuous(type_: ComplexType, module: InstanceModule) -> Iterator[Diagnostic]:
    if type_.continuous:
        labels = ", ".join(f"`{each.predicate}`" for each in module.monitored)
        message = f"continuous: between its events no other of the events that the module names may occur: {labels}"
        hint = "an event that no type is made of is named by `event Name;`"
        yield Diagnostic("CE504", "note", message, type_.span, hint)
