"""What is compared between checkouts: event types over what customers do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.checkouts import Case
from benchmarks.instances.generate import generate
from benchmarks.instances.programs import PROGRAMS


def cases(folder: Path, *, quick: bool) -> Iterator[Case]:
    """Yields all programs; a quick comparison divides the history for those in the chronicle context only."""
    events = 20_000 if quick else 100_000
    path = folder / "customers.jsonl"
    generate(events, path)
    for name, ways in PROGRAMS.items():
        for way in ways:
            if way == "where" or "chronicle" in name or not quick:
                arguments = ("-m", "benchmarks.instances.workloads", way, name, str(path))
                yield Case("instances", f"{name.removesuffix('.snoop')}, {way}, {events:,}", arguments)
