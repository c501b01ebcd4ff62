"""The events of `benchmarks.local.generate` in the layouts that people have.

The times are whole milliseconds, so that every layout says the same: a recording has the same answers in each of them.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.local.generate import lines

_FLAT = ("--label-field", "type", "--time-field", "ts")
_COLUMNS = ("type", "ts", "area", "sensor", "value")

#: For each layout, the ending of its file and the options that read it.
LAYOUTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "flat, ISO times": ("jsonl", _FLAT),
    "flat, numbers": ("jsonl", (*_FLAT, "--time-unit", "ms")),
    "event objects": ("jsonl", ("--time-unit", "ms")),
    "CSV, ISO times": ("csv", _FLAT),
}


def generate(events: int, layout: str, path: Path) -> None:
    """Writes so many events in a layout; the same number gives the same file."""
    with path.open("w", newline="") as file:
        if layout.startswith("CSV"):
            writer = csv.DictWriter(file, _COLUMNS, restval="")
            writer.writeheader()
            writer.writerows(_records(events, layout))
        else:
            file.writelines(json.dumps(record) + "\n" for record in _records(events, layout))


def _records(events: int, layout: str) -> Iterator[dict[str, Any]]:
    for line in lines(events):
        event = json.loads(line)
        [(label, children)] = event["term"].items()
        time = int(event["at"] * 1000)
        if layout == "event objects":
            yield {"at": time, "term": {label: children}}
        else:
            yield {"type": label, "ts": time if layout == "flat, numbers" else _iso_8601(time), **children}


def _iso_8601(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03}Z"
