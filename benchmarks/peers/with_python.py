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


class Rule:
    """A rule that takes events in their order. Its answers are written."""

    def __init__(self, write: Callable[[dict[str, Any]], None]) -> None:
        self.write = write

    def take(self, event: dict[str, Any]) -> None:
        raise NotImplementedError

    def finish(self) -> None:
        """Writes what is known at the end."""


class Join(Rule):
    def __init__(self, write: Callable[[dict[str, Any]], None]) -> None:
        super().__init__(write)
        self.smoke: dict[str, deque[int]] = defaultdict(deque)

    def take(self, event: dict[str, Any]) -> None:
        at, area = event["ts"], event["area"]
        seen = self.smoke[area]
        if event["type"] == "smoke":
            seen.append(at)
        elif event["value"] > HOT:
            while seen and seen[0] < at - MINUTE:
                seen.popleft()
            for before in seen:
                if before < at:
                    self.write({"begin": before, "end": at, "area": area})


class Absence(Rule):
    def __init__(self, write: Callable[[dict[str, Any]], None]) -> None:
        super().__init__(write)
        self.hot: dict[str, int] = {}

    def take(self, event: dict[str, Any]) -> None:
        if event["type"] == "temp":
            sensor, at = event["sensor"], event["ts"]
            since = self.hot.pop(sensor, None)
            if since is not None and at > since + SILENCE:
                self.write({"begin": since, "end": since + SILENCE, "sensor": sensor})
            if event["value"] > HOT:
                self.hot[sensor] = at

    def finish(self) -> None:
        for sensor, since in self.hot.items():
            self.write({"begin": since, "end": since + SILENCE, "sensor": sensor})


class Average(Rule):
    def __init__(self, write: Callable[[dict[str, Any]], None]) -> None:
        super().__init__(write)
        self.readings: dict[str, deque[tuple[int, float]]] = defaultdict(deque)

    def take(self, event: dict[str, Any]) -> None:
        if event["type"] == "temp":
            at, last = event["ts"], self.readings[event["sensor"]]
            while last and last[0][0] < at - MINUTE:
                last.popleft()
            if last:
                mean = sum(value for _, value in last) / len(last)
                self.write({"begin": at - MINUTE, "end": at, "sensor": event["sensor"], "value": mean})
            last.append((at, event["value"]))


RULES: dict[str, tuple[type[Rule], ...]] = {
    "join": (Join,),
    "absence": (Absence,),
    "average": (Average,),
    "all": (Join, Absence, Average),
}


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

        rules = [made(write) for made in RULES[rule]]
        takes = [each.take for each in rules]
        for event in records(path):
            for take in takes:
                take(event)
        for each in rules:
            each.finish()
    print(json.dumps({"count": found, "cold": time.process_time() - started}))


if __name__ == "__main__":
    main()
