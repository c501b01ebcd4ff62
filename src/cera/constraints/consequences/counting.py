"""How many events or states of a kind there are in a time: what several counts say together.

count of p in T is in N1, and in N2                     it is in both
p in T                                                  count of p in T is at least 1
p is an instance of q, both in T                        count of p <= count of q
T lies in U                                             count of p in T <= count of p in U
T and T' lie in U, one behind the other                 count of p in T + count of p in T' <= count of p in U
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cera.constraints.consequences.placement import Placement
from cera.constraints.groups import binds
from cera.constraints.names import ANONYMOUS, APART
from cera.constraints.numbers import ALL, AT_LEAST_ONE, CountSet, numbers_of
from cera.constraints.queries import Literal, Part, ValidityTime
from cera.constraints.subsumption.atoms import Fixed, Name, Place, flat

#: A value that an event has to have, or the number of one that is counted over.
_Slot = Fixed | Name | int


@dataclass(frozen=True)
class Population:
    """What is counted: events or states with a label and some values, in a time (None: all of time)."""

    label: str
    kind: str
    time: ValidityTime | None
    slots: tuple[tuple[Place, _Slot], ...]


@dataclass(frozen=True)
class Count:
    """A literal, and the numbers that its count is known to be among."""

    literal: Literal
    numbers: CountSet


def positive(parts: Iterable[Part]) -> list[Literal]:
    """Returns the literals that need one event or state."""
    return [p for p in parts if isinstance(p, Literal) and p.count is None and not p.negated and p.kind != "relation"]


def counted(parts: Iterable[Part]) -> list[Literal]:
    """Returns the literals with a count of events or states."""
    return [p for p in parts if isinstance(p, Literal) and p.count is not None and p.kind != "relation"]


def population(literal: Literal, given: frozenset[str], others: frozenset[str] = frozenset()) -> Population | None:
    """Returns what a literal counts, where some variables have values; None if that cannot be said.

    Variables of the atom with a value are always those of the group (ERR-55). `others` get their values from counts, so
    that it depends on the order of evaluation whether they have one already.
    """
    atom = flat(literal.atom, literal.kind or "event")
    if atom is None or literal.kind == "relation":
        return None
    groups = frozenset(literal.group_by or ())
    free: dict[str, int] = {}
    slots: list[tuple[Place, _Slot]] = []
    for place, value in sorted(atom.places, key=lambda each: each[0]):
        if isinstance(value, Fixed) or value.name in groups or value.name in given:
            slots.append((place, value))
        elif value.name in others and not value.name.startswith(ANONYMOUS):
            return None
        else:
            slots.append((place, free.setdefault(value.name, len(free))))
    return Population(atom.label, atom.kind, literal.time, tuple(slots))


def is_among(special: Population, general: Population, placement: Placement) -> bool:
    """Returns whether all that is counted by one is counted by the other one, in the same time or in one around it."""
    if (special.label, special.kind) != (general.label, general.kind):
        return False
    if general.time is not None and general.time != special.time and not _lies_in(special, general, placement):
        return False
    own = dict(special.slots)
    chosen: dict[int, _Slot | tuple[str, int]] = {}
    for place, value in general.slots:
        if place not in own:
            return False
        other = own[place]
        if isinstance(value, int):
            found = ("free", other) if isinstance(other, int) else other
            if chosen.setdefault(value, found) != found:
                return False
        elif isinstance(other, int) or other != value:
            return False
    return True


def _lies_in(special: Population, general: Population, placement: Placement) -> bool:
    """Returns whether events in the time of one lie in that of the other. What is derived when a time has passed does
    not lie in it, so that of such events nothing is known."""
    return special.kind == "event" and APART not in special.label and placement.covers(general.time, special.time)


def no_counts(parts: Sequence[Part], further: Sequence[Count], given: frozenset[str]) -> bool:
    """Returns whether no numbers of events and states make all counts true. `given` are variables with a value."""
    there = positive(parts)
    given = given.union(*(binds(p) for p in parts if isinstance(p, Literal) and p.count is None))
    groups = frozenset[str]().union(*(binds(p) for p in parts if isinstance(p, Literal) and p.count is not None))
    known: dict[Population, CountSet] = {}
    for literal, numbers in [
        *((each, numbers_of(each)) for each in counted(parts)),
        *((each.literal, each.numbers) for each in further),
        *((each, AT_LEAST_ONE) for each in there),
    ]:
        if numbers is None:
            continue
        if not numbers:
            return True
        what = population(literal, given, groups - given)
        if what is not None:
            known[what] = known.get(what, ALL).intersection(numbers)
    placement = Placement(parts)
    pairs = [(a, b) for a in known for b in known if a != b and is_among(a, b, placement)]
    for general in dict.fromkeys(general for _, general in pairs):
        parts_of_it = [(each, _least(known[each])) for each, other in pairs if other == general]
        low = max((low for _, low in parts_of_it), default=0)
        apart = placement.in_a_row([each.time for each, low in parts_of_it if low])
        low = max(low, sum(max(low for each, low in parts_of_it if each.time == time) for time in apart))
        known[general] = known[general].intersection(CountSet(((low, None),)))
    for special, general in pairs:
        if known[general]:
            known[special] = known[special].intersection(CountSet(((0, known[general].ranges[-1][1]),)))
    return not all(known.values())


def _least(numbers: CountSet) -> int:
    return numbers.ranges[0][0] if numbers else 0
