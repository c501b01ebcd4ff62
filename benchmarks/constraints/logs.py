"""Logs of cases as scripts read them that count by hand."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Event:
    """A record of a log."""

    at: datetime
    case: str
    activity: str
    line: str

    def __getitem__(self, name: str) -> Any:
        return json.loads(self.line)[name]


def lines_of(path: Path, most: int | None = None) -> Iterator[str]:
    """Yields the lines of a log, of the first so many cases."""
    seen: set[str] = set()
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as lines:
        for line in lines:
            case = json.loads(line)["case"]
            if most is None or case in seen or len(seen) < most:
                seen.add(case)
                yield line


def events_of(path: Path, most: int | None = None) -> list[Event]:
    """Returns the records of the first so many cases, equal ones once."""
    found = []
    for line in dict.fromkeys(lines_of(path, most)):
        record = json.loads(line)
        at = datetime.fromisoformat(record["at"]).astimezone(UTC)
        found.append(Event(at, record["case"], record["activity"], line))
    return found


def cases(events: Iterable[Event]) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        found[event.case].append(event)
    return found


def by_activity(events: Iterable[Event]) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        found[event.activity].append(event)
    return found
