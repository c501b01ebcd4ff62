"""The rules as loops over the lines of a file: `python with_python.py RULE FILE ANSWERS`, without answers if that is -.

It needs nothing but Python; Parquet is read with pyarrow. The last line of its output is what `runner.py` reads.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

MINUTE, SILENCE, HOT = 60_000, 12_000, 40


def records(path: str) -> Iterator[dict[str, Any]]:
    if path.endswith(".parquet"):
        import pyarrow.parquet as pq

        for batch in pq.ParquetFile(path).iter_batches():
            yield from batch.to_pylist()
    else:
        with open(path) as lines:
            yield from map(json.loads, lines)


def join(events: Iterator[dict[str, Any]], write: Callable[[dict[str, Any]], None]) -> None:
    smoke: dict[str, deque[int]] = defaultdict(deque)
    for event in events:
        at, area = event["ts"], event["area"]
        seen = smoke[area]
        if event["type"] == "smoke":
            seen.append(at)
        elif event["value"] > HOT:
            while seen and seen[0] < at - MINUTE:
                seen.popleft()
            for before in seen:
                if before < at:
                    write({"begin": before, "end": at, "area": area})


def absence(events: Iterator[dict[str, Any]], write: Callable[[dict[str, Any]], None]) -> None:
    hot: dict[str, int] = {}
    for event in events:
        if event["type"] == "temp":
            sensor, at = event["sensor"], event["ts"]
            since = hot.pop(sensor, None)
            if since is not None and at > since + SILENCE:
                write({"begin": since, "end": since + SILENCE, "sensor": sensor})
            if event["value"] > HOT:
                hot[sensor] = at
    for sensor, since in hot.items():
        write({"begin": since, "end": since + SILENCE, "sensor": sensor})


def average(events: Iterator[dict[str, Any]], write: Callable[[dict[str, Any]], None]) -> None:
    readings: dict[str, deque[tuple[int, float]]] = defaultdict(deque)
    for event in events:
        if event["type"] == "temp":
            at, last = event["ts"], readings[event["sensor"]]
            while last and last[0][0] < at - MINUTE:
                last.popleft()
            if last:
                mean = sum(value for _, value in last) / len(last)
                write({"begin": at - MINUTE, "end": at, "sensor": event["sensor"], "value": mean})
            last.append((at, event["value"]))


RULES = {"join": join, "absence": absence, "average": average}


def main() -> None:
    rule, path, answers = sys.argv[1:]
    found = 0
    started = time.process_time()
    with open("/dev/null" if answers == "-" else answers, "w") as out:

        def write(answer: dict[str, Any]) -> None:
            nonlocal found
            found += 1
            if answers != "-":
                out.write(json.dumps(answer) + "\n")

        RULES[rule](records(path), write)
    print(json.dumps({"count": found, "cold": time.process_time() - started}))


if __name__ == "__main__":
    main()
