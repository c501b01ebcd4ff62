"""Values of heads that are made of all instances of a component."""

from __future__ import annotations

from collections.abc import Sequence

from cera.instances.instance import Instance
from cera.instances.types import Folded
from cera.model.aggregates import fold
from cera.model.occurrence import unwrap, wrap
from cera.model.terms import Value


def folded(wanted: Folded, instances: Sequence[Instance]) -> Value | None:
    """None where it has no value. `count(E1)` counts the instances, `count(E1.v)` those with the attribute."""
    if wanted.attribute is None:
        return len(instances)
    values = [wrap(value) for one in instances if (value := one.attribute(wanted.attribute)) is not None]
    result = fold(wanted.function, values)
    return None if result is None else unwrap(result)
