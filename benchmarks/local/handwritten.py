"""The three rules of `examples/sensors/fire.xceq` as one would write them by hand for events that are points of time.

This is what cera's local engine is measured against: a loop over the lines, dictionaries and deques for each sensor
and area, a heap for the silences that are being waited for. It knows these rules, this file and nothing else: times
are in order, no event comes twice, every line is well formed.
"""

from __future__ import annotations

import heapq
import json
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

SECOND = 1_000_000
MINUTE = 60 * SECOND


class Alert(NamedTuple):
    """A derived event with the values of its children."""

    label: str
    begin: int
    end: int
    values: tuple[object, ...]


def detect(lines: Iterable[str]) -> Iterator[Alert]:
    smoke_of_area: defaultdict[str, deque[int]] = defaultdict(deque)
    readings_of_sensor: defaultdict[str, deque[tuple[int, float]]] = defaultdict(deque)
    last_reading: dict[str, int] = {}
    silences: list[tuple[int, str]] = []
    for line in lines:
        event = json.loads(line)
        now = round(event["at"] * SECOND)
        # silences that were over before this event, and those that end with it once it is known
        while silences and silences[0][0] + 12 * SECOND < now:
            since, sensor = heapq.heappop(silences)
            if last_reading[sensor] == since:
                yield Alert("burnt_down", since, since + 12 * SECOND, (sensor,))
        [(kind, reading)] = event["term"].items()
        if kind == "smoke":
            smoke_of_area[reading["area"]].append(now)
            continue
        area, sensor, value = reading["area"], reading["sensor"], reading["value"]
        if value > 40:
            smoke = smoke_of_area[area]
            while smoke and smoke[0] < now - MINUTE:
                smoke.popleft()
            for since in smoke:
                if since < now:
                    yield Alert("fire", since, now, (area,))
            heapq.heappush(silences, (now, sensor))
        last_reading[sensor] = now
        readings = readings_of_sensor[sensor]
        while readings and readings[0][0] < now - MINUTE:
            readings.popleft()
        if readings:
            total = 0.0
            for _, earlier in readings:
                total += earlier
            yield Alert("avg_temp", now - MINUTE, now, (sensor, total / len(readings)))
        readings.append((now, value))
    while silences:
        since, sensor = heapq.heappop(silences)
        if last_reading[sensor] == since:
            yield Alert("burnt_down", since, since + 12 * SECOND, (sensor,))
