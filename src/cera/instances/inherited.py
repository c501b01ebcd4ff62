"""Limits of time that a type inside of another one takes over from it.

In `A ; B ; C within 1 hour`, in the unrestricted context, the type inside is `A ; B` without a limit of its own, so
that every A would be kept for ever. What took longer than an hour is of no use to the type around it:

    begin of (A ; B) < end of (A ; B) - 1 hour ≤ now - 1 hour

Where each combination of instances is an event and nothing is consumed, no event depends on another one, so those that
took too long need not be found.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from cera.instances.types import ComplexType, Component, Delimiter, EventType, InstanceModule


def with_inherited_limits(module: InstanceModule) -> InstanceModule:
    """Returns the module with a limit for each type that can take over that of the one type that it is used by."""
    used = Counter(part.type for each in module.types if isinstance(each, ComplexType) for part in each.components)
    limits: dict[str, int] = {}
    found: list[EventType] = []
    for type_ in reversed(module.types):  # those around before those inside
        if not isinstance(type_, ComplexType):
            found.append(type_)
            continue
        takes_over = type_.within is None and used[type_.name] == 1 and _is_every_combination(type_)
        within = limits.get(type_.name) if takes_over else type_.within
        if within is not None and _hands_down(type_):
            limits |= {type_.components[place].type: within for place in type_.bound}
        found.append(replace(type_, within=within))
    return replace(module, types=tuple(reversed(found)))


def _hands_down(type_: ComplexType) -> bool:
    """Returns whether an instance that began too early is of no use to a type."""
    return type_.time == "end" and not type_.continuous and all(map(_is_single, type_.components))


def _is_every_combination(type_: ComplexType) -> bool:
    """Returns whether a hidden sequence is detected for each combination of its instances, and consumes none."""
    *others, last = type_.components
    return (
        type_.hidden
        and type_.operator == ";"
        and type_.time == "end"
        and type_.overlapping
        and not type_.continuous
        and all(each.inside == each.outside == "shared" and _is_single(each) for each in type_.components)
        and all(each.selection == "combinations minimum" for each in others)
        and last.is_fixed
        and last.selection != "combinations"
        and len({each.type for each in type_.components}) == len(type_.components)
    )


def _is_single(component: Component) -> bool:
    return component.delimiter == Delimiter()
