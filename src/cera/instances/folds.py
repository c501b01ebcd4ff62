"""Values of heads that are made of all instances of a component."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cera.instances.instance import Instance
from cera.instances.types import Folded
from cera.model.evaluation.aggregates import fold
from cera.model.events.occurrence import unwrap, wrap
from cera.model.terms.term import Value

#: A fold that a hidden type hands on: `sum(E1.v)`.
_HANDED_ON = re.compile(r"(count|sum|avg|min|max|first|last)\(([^.()]+)(?:\.(.*))?\)", re.DOTALL)


def folded(wanted: Folded, instances: Sequence[Instance]) -> Value | None:
    """Returns the value of a fold, if any. `count(E1)` counts the instances, `count(E1.v)` those with the attribute.

    What a hidden type hands on is folded over the instances inside of it, each once, in the order of time.
    """
    function, attribute = str(wanted.function), wanted.attribute
    if attribute is not None and (inner := _HANDED_ON.fullmatch(attribute)) and all(map(_is_hidden, instances)):
        function, component, attribute = inner.groups()
        several = {id(one): one for instance in instances for one in _inside(instance, component)}
        instances = sorted(several.values(), key=lambda one: one.time)
    if attribute is None:
        return len(instances)
    values = [wrap(value) for one in instances if (value := one.attribute(attribute)) is not None]
    result = fold(function, values)
    return None if result is None else unwrap(result)


def _is_hidden(instance: Instance) -> bool:
    return instance.event is None and bool(instance.bound)


def _inside(instance: Instance, component: str) -> Iterator[Instance]:
    """Yields the instances of a component somewhere inside of an instance of a hidden type."""
    for name, several in instance.bound:
        for one in several:
            if name == component:
                yield one
            elif _is_hidden(one):
                yield from _inside(one, component)
