"""What every operator can be asked; by itself it wants all components, in whatever order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cera.instances.instance import Instance
from cera.instances.members import Member, Solution
from cera.instances.types import ComplexType

#: The times after and before which something lies; None where there is no limit.
Window = tuple[int | None, int | None]

EVERYWHERE: Window = (None, None)


class Operator:
    #: Whether windows alone decide, so that `allows` need not be asked where intervals may overlap.
    exact = True

    def __init__(self, type_: ComplexType) -> None:
        self.type = type_

    def parts(self, places: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """The components that take part, as places in the order of traversal; the preferred ones first."""
        yield tuple(places)

    def reach(
        self,
        places: Sequence[int],
        available: Mapping[int, Sequence[Member]],
        needed: Mapping[int, int],
        anchor: tuple[int, int] | None,
    ) -> dict[int, Window] | None:
        """Where in time the components that take part can lie at most, given how many instances each needs, and a time
        at which one of them has one; None where there are not enough."""
        return {}

    def moment(self, terminated: int) -> Window:
        """Where in time everything lies that an event binds, given the time of its terminator."""
        return EVERYWHERE

    def window(self, place: int, bound: Solution) -> Window:
        """Where in time an instance lies that stands at a place beside what is bound at others."""
        return EVERYWHERE

    def allows(self, place: int, one: Instance, other_place: int, other: Instance) -> bool:
        """Whether two instances at different places may occur together; that they lie in each other's window is
        known."""
        if self.type.overlapping:
            return True
        return one.end < other.begin or other.end < one.begin
