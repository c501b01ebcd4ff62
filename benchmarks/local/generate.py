"""Readings of temperature sensors as JSON lines: `python -m benchmarks.local.generate EVENTS FILE`.

1,000 sensors in 100 areas report every 11 to 12 seconds. 2% of the readings are above 40; 1% of those are followed by
15 to 60 seconds of silence of the sensor. 0.5% of the lines are smoke in an area. All events are points of time, in
the order of time, and the same seed gives the same file.
"""

from __future__ import annotations

import heapq
import random
import sys
from collections.abc import Iterator
from pathlib import Path

SENSORS = 1_000
AREAS = 100
START = 1_700_000_000_000_000
SECOND = 1_000_000


def lines(events: int, seed: int = 3) -> Iterator[str]:
    """So many events, one a line."""
    random_ = random.Random(seed)
    uniform = random_.random
    next_reports = [(START + int(uniform() * 12 * SECOND), sensor) for sensor in range(SENSORS)]
    heapq.heapify(next_reports)
    smoke_at: list[tuple[int, int]] = []
    written = 0
    while written < events:
        time, sensor = next_reports[0]
        if smoke_at and smoke_at[0][0] <= time:
            time, area = heapq.heappop(smoke_at)
            yield f'{{"at": {time / SECOND!r}, "term": {{"smoke": {{"area": "a{area}"}}}}}}\n'
            written += 1
            continue
        high = uniform() < 0.02
        value = round(40.1 + uniform() * 50 if high else 15 + uniform() * 20, 1)
        pause = 11 * SECOND + int(uniform() * SECOND)
        if high and uniform() < 0.01:
            pause = 15 * SECOND + int(uniform() * 45 * SECOND)
        heapq.heapreplace(next_reports, (time + pause, sensor))
        area = sensor % AREAS
        if uniform() < 0.005:
            heapq.heappush(smoke_at, (time + 1 + int(uniform() * SECOND), area))
        yield (
            f'{{"at": {time / SECOND!r}, "term": {{"temp": '
            f'{{"area": "a{area}", "sensor": "s{sensor}", "value": {value!r}}}}}}}\n'
        )
        written += 1


def generate(events: int, path: Path, seed: int = 3) -> None:
    with path.open("w") as file:
        file.writelines(lines(events, seed))


if __name__ == "__main__":
    generate(int(sys.argv[1]), Path(sys.argv[2]))
