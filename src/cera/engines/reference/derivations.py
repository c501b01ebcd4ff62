"""Derivations in an order in which the first one of each event leads back to the input.

In a recursion an event can be derived from what was derived from it. Its *height* is that of the lowest tree of
derivations above the input, so that the causes of the derivation on top of a lowest tree are all lower than the event.
Only the derivations of recursive rules are ordered by it: those of others are never circular, and the engines that run
no recursion need not know of heights to give the same order.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from cera.model.events.event import Derivation, Event

#: The derivations of each event.
Derivations = Mapping[Event, Iterable[Derivation]]


def first_ones_first(
    derivations: Derivations, given: Container[Event], recursive: Container[str]
) -> dict[Event, tuple[Derivation, ...]]:
    """The derivations of each event by height, rule and causes; height counts for recursive rules only."""
    circular = any(one.rule in recursive for ways in derivations.values() for one in ways)
    height = heights(derivations, given) if circular else {}

    def rank(one: Derivation) -> int:
        return 1 + max(height.get(cause, 0) for cause in one.causes.values()) if one.rule in recursive else 0

    return {event: tuple(sorted(ways, key=lambda one: (rank(one), one.key))) for event, ways in derivations.items()}


def heights(derivations: Derivations, given: Container[Event]) -> dict[Event, int]:
    """The least h with h(e) = 0 for a given event and for a timer, and else h(e) = 1 + the greatest h of its causes,
    in the derivation in which that is least."""
    known: dict[Event, int] = {event: 0 for event in derivations if event in given}
    missing: list[int] = []  # of each derivation: how many causes have no height yet
    users: dict[Event, list[int]] = {}
    made: list[Event] = []
    for event, ways in derivations.items():
        for one in ways:
            causes = {c for c in (*one.causes.values(), *one.collected) if c in derivations and c not in known}
            for cause in causes:
                users.setdefault(cause, []).append(len(made))
            missing.append(len(causes))
            made.append(event)
    level = [event for event, count in zip(made, missing, strict=True) if not count and event not in known]
    height = 0
    while level:
        height += 1
        new = [event for event in dict.fromkeys(level) if event not in known]
        known.update(dict.fromkeys(new, height))
        level = []
        for event in new:
            for number in users.get(event, ()):
                missing[number] -= 1
                if not missing[number]:
                    level.append(made[number])
    return known
