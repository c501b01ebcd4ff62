"""Smoke that spreads in metro stations as `examples/metro/smoke.escl` has it, and smoke that does not.

Each station is an area of its own with six sensors from north to south, two in a room, 40 metres apart; the air moves
to the south. Fires break out one after the other, a station each. Nothing here knows of constraints: what a record
breaks follows from the rules in words.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple

SECOND = 1_000_000
SENSORS, METRES = 6, 40


class Kind(Enum):
    """A rule that smoke breaks; the value is the name of the constraint that says it."""

    OTHER_STATION = "near-rooms"
    TOO_FAST = "slow"
    AGAINST_THE_AIR = "with-the-air"


class Smoke(NamedTuple):
    """Smoke at a sensor: its time in microseconds, the station, the sensor, and which rule that breaks."""

    at: int
    station: int
    sensor: int
    breaks: Kind | None = None

    @property
    def attributes(self) -> dict[str, str | int]:
        return {"sensorID": f"s{self.station}-{self.sensor}", "area": f"station {self.station}", "intensity": 1}


def fire(station: int, begin: int, chance: random.Random, kind: Kind | None) -> list[Smoke]:
    """Smoke in a station, from a sensor on to the south; the last record breaks a rule, if there is a kind."""
    first = chance.randrange(3)
    at, found = begin, []
    for sensor in range(first, SENSORS):
        found.append(Smoke(at, station, sensor))
        at += chance.randint(25, 90) * SECOND
    match kind:
        case None:
            return found
        case Kind.OTHER_STATION:
            last = found[-1]
            return [*found, Smoke(last.at + chance.randint(1, 60) * SECOND, station + 1, SENSORS - 1, kind)]
        case Kind.TOO_FAST:  # 120 metres in less than a minute
            return [found[0], Smoke(begin + chance.randint(1, 60) * SECOND, station, first + 3, kind)]
        case Kind.AGAINST_THE_AIR:
            return [*found[1:], Smoke(at, station, first, kind)]


def fires(stations: int, broken: float, seed: int) -> Iterator[Smoke]:
    """Yields the smoke of all stations in the order of time; of every second one only, so that each is hit once."""
    chance = random.Random(seed)
    for number in range(stations):
        kind = chance.choice(list(Kind)) if chance.random() < broken else None
        yield from fire(2 * number, number * 3600 * SECOND, chance, kind)


def locations(stations: int) -> dict[str, Any]:
    """Returns where the sensors are, as a file of locations says it."""
    places: dict[str, Any] = {}
    pairs: list[list[str]] = []
    for station in range(2 * stations):
        for sensor in range(SENSORS):
            room = f"room {station}-{sensor // 2}"
            where = {"x": 1000 * station, "y": -METRES * sensor}
            places[f"s{station}-{sensor}"] = {"room": room, "area": f"station {station}", **where}
        pairs += [[f"room {station}-{room}", f"room {station}-{room + 1}"] for room in (0, 1)]
    return {"attribute": "sensorID", "places": places, "neighbours": {"rooms": pairs}}
