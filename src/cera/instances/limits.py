"""The limit on the events of a type that one instance may end: sets of sets grow past every memory."""

from __future__ import annotations

from collections.abc import Sized

from cera.instances.types import ComplexType
from cera.model.events.answer_limits import ANSWER_LIMIT, GROUP_LIMIT, too_many


def admit(type_: ComplexType, group: Sized) -> None:
    """Raises MatchLimitError if one instance ends too many events of a type."""
    count = len(group)
    if count <= (GROUP_LIMIT if type_.limit is None else type_.limit):  # which is nearly always so
        return
    sets = next((each.name for each in type_.components if each.selection == "combinations"), None)
    limit = (ANSWER_LIMIT if sets is None else GROUP_LIMIT) if type_.limit is None else type_.limit
    if count <= limit:
        return
    what = f"a type inside of `{type_.name.partition('/')[0]}`" if type_.hidden else f"the event type `{type_.name}`"
    if sets is not None:
        raise too_many(
            what,
            limit,
            f", because `combinations: {sets}` makes one for every set of instances",
            "Use `combinations minimum`, which makes one for each instance, or let a condition, a partition or "
            "`within` leave fewer of them",
        )
    raise too_many(what, limit, "", "Let a condition, a partition or `within` leave fewer of them")
