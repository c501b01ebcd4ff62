"""How many events one instance may end: sets of sets grow past every memory."""

from __future__ import annotations

from collections.abc import Sized

from cera.errors import MatchLimitError
from cera.instances.types import ComplexType

#: As many as a pattern may have answers on one event.
GROUP_LIMIT = 100_000


def admit(type_: ComplexType, group: Sized) -> None:
    """Raises MatchLimitError if a type with the mode `combinations` makes too many events at once."""
    if len(group) > GROUP_LIMIT:
        for component in type_.components:
            if component.selection == "combinations":
                raise MatchLimitError(
                    f"the event type `{type_.name}` was cut off: one event ends more than {GROUP_LIMIT:,} of its "
                    f"events, because `combinations: {component.name}` makes one for every set of instances. Use "
                    "`combinations minimum`, which makes one for each instance, or let a condition, a partition or "
                    "`within` leave fewer of them."
                )
