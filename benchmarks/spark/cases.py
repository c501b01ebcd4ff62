"""What is compared between checkouts: the Spark engines over recorded readings and over a stream of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.checkouts import Case
from benchmarks.recordings.cases import chosen


def cases(folder: Path, *, quick: bool) -> Iterator[Case]:
    """Yields a command of a user, and each way through the engine in a process and a session of its own."""
    yield from chosen(folder, 20_000 if quick else 100_000, ["spark"], ["all rules"], ["flat, ISO times"])
    for part, events in (("batch", 200_000 if quick else 1_000_000), ("stream", 100_000 if quick else 400_000)):
        yield Case("spark", f"{part}, {events:,}", ("-m", "benchmarks.spark.workloads", part, str(events)))
