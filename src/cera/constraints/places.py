"""The places that conditions ask for and nobody knows: told once each, when an event first comes from one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from cera.constraints.clause import Clause
from cera.constraints.locations import Location, Locations
from cera.constraints.queries import Apart, Directed, Literal, Part, SentFrom
from cera.constraints.stream import Happening
from cera.model.expressions.expression import EventReference
from cera.model.terms.term import Term


@dataclass(frozen=True)
class Named:
    """Whether it lies in the room or the area of a name."""

    place: str


#: What a condition needs to know of a place.
Need = OneOf["room", "area", "coordinates"] | Named


@dataclass(frozen=True)
class Located:
    """A literal whose events conditions ask for their place."""

    literal: Literal
    needs: frozenset[Need]


def located_literals(clause: Clause) -> tuple[Located, ...]:
    """Returns the literals of a clause and of its definitions whose events have to come from somewhere."""
    found: list[Located] = []
    heads = [(*clause.body, *alternative) for alternative in clause.head]
    for parts in (*heads, *(body for each in clause.definitions for body in each.bodies)):
        needs = _needs(parts)
        for part in parts:
            if isinstance(part, Literal) and part.identifier is not None and part.identifier.identifier in needs:
                found.append(Located(part, frozenset(needs[part.identifier.identifier])))
    return tuple(dict.fromkeys(found))


def _needs(parts: Sequence[Part]) -> Mapping[str, set[Need]]:
    found: dict[str, set[Need]] = {}
    for part in parts:
        for identifier, need in _asked(part):
            found.setdefault(identifier.identifier, set()).add(need)
    return found


def _asked(part: Part) -> Iterator[tuple[EventReference, Need]]:
    match part:
        case Directed():
            yield part.left, "coordinates"
            yield part.right, "coordinates"
        case Apart():
            yield from ((each, "coordinates") for each in part.identifiers)
        case SentFrom():
            need: Need = Named(part.place)
            if part.relation != "named":
                need = "room" if part.place == "room" else "area"
            yield from ((each, need) for each in part.identifiers)
        case _:
            pass


def unknown_place(term: Term, needs: frozenset[Need], locations: Locations) -> str | None:
    """Returns the name of the place of an event if it is not known, or not as well as it needs to be; the empty name if
    the event names none. None if all is known."""
    name = locations.name_of(term)
    place = locations.find(name)
    if place is None:
        return name or ""
    return place.name if any(_lacks(place, need, locations) for need in needs) else None


def _lacks(place: Location, need: Need, locations: Locations) -> bool:
    match need:
        case "room":
            return place.room is None
        case "area":
            return place.area is None
        case "coordinates":
            return place.plane is None and place.globe is None
        case Named(name):
            return locations.lies_in(place, name) is None


def unknown_places(found: Sequence[tuple[Happening, frozenset[Need]]], locations: Locations) -> dict[str, int]:
    """Returns the places that are not known, each with the time at which an event first comes from it."""
    times: dict[str, int] = {}
    for happening, needs in found:
        name = unknown_place(happening.term, needs, locations)
        if name is not None:
            times[name] = min(happening.known, times.get(name, happening.known))
    return times
