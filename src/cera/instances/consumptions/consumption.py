"""What a consumption mode is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from cera.instances.members import Member

#: Of the available members of a type, given those of them that an event binds, the time of its terminator, and which
#: of them its conditions allow: those that are gone.
Consumption = Callable[[Sequence[Member], Sequence[Member], int, Callable[[Member], bool]], Iterable[Member]]
