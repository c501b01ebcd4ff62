"""Which modules ask where events come from, and whether they know it."""

from __future__ import annotations

from collections.abc import Iterable

from cera.constraints.locations import NO_LOCATIONS
from cera.constraints.module import ConstraintModule
from cera.constraints.partition import parts_of_clause
from cera.constraints.queries import Apart, Directed, SentFrom, SpatialCondition
from cera.errors import UsageError
from cera.wording import Setting


def check_located(modules: Iterable[object]) -> None:
    """Raises UsageError if constraints ask where events come from, and no locations were given."""
    for module in modules:
        if isinstance(module, ConstraintModule) and module.locations == NO_LOCATIONS:
            asking = first_spatial(module)
            if asking is not None:
                place = asking.span or module.name
                raise UsageError(f"{place} asks where events come from: give {Setting.LOCATIONS}, a file that says it")


def first_spatial(module: ConstraintModule) -> SpatialCondition | None:
    """Returns the first condition about places; None if there is none."""
    for clause in module.clauses:
        for part in parts_of_clause(clause, [body for each in clause.definitions for body in each.bodies]):
            if isinstance(part, Directed | SentFrom | Apart):
                return part
    return None
