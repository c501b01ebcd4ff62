"""Places, and where they lie: rooms, areas, neighbours and coordinates (DESIGN, "ESCL", Places).

    attribute = "sensorID"                  # the attribute that names the place of an event

    [attributes]                            # for labels that name it otherwise
    alarm = "device"

    [places.s1]
    room = "platform"
    area = "north"
    x = 12.5                                # metres to the east and to the north; `unit` says of what else
    y = 3.0

    [places.s2]
    latitude = 48.137
    longitude = 11.575

    [neighbours]
    rooms = [["platform", "hall"]]
    areas = [["north", "south"]]

The distance of two places is computed here and nowhere else, and rounded to millimetres, so that engines agree. It is
that of a plane or of space (x, y and z), or along a great circle of a sphere with the mean radius of the earth; a file
has one kind of coordinates. What is not known (a place that is not in the file, a room that is not said) is None, and
never guessed.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from cera.constraints.queries import Direction
from cera.errors import UsageError
from cera.model.tags import tagged
from cera.model.terms.term import Term, Value

#: The mean radius of the earth in metres.
EARTH_RADIUS = 6_371_008.8
#: The units of coordinates, in metres.
UNITS: Mapping[str, float] = {"km": 1000.0, "m": 1.0, "cm": 0.01, "mm": 0.001, "ft": 0.3048, "mi": 1609.344}
_COORDINATES = ("x", "y", "z", "latitude", "longitude")


class LocationsError(UsageError):
    """A file of locations is wrong."""


@tagged("Location")
@dataclass(frozen=True)
class Location:
    """A place. `plane` are metres to the east, to the north and up; `globe` are latitude and longitude in degrees."""

    name: str
    room: str | None = None
    area: str | None = None
    plane: tuple[float, float, float] | None = None
    globe: tuple[float, float] | None = None


def distance(first: Location, second: Location) -> int | None:
    """Returns how far two places are apart, in millimetres."""
    if first.plane is not None and second.plane is not None:
        return round(math.dist(first.plane, second.plane) * 1000)
    if first.globe is not None and second.globe is not None:
        return round(_great_circle(first.globe, second.globe) * 1000)
    return None


def _great_circle(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Returns the length of the arc between two points in metres, by the haversine formula."""
    (south, west), (north, east) = ((math.radians(a), math.radians(b)) for a, b in (first, second))
    half = math.sin((north - south) / 2) ** 2
    half += math.cos(south) * math.cos(north) * math.sin((east - west) / 2) ** 2
    return 2 * EARTH_RADIUS * math.asin(min(1.0, math.sqrt(half)))


def lies(direction: Direction, first: Location, second: Location) -> bool | None:
    """Returns whether the first place lies in a direction of the second one.

    South is less to the north, whatever the way to the east; south-east is south and east. On the globe east is the
    shorter way around.
    """
    found = _offset(first, second)
    if found is None:
        return None
    east, north = found
    ways = {"south": north < 0, "north": north > 0, "east": east > 0, "west": east < 0}
    return all(ways[way] for way in direction.split("-"))


def _offset(first: Location, second: Location) -> tuple[float, float] | None:
    """Returns how much further to the east and to the north the first place lies."""
    if first.plane is not None and second.plane is not None:
        return first.plane[0] - second.plane[0], first.plane[1] - second.plane[1]
    if first.globe is not None and second.globe is not None:
        east = (first.globe[1] - second.globe[1] + 180.0) % 360.0 - 180.0
        return east, first.globe[0] - second.globe[0]
    return None


@tagged("Locations")
@dataclass(frozen=True)
class Locations:
    """All places, the attributes of events that name them, and which rooms and areas are neighbours."""

    places: tuple[Location, ...] = ()
    attribute: str | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    rooms: frozenset[frozenset[str]] = frozenset()
    areas: frozenset[frozenset[str]] = frozenset()
    _by_name: dict[str, Location] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {each.name: each for each in self.places})

    def name_of(self, term: Term) -> str | None:
        """Returns the name of the place that an event comes from, None if it does not say."""
        attribute = dict(self.attributes).get(term.label, self.attribute)
        for child in term.children:
            if isinstance(child, Term) and child.label == attribute and len(child.children) == 1:
                return _text(child.children[0])
        return None

    def find(self, name: str | None) -> Location | None:
        return None if name is None else self._by_name.get(name)

    def lies_in(self, place: Location, name: str) -> bool | None:
        """Returns whether a place is one of some name, or lies in the room or the area of that name. None if it is not
        said in which room or area it lies, or the file has none of that name."""
        if name in (place.name, place.room, place.area):
            return True
        is_known = name in self._by_name
        for own, every in (place.room, self._rooms), (place.area, self._areas):
            if name in every:
                if own is None:
                    return None
                is_known = True
        return False if is_known else None

    @cached_property
    def _rooms(self) -> frozenset[str]:
        return frozenset(each.room for each in self.places if each.room is not None).union(*self.rooms)

    @cached_property
    def _areas(self) -> frozenset[str]:
        return frozenset(each.area for each in self.places if each.area is not None).union(*self.areas)

    def are_neighbours(self, kind: str, first: str, second: str) -> bool:
        return frozenset((first, second)) in (self.rooms if kind == "room" else self.areas)


def _text(value: Value) -> str | None:
    if isinstance(value, bool | Term):
        return None
    return value if isinstance(value, str) else str(value)


NO_LOCATIONS = Locations()


def read_locations(path: Path) -> Locations:
    """Reads a file of locations. Raises LocationsError."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LocationsError(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LocationsError(f"{path} is not TOML: {error}") from None
    return locations_of(data, str(path))


def locations_of(data: Mapping[str, Any], origin: str = "the locations") -> Locations:
    """Returns the locations that a table of TOML describes. Raises LocationsError."""
    _known(data, ("attribute", "attributes", "unit", "places", "neighbours"), origin, "")
    unit = data.get("unit", "m")
    if unit not in UNITS:
        raise LocationsError(f"{origin}: there is no unit '{unit}'; the units are {', '.join(UNITS)}")
    attribute = data.get("attribute")
    attributes = _table(data, "attributes", origin)
    for name in (*([] if attribute is None else [attribute]), *attributes.values()):
        if not isinstance(name, str):
            raise LocationsError(f"{origin}: the name of an attribute is a text, found {name!r}")
    places = tuple(
        _location(str(name), each, UNITS[unit], origin) for name, each in _table(data, "places", origin).items()
    )
    flat, round_ = ([each.name for each in places if getattr(each, kind) is not None] for kind in ("plane", "globe"))
    if flat and round_:
        raise LocationsError(
            f"{origin}: '{flat[0]}' has x and y, and '{round_[0]}' latitude and longitude; there is no distance "
            "between them, so write one kind for all places"
        )
    neighbours = _table(data, "neighbours", origin)
    _known(neighbours, ("rooms", "areas"), origin, "neighbours.")
    rooms, areas = (_pairs(neighbours.get(kind, []), kind, origin) for kind in ("rooms", "areas"))
    for kind, pairs, known in (
        ("room", rooms, {each.room for each in places}),
        ("area", areas, {each.area for each in places}),
    ):
        for name in sorted({name for pair in pairs for name in pair} - known):
            raise LocationsError(f"{origin}: no place lies in the {kind} '{name}', which is a neighbour of another one")
    return Locations(places, attribute, tuple(sorted(attributes.items())), rooms, areas)


def _table(data: Mapping[str, Any], name: str, origin: str) -> Mapping[str, Any]:
    found = data.get(name, {})
    if not isinstance(found, dict):
        raise LocationsError(f"{origin}: '{name}' is a table, found {found!r}")
    return found


def _known(data: Mapping[str, Any], names: Iterable[str], origin: str, where: str) -> None:
    for name in data.keys() - set(names):
        raise LocationsError(f"{origin}: there is no setting '{where}{name}'; there are {', '.join(names)}")


def _pairs(found: Any, kind: str, origin: str) -> frozenset[frozenset[str]]:
    message = f'{origin}: neighbours.{kind} is a list of pairs: [["a", "b"], ["b", "c"]]'
    if not isinstance(found, list):
        raise LocationsError(message)
    for pair in found:
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            raise LocationsError(message)
    return frozenset(frozenset(pair) for pair in found)


def _location(name: str, data: Any, metres: float, origin: str) -> Location:
    place = f"places.{name}"
    if not isinstance(data, dict):
        raise LocationsError(f"{origin}: '{place}' is a table, found {data!r}")
    _known(data, ("room", "area", *_COORDINATES), origin, f"{place}.")
    for key in ("room", "area"):
        if not isinstance(data.get(key, ""), str):
            raise LocationsError(f"{origin}: '{place}.{key}' is a text, found {data[key]!r}")
    for key in _COORDINATES:
        value = data.get(key, 0.0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise LocationsError(f"{origin}: '{place}.{key}' is a number, found {value!r}")
    plane, globe = {"x", "y", "z"} & data.keys(), {"latitude", "longitude"} & data.keys()
    if plane and globe:
        raise LocationsError(f"{origin}: '{place}' has x and y, or latitude and longitude, and not both")
    if (plane and not {"x", "y"} <= plane) or len(globe) == 1:
        raise LocationsError(f"{origin}: '{place}' has one coordinate only; write x and y, or latitude and longitude")
    if globe and not (-90 <= data["latitude"] <= 90 and -180 <= data["longitude"] <= 180):
        raise LocationsError(f"{origin}: '{place}' lies off the globe: latitude -90 to 90, longitude -180 to 180")
    flat = None
    if plane:
        flat = (data["x"] * metres, data["y"] * metres, data.get("z", 0.0) * metres)
    round_ = (float(data["latitude"]), float(data["longitude"])) if globe else None
    return Location(name, data.get("room"), data.get("area"), flat, round_)
